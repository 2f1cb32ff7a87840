// Values of every type, and of every way to be hostile. Each is made fresh, because some change when they are read.

class Private {
  #n = 1;
  get n(): number {
    return this.#n;
  }
}

function deep(inner: (value: unknown) => unknown): unknown {
  let value: unknown = null;
  for (let depth = 0; depth < 100_000; depth++) value = inner(value);
  return value;
}

const deepArray = deep((value) => [value]);
const deepObject = deep((value) => ({ value }));
const thrower = (thrown: unknown) => () => {
  throw thrown;
};

/** A getter for every name that the core may ask for. */
function getters(get: () => unknown): object {
  const made = {};
  for (const key of [
    "id",
    "type",
    "role",
    "content",
    "kind",
    "name",
    "op",
    "path",
    "status",
    "messages",
    "rules",
    "0",
  ]) {
    Object.defineProperty(made, key, { get, enumerable: true, configurable: true });
  }
  return made;
}

function trapped(thrown: unknown, target: object): object {
  const trap = thrower(thrown);
  const traps = Reflect.ownKeys(Reflect).filter((key) => typeof key === "string");
  return new Proxy(target, Object.fromEntries(traps.map((name) => [name, trap])));
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const object: Record<string, unknown> = { type: "human", content: "a" };
  object["self"] = object;
  object["messages"] = [object];
  return object;
}

function cyclicList(): unknown[] {
  const list: unknown[] = [];
  list.push(list, list);
  return list;
}

function holes(length: number): unknown[] {
  const list: unknown[] = [];
  list.length = length;
  list[length >> 1] = { type: "human", id: "1", content: "a" };
  return list;
}

export const garbage: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  NaN: () => Number.NaN,
  "a number": () => 7,
  Infinity: () => Number.POSITIVE_INFINITY,
  true: () => true,
  "an empty string": () => "",
  "a string": () => "remove",
  __proto__: () => "__proto__",
  "a lone surrogate": () => "\udc00a\ud800",
  "a long string": () => "x".repeat(100_000),
  "a symbol": () => Symbol("s"),
  "a well-known symbol": () => Symbol.iterator,
  "a bigint": () => 10n ** 30n,
  "a function": () => () => 1,
  "a function that throws": () => thrower(new Error("thrown")),
  "a class": () => Private,
  "an empty object": () => ({}),
  "an empty array": () => [],
  "an array of garbage": () => [undefined, null, Symbol("s"), 1n, [], {}, "x", () => 1],
  "an array with holes": () => holes(20_000),
  "an array with properties": () =>
    Object.assign([{ id: "1", type: "ai", content: "" }], { id: "2", type: "human", kind: "append" }),
  "an object without a prototype": () => Object.create(null) as object,
  "an object with a __proto__ key": () =>
    JSON.parse('{"__proto__":{"polluted":true},"type":"human","content":""}') as object,
  "an object whose fields are garbage": () => ({
    id: 1n,
    type: Symbol("t"),
    role: {},
    content: () => 1,
    kind: [],
    tool_calls: 5,
  }),
  "a message whose fields are garbage": () => ({
    type: "ai",
    id: "1",
    content: { a: 1 },
    tool_calls: { length: 3, 0: null },
  }),
  "a serialised message of garbage": () => ({ lc: 1, type: "constructor", id: [Symbol("s")], kwargs: null }),
  "an array-like": () => ({ length: 3, 0: { type: "human", id: "1", content: "a" } }),
  "an object with a length of its own": () => ({ length: -1 }),
  "getters that throw": () => getters(thrower(new Error("thrown"))),
  "getters that throw undefined": () => getters(thrower(undefined)),
  "getters that throw what cannot be told": () => getters(thrower(trapped(null, {}))),
  "an array of getters that throw": () => [getters(thrower(new Error("thrown")))],
  "a getter that answers otherwise each time": () => {
    let asked = 0;
    return getters(() => [undefined, "1", {}, "human", [], 5, null, "append"][asked++ % 8]);
  },
  "a proxy": () => new Proxy({ type: "human", id: "1", content: "a" }, {}),
  "a proxy of an array": () => new Proxy([{ type: "human", id: "1", content: "a" }], {}),
  "a proxy that throws": () => trapped(new Error("thrown"), {}),
  "a proxy of an array that throws": () => trapped("thrown", []),
  "a proxy of a function that throws": () => trapped(null, () => 1),
  "a revoked proxy": () => revoked({}),
  "a revoked proxy of an array": () => revoked([]),
  "an array of revoked proxies": () => [revoked({}), revoked([])],
  "a cyclic object": cyclic,
  "a cyclic array": cyclicList,
  "100,000 arrays within each other": () => deepArray,
  "100,000 objects within each other": () => deepObject,
  "a frozen object": () => Object.freeze({ type: "human", id: "1", content: "a" }),
  "a frozen array": () => Object.freeze([Object.freeze({ type: "human", id: "1", content: "a" })]),
  "an instance with private fields": () => new Private(),
  "a Map": () => new Map([["type", "human"]]),
  "a Set": () => new Set([1]),
  "a WeakMap": () => new WeakMap(),
  bytes: () => new Uint8Array([1, 2, 3]),
  "a buffer": () => new ArrayBuffer(8),
  "a Date": () => new Date(Number.NaN),
  "a promise": () => Promise.resolve(1),
  "an error": () => new Error("e"),
  "a regular expression": () => /x/g,
  "a boxed string": () => Object("human") as object,
  globalThis: () => globalThis,
};
