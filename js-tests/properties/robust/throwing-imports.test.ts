import { core } from "../../support/wasm.js";
import {
  addMessages,
  applyPatch,
  defineSchema,
  field,
  mergeFiles,
  mergeTools,
  MessageList,
  replaceTodos,
  Thread,
} from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import { isThorough } from "../../support/seed.js";

const THROWS = isThorough() ? 20_000 : 4_000;

/** The built-ins that the core imports: each throws in turn. */
const BUILTINS: [object: object, name: string][] = [
  [Object, "is"],
  [Object, "hasOwn"],
  [Object, "keys"],
  [Object, "getPrototypeOf"],
  [Object, "create"],
  [Object, "defineProperty"],
  [Object, "getOwnPropertyDescriptors"],
  [Reflect, "ownKeys"],
  [Array, "isArray"],
  [Array, "from"],
  [Uint32Array, "from"],
  [JSON, "parse"],
  [Map.prototype, "get"],
  [Map.prototype, "set"],
  [Map.prototype, "clear"],
  [Map.prototype, "entries"],
  [Set.prototype, "add"],
  [Set.prototype, "has"],
  [Set.prototype, "clear"],
  [Array.prototype, "push"],
  [Array.prototype, "pop"],
  [Array.prototype, "slice"],
  [Array.prototype, "splice"],
  [Array.prototype, "concat"],
  [Array.prototype, "every"],
  [Array.prototype, "some"],
  [Array.prototype, "at"],
  [Array.prototype, "with"],
  [Array.prototype, "keys"],
  [Array.prototype, Symbol.iterator as unknown as string],
  [RegExp.prototype, "test"],
  [String.prototype, "charCodeAt"],
  [String.prototype, "slice"],
  [TextDecoder.prototype, "decode"],
  [TextEncoder.prototype, "encodeInto"],
  [Object.getPrototypeOf(Uint8Array.prototype) as object, "set"],
  [Object.getPrototypeOf(Uint8Array.prototype) as object, "subarray"],
  [crypto, "randomUUID"],
  [globalThis, "crypto"],
  [globalThis, "Map"],
  [globalThis, "Set"],
  [globalThis, "DataView"],
];

const { defineProperty, getOwnPropertyDescriptor } = Object;

/** Makes a call while a built-in function throws; the call's own error is dropped. */
function without(object: object, name: string, call: () => void): void {
  const was = getOwnPropertyDescriptor(object, name);
  const isFunction = typeof was?.value === "function";
  const thrown = new Error(String(name));
  const fail = () => {
    throw thrown;
  };
  defineProperty(
    object,
    name,
    isFunction ? { value: fail, configurable: true, writable: true } : { get: fail, configurable: true },
  );
  try {
    call();
  } catch {
    // It threw: that is what is asked for.
  } finally {
    if (was) defineProperty(object, name, was);
    else delete (object as Record<string, unknown>)[name];
  }
}

const stackPointer = () => (core() as unknown as { __stack_pointer: WebAssembly.Global<"i32"> }).__stack_pointer.value;

const schema = defineSchema({
  messages: field.messages(),
  log: field.append(),
  prefs: field.merge(),
  files: field.files(),
  both: field.reducer((a: unknown, b: unknown) => [a, b], { default: () => 0 }),
});

let ids = 0;

/** Every way into the core, with the umlaut that needs the encoder. */
const calls = (thread: Thread, list: MessageList): Record<string, () => unknown> => ({
  addMessages: () => addMessages([{ type: "ai", id: "ä", content: "" }], ["hi", { type: "remove", id: "ä" }]),
  mergeTools: () => mergeTools([{ name: "ä" }], [{ name: "ä" }]),
  mergeFiles: () => mergeFiles({ ä: {} } as never, { ä: null, b: {} } as never),
  replaceTodos: () => replaceTodos([], [{ content: "ä", status: "pending" }] as never),
  mergeState: () =>
    langGraphDefaultMergeState({ messages: [] }, [{ type: "ai", id: "ä", content: "" }], {
      tools: [{ name: "ä" }],
    } as never),
  applyPatch: () =>
    applyPatch({ ä: [1, { b: 1 }] }, [
      { op: "copy", from: "/ä", path: "/c" },
      { op: "add", path: "/ä/1/b", value: 2 },
    ]),
  defineSchema: () => defineSchema({ ä: field.messages() }).dispose(),
  merge: () =>
    schema.merge({ log: [1], files: {} } as never, { log: [2], prefs: { ä: 1 }, messages: "hi", both: 1 } as never),
  step: () => schema.step({ log: [1] } as never, [{ log: { __overwrite__: [2] } }, { prefs: { a: 1 } }] as never),
  input: () => schema.input({ ä: 1, log: [] }),
  listUpdate: () =>
    list.update([
      { type: "human", id: `ä${ids++}`, content: "" },
      { type: "remove", id: "nobody" },
    ] as never),
  listAdd: () => list.update(["hi", { type: "ai", id: "a", content: [{ type: "text", text: "" }] }] as never),
  listAppend: () => list.append("a", "x"),
  listSnapshot: () => list.snapshot(),
  newList: () => new MessageList([{ type: "ai", id: "ä", content: "" }]).dispose(),
  newThread: () => new Thread({ values: { ä: 1, messages: ["hi"] } as never }).dispose(),
  getState: () => thread.getState(),
  update: () => thread.update({ messages: [{ type: "ai", id: `u${ids++}`, content: "" }], ä: ids } as never),
  optimistic: () => thread.optimistic({ messages: ["hi"], ä: ids++ } as never),
  runStarted: () => thread.receive({ type: "run-started", runId: "r" }),
  message: () => thread.receive({ type: "message", message: { type: "ai", id: "s", content: "" }, streaming: true }),
  text: () => thread.receive({ type: "text", messageId: "s", text: "ä" }),
  values: () =>
    thread.receive({
      type: "values",
      values: { messages: [{ type: "ai", id: "ä", content: { n: ids++ } }], ä: { n: ids } },
    }),
  delta: () => thread.receive({ type: "delta", operations: [{ op: "add", path: "/ä", value: 1 }] }),
  pending: () => thread.pending,
  toJSON: () => thread.toJSON(),
  fromJSON: () =>
    Thread.fromJSON(JSON.parse('{"version":1,"threadId":null,"values":{},"pending":[]}') as object).dispose(),
});

/** The thread, the list, the schema and a newcomer work as ever. */
function expectAllWell(thread: Thread, list: MessageList, after?: string): void {
  const id = `w${ids++}`;
  for (const one of [thread, new Thread()]) {
    one.update({ messages: [{ type: "ai", id, content: "" }] } as never);
    one.receive({ type: "text", messageId: id, text: "ä" });
    expect(one.getConfirmedMessage(id) ?? {}, after).toHaveProperty("content", "ä");
    expect(
      one.getState().messages.some((message) => message.id === id),
      after,
    ).toBe(true);
    if (one !== thread) one.dispose();
  }
  list.update({ type: "ai", id, content: "" });
  list.append(id, "x");
  expect(list.snapshot().at(-1), after).toEqual({ type: "ai", id, content: "x" });
  expect(schema.merge({ log: [1] } as never, { log: [2] })).toEqual({ log: [1, 2] });
}

test("after any import throws, at any call, the core works as before", () => {
  for (const [object, name] of BUILTINS) {
    const thread = new Thread();
    const list = new MessageList();
    for (const warm of Object.values(calls(thread, list))) without({}, "nothing", () => void warm());
    const stack = stackPointer();
    for (const [called, call] of Object.entries(calls(thread, list))) {
      without(object, name, () => void call());
      expect(stackPointer(), `${called} without ${String(name)}`).toBe(stack);
      expectAllWell(thread, list, `${called} without ${String(name)}`);
    }
    thread.dispose();
    list.dispose();
  }
});

test("an update that an import's error stops is not there", () => {
  for (const [object, name] of BUILTINS) {
    using list = new MessageList([{ type: "ai", id: "a", content: "" }]);
    const before = list.snapshot();
    let threw = false;
    without(object, name, () => {
      try {
        list.update(["hi", { type: "ai", id: "a", content: "new" }, { type: "human", id: "ä", content: "" }] as never);
      } catch (error) {
        threw = true;
        throw error;
      }
    });
    if (threw) expect(list.snapshot(), String(name)).toEqual(before);
    else expect(list.snapshot(), String(name)).toHaveLength(3);
  }
});

test("thousands of throws later everything works as before", () => {
  const thread = new Thread();
  const list = new MessageList();
  const stack = stackPointer();
  const all = Object.values(calls(thread, list)).filter((_, at) => at < 16);
  let thrown = 0;
  for (let round = 0; ; round++) {
    if (thrown >= THROWS) break;
    const [object, name] = BUILTINS[round % BUILTINS.length] as [object, string];
    for (const call of all) {
      without(object, name, () => {
        try {
          call();
        } catch (error) {
          thrown++;
          throw error;
        }
      });
    }
  }
  expect(stackPointer()).toBe(stack);
  expectAllWell(thread, list);
  thread.dispose();
  list.dispose();
});

test("without crypto an id cannot be made, which an error says thousands of times", () => {
  using thread = new Thread();
  using list = new MessageList();
  let refused = 0;
  for (let at = 0; at < THROWS; at++) {
    without(globalThis, "crypto", () => {
      if (codeOf(() => (at % 2 === 0 ? addMessages([], "hi") : list.update("hi"))) === "UNSUPPORTED") refused++;
    });
  }
  expect(refused).toBe(THROWS);
  without(globalThis, "crypto", () =>
    expect(codeOf(() => thread.optimistic({ messages: "hi" } as never))).toBe("UNSUPPORTED"),
  );
  expect(list.length).toBe(0);
  expect(thread.pending).toHaveLength(0);
  expectAllWell(thread, list);
});
