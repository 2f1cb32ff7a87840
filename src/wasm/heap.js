// The JavaScript heap, as the core asks for it: each function answers one question about values
// or builds one value, and none ever throws. What user code throws on the way (a getter, a
// proxy's trap) is kept in `failure`, and the entry point that was called throws it at its end.
// Until then no more user code runs: it could call an entry point, which would throw it first.

/** @type {{ cause: unknown } | undefined} */
let failure;

/** @param {unknown} cause */
export function note(cause) {
  failure ??= { cause };
}

/** Whether user code threw since the last call. */
export function failed() {
  return failure !== undefined;
}

/** What was thrown since the last call, in a list; an empty list for nothing. */
export function takeFailure() {
  const taken = failure;
  failure = undefined;
  // User code that was called within an edit may have called us: what it was given must not change.
  fresh = undefined;
  return taken && [taken.cause];
}

/** What was thrown, in words: anything can be thrown, and asking it may throw again. */
export function reason(cause) {
  try {
    return String(cause?.message ?? cause);
  } catch {
    return "it threw what cannot be told";
  }
}

/** Makes the error that a caller sees; the npm package puts its own class in. */
let makeError = (code, message, cause) => {
  const error = new Error(message, cause && { cause: cause[0] });
  return Object.assign(error, { name: "ThreadfoldError", code });
};

export function useErrors(make) {
  makeError = make;
}

export function fail(code, message, cause) {
  return makeError(code, message, cause);
}

const NULL = 0, STRING = 1, ARRAY = 2, OBJECT = 3, OTHER = 4;

export function kind(value) {
  if (value === null || value === undefined) return NULL;
  if (typeof value === "string") return STRING;
  if (typeof value !== "object") return OTHER;
  if (failure) return NULL;
  try {
    return Array.isArray(value) ? ARRAY : OBJECT;
  } catch (error) {
    note(error);
    return NULL;
  }
}

export function length(value) {
  if (failure) return 0;
  try {
    return Array.isArray(value) ? value.length : 0;
  } catch (error) {
    note(error);
    return 0;
  }
}

export function item(list, index) {
  if (failure) return;
  try {
    if (Array.isArray(list)) return list[index];
  } catch (error) {
    note(error);
  }
}

/** An own value: a prototype's is not data. */
export function get(object, key) {
  if (failure) return;
  try {
    if (typeof object === "object" && object !== null && Object.hasOwn(object, key)) return object[key];
  } catch (error) {
    note(error);
  }
}

export function keys(object) {
  if (failure) return [];
  try {
    const keys = typeof object === "object" && object !== null ? Object.keys(object) : [];
    // Half a surrogate pair becomes another character on the way to the core, and the key another key.
    if (keys.some((key) => /\p{Surrogate}/u.test(key))) throw new TypeError("a key is no well-formed text");
    return keys;
  } catch (error) {
    note(error);
    return [];
  }
}

export function same(left, right) {
  return Object.is(left, right);
}

/** Deep equality of data. Values that refer to themselves are never equal, unless the same. */
export function equals(left, right) {
  if (failure) return false;
  try {
    return alike(left, right);
  } catch (error) {
    if (!(error instanceof RangeError)) note(error);
    return false;
  }
}

function alike(left, right) {
  if (Object.is(left, right)) return true;
  if (typeof left === "number" && typeof right === "number") return left === right;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => alike(item, right[at]));
  }
  const prototype = Object.getPrototypeOf(left);
  const other = Object.getPrototypeOf(right);
  if (prototype !== other && !(isPlainPrototype(prototype) && isPlainPrototype(other))) return false;
  if (left instanceof Date) return left.getTime() === right.getTime();
  if (left instanceof Map || left instanceof Set || ArrayBuffer.isView(left)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && alike(left[name], right[name]))
  );
}

/** That of an object which is only data: none, or `Object.prototype`, be it another realm's. */
function isPlainPrototype(prototype) {
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: `undefined`, which JSON cannot say.
  }
}

// -- Building: a node is copied before it changes, unless it was made in this edit. --

/** @type {Set<object> | undefined} */
let fresh;

/** From here on nodes that were made in this edit change in place. */
export function beginEdit() {
  fresh = new Set();
}

export function endEdit() {
  fresh = undefined;
}

/** What was made so far is in two places now: it is copied again before it changes. */
export function share() {
  fresh?.clear();
}

function writable(node) {
  if (fresh?.has(node)) return node;
  const copy = copyOf(node);
  fresh?.add(copy);
  return copy;
}

function copyOf(node) {
  if (Array.isArray(node)) return node.slice();
  const prototype = Object.getPrototypeOf(node);
  if (prototype === Object.prototype) return { ...node };
  if (hasSlots(node)) throw new TypeError(`a ${prototype?.constructor?.name} cannot be copied with a change`);
  // An instance stays one of its class, accessors included, and a frozen one gives a free copy.
  const own = Object.getOwnPropertyDescriptors(node);
  for (const name of Reflect.ownKeys(own)) {
    own[name].configurable = true;
    if ("value" in own[name]) own[name].writable = true;
  }
  return Object.create(prototype, own);
}

/** Whether an object keeps what it is where no copy of it can: a copied Map is no Map. */
function hasSlots(node) {
  return (
    node instanceof Map ||
    node instanceof Set ||
    node instanceof Date ||
    node instanceof Promise ||
    node instanceof WeakMap ||
    ArrayBuffer.isView(node)
  );
}

function put(node, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    node[key] = value;
  }
}

export function withKey(object, key, value) {
  if (failure) return object;
  try {
    return set(writable(object), key, value);
  } catch (error) {
    note(error);
    return object;
  }
}

/** Sets a value of a node that is the core's own. */
function set(node, key, value) {
  put(node, key, value);
  // @langchain/core's instances keep what they were made from; it has to agree.
  if (Object.hasOwn(node, "lc_kwargs") && typeof node.lc_kwargs === "object") {
    node.lc_kwargs = { ...node.lc_kwargs, [key]: value };
  }
  return node;
}

export function withoutKey(object, key) {
  if (failure) return object;
  try {
    const copy = writable(object);
    delete copy[key];
    return copy;
  } catch (error) {
    note(error);
    return object;
  }
}

export function splice(list, index, count, inserted) {
  if (failure) return list;
  try {
    const copy = writable(list);
    copy.splice(index, count, ...inserted);
    return copy;
  } catch (error) {
    note(error);
    return list;
  }
}

/** `left` with the values of `right` laid over it; `left` itself, when that changes nothing. */
export function overlay(left, right, nullDeletes) {
  if (failure) return left;
  try {
    let laid = left;
    const change = () => (laid === left ? (laid = copyOf(left)) : laid);
    for (const key of Object.keys(right)) {
      const value = right[key];
      if (value === undefined) continue;
      if (value === null && nullDeletes) {
        if (Object.hasOwn(laid, key)) delete change()[key];
      } else if (!Object.hasOwn(laid, key) || !Object.is(laid[key], value)) {
        put(change(), key, value);
      }
    }
    return laid;
  } catch (error) {
    note(error);
    return left;
  }
}

// -- Lists of messages: one pass each. --

/** The kind an instance of a message class says it is. */
export function instanceKind(message) {
  if (failure) return;
  try {
    // The class's method, not data that happens to have its name.
    const method = message._getType ?? message.getType;
    if (typeof method !== "function" || Object.hasOwn(message, "_getType")) return;
    const kind = method.call(message);
    return typeof kind === "string" ? kind : undefined;
  } catch (error) {
    note(error);
  }
}

/** The positions of the items that the core has to read one by one: all but whole messages. */
export function oddMessages(list) {
  const odd = [];
  if (failure) return odd;
  try {
    for (let at = 0; at < list.length; at++) {
      if (!isPlain(list[at])) odd.push(at);
    }
  } catch (error) {
    note(error);
  }
  return odd;
}

function isPlain(message) {
  if (typeof message !== "object" || message === null || typeof message.id !== "string") return false;
  switch (message.type) {
    case "human":
    case "system":
    case "function":
      return message.role === undefined;
    case "ai":
      return message.role === undefined && !hasOpenAiCalls(message);
    case "tool":
      return message.role === undefined && typeof message.tool_call_id === "string";
    case undefined:
      return isAgUiRole(message.role);
    default:
      return false;
  }
}

function hasOpenAiCalls(message) {
  const calls = message.tool_calls;
  return calls !== undefined && calls !== null && calls.length > 0 && Array.prototype.some.call(calls, (call) => call?.function !== undefined);
}

function isAgUiRole(role) {
  switch (role) {
    case "user":
    case "assistant":
    case "system":
    case "developer":
    case "tool":
    case "activity":
    case "reasoning":
      return true;
    default:
      return false;
  }
}

const NONE = 0xffffffff;

/** Numbers for the texts under `key`: first one for each item of `right`, then a position and a
 * number for each item of `left` whose text occurs in `right`. */
export function join(left, right, key) {
  if (failure) return [];
  try {
    const numbers = new Map();
    const rightNumbers = numbered(right, key, numbers);
    const hits = numbers.size === 1 ? alone(left, key, ...numbers.entries().next().value) : known(left, key, numbers);
    const joined = new Uint32Array(rightNumbers.length + hits.length);
    joined.set(rightNumbers);
    joined.set(hits, rightNumbers.length);
    return joined;
  } catch (error) {
    note(error);
    return [];
  }
}

// Engines read a property whose name stands in the code faster than one whose name they are told.
const readId = (item) => item?.id;
const reader = (key) => (key === "id" ? readId : (item) => item?.[key]);

/** A number for each item's text: its position, as long as no text is there twice. */
function numbered(list, key, numbers) {
  const read = reader(key);
  const found = new Uint32Array(list.length);
  let texts = 0;
  for (let at = 0; at < found.length; at++) {
    const text = read(list[at]);
    found[at] = at;
    if (typeof text !== "string") found[at] = NONE;
    else if (numbers.set(text, at).size > texts) texts++;
    else {
      numbers.clear();
      return counted(list, key, numbers);
    }
  }
  return found;
}

/** A number for each item's text: the one it has, or the next. To look first costs twice as much. */
function counted(list, key, numbers) {
  const read = reader(key);
  return Uint32Array.from(list, (item) => {
    const text = read(item);
    if (typeof text !== "string") return NONE;
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  });
}

function known(list, key, numbers) {
  const read = reader(key);
  const hits = [];
  for (let at = 0; numbers.size > 0 && at < list.length; at++) {
    const number = numbers.get(read(list[at]));
    if (number !== undefined) hits.push(at, number);
  }
  return hits;
}

/** One text is compared faster than looked up. */
function alone(list, key, text, number) {
  const read = reader(key);
  const hits = [];
  for (let at = 0; at < list.length; at++) {
    if (read(list[at]) === text) hits.push(at, number);
  }
  return hits;
}

/** The list that a plan makes of two; in place, when `left` is the core's own. */
export function assemble(left, right, owned, cleared, replaced, removed, appended) {
  if (failure) return left;
  try {
    const added = pick(right, appended);
    if (cleared) return added;
    const list = owned ? left : removed.length > 0 ? left.slice() : left.concat(added);
    for (let at = 0; at < replaced.length; at += 2) list[replaced[at]] = right[replaced[at + 1]];
    if (removed.length > 0) {
      let kept = removed[0];
      for (let at = kept, next = 0; at < list.length; at++) {
        if (at === removed[next]) next++;
        else list[kept++] = list[at];
      }
      list.length = kept;
    }
    if (owned || removed.length > 0) for (const item of added) list.push(item);
    return list;
  } catch (error) {
    note(error);
    return left;
  }
}

function pick(list, positions) {
  const picked = [];
  for (let at = 0; at < positions.length; at++) picked.push(list[positions[at]]);
  return picked;
}

/** The items of a list in a list of our own, so that reading them again asks nobody. */
export function ownList(list) {
  if (failure) return [];
  try {
    return Array.isArray(list) ? list.slice() : list;
  } catch (error) {
    note(error);
    return [];
  }
}

/** `list` with text added to one message's content; undefined, when that cannot be. */
export function appendText(list, position, text, listOwned, messageOwned) {
  try {
    if (typeof text !== "string") return;
    const message = list[position];
    const content = grown(message.content, text);
    if (content === undefined) return;
    const target = listOwned ? list : list.slice();
    if (messageOwned) {
      message.content = content;
      if (message.lc_kwargs !== undefined) set(message, "content", content);
    } else {
      const changed = withKey(message, "content", content);
      if (failure) return;
      target[position] = changed;
    }
    return target;
  } catch (error) {
    note(error);
  }
}

function grown(content, text) {
  if (typeof content === "string") return content + text;
  if (content === undefined || content === null) return text;
  if (!Array.isArray(content)) return;
  const last = content.at(-1);
  if (last?.type === "text" && typeof last.text === "string") {
    return content.with(-1, { ...last, text: last.text + text });
  }
  return [...content, { type: "text", text }];
}

/** Small numbers for ids, as long as a list lives. */
export class Symbols {
  #numbers = new Map();

  /** The number of every item's text under `key`, given where it had none. */
  numbers(list, key) {
    try {
      return failure ? [] : counted(list, key, this.#numbers);
    } catch (error) {
      note(error);
      return [];
    }
  }

  find(text) {
    return this.#numbers.get(text) ?? NONE;
  }

  get size() {
    return this.#numbers.size;
  }
}

const functionNumbers = new WeakMap();
let functions = 0;

/** The same number for the same function. */
export function functionNumber(fn) {
  let number = functionNumbers.get(fn);
  if (number === undefined) functionNumbers.set(fn, (number = functions++));
  return number;
}
