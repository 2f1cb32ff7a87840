// The JavaScript heap, as the core queries it. Each function answers one question about values or builds one value.
// None throws, because the core must return normally.

import { ended, failure, heldAs, hold, holdAny, note, slots } from "./slots.js";

const NULL = 0;
const STRING = 1;
export const ARRAY = 2;
export const OBJECT = 3;
const OTHER = 4;
const HALF_A_PAIR = /\p{Surrogate}/u;

export function kind(handle) {
  const value = slots[handle];
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

/** A string's text. */
export function text(handle) {
  const value = slots[handle];
  return typeof value === "string" ? value : undefined;
}

export function isTrue(handle) {
  return !!slots[handle];
}

export function length(handle) {
  if (failure) return 0;
  try {
    const value = slots[handle];
    return Array.isArray(value) ? value.length : 0;
  } catch (error) {
    note(error);
    return 0;
  }
}

export function item(handle, index) {
  if (failure) return 0;
  try {
    const list = slots[handle];
    return Array.isArray(list) && index < list.length ? holdAny(list[index]) : 0;
  } catch (error) {
    note(error);
    return 0;
  }
}

/** Returns an own value: a prototype's is not data. */
function own(object, key) {
  if (failure) return;
  try {
    if (typeof object === "object" && object !== null && Object.hasOwn(object, key)) return object[key];
  } catch (error) {
    note(error);
  }
}

export function get(handle, key) {
  return hold(own(slots[handle], key));
}

/** Returns an own value for writing, where `undefined` counts, too. */
export function written(handle, key) {
  if (failure) return 0;
  try {
    const object = slots[handle];
    return typeof object === "object" && object !== null && Object.hasOwn(object, key) ? holdAny(object[key]) : 0;
  } catch (error) {
    note(error);
    return 0;
  }
}

/** Returns an own value's text. A path with half a surrogate pair has none: on its way it would become another path. */
export function textOf(handle, key) {
  const value = own(slots[handle], key);
  const isPath = key === "path" || key === "from";
  return typeof value === "string" && !(isPath && HALF_A_PAIR.test(value)) ? value : undefined;
}

/** Returns an object's keys, in a list. */
export function keys(handle) {
  if (failure) return hold([]);
  try {
    const object = slots[handle];
    const names = typeof object === "object" && object !== null ? Object.keys(object) : [];
    // Half a surrogate pair would become another character on the way to the core, and the key another key.
    if (names.some((name) => HALF_A_PAIR.test(name))) throw new TypeError("a key is no well-formed text");
    return hold(names);
  } catch (error) {
    note(error);
    return hold([]);
  }
}

export function same(left, right) {
  try {
    return Object.is(slots[left], slots[right]);
  } catch (error) {
    note(error);
    return false;
  }
}

/** Deep equality of data. Circular values are never equal, unless identical. */
export function equals(left, right) {
  if (failure) return false;
  try {
    return alike(slots[left], slots[right]);
  } catch (error) {
    if (!isTooDeep(error)) note(error);
    return false;
  }
}

/** Whether it is the engine's stack overflow error. Anything can be thrown, and reading it may throw again. */
export function isTooDeep(error) {
  try {
    return error instanceof RangeError;
  } catch {
    return false;
  }
}

/** How many pairs are compared before remembering the equal ones pays off: a value may occur often. */
const MANY = 1000;
let compared = 0;
let equal;

export function alike(left, right) {
  compared = 0;
  equal = undefined;
  return isAlike(left, right);
}

function isAlike(left, right) {
  if (Object.is(left, right)) return true;
  if (typeof left === "number" && typeof right === "number") return left === right;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (++compared > MANY) {
    equal ??= new Map();
    if (equal.get(left)?.has(right)) return true;
  }
  const are = haveAlike(left, right);
  if (are && equal) beside(equal, left).set(right, true);
  return are;
}

/** Returns what is remembered of a value. It may meet several others, each as often as it occurs. */
export function beside(pairs, value) {
  let others = pairs.get(value);
  if (!others) pairs.set(value, (others = new Map()));
  return others;
}

function haveAlike(left, right) {
  if (Array.isArray(left)) {
    // Visits holes, which `every` skips.
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.findIndex((item, at) => !isAlike(item, right[at])) < 0
    );
  }
  const prototype = Object.getPrototypeOf(left);
  const other = Object.getPrototypeOf(right);
  if (prototype !== other && !(isPlainPrototype(prototype) && isPlainPrototype(other))) return false;
  if (left instanceof Date) return left.getTime() === right.getTime();
  // An instance's data may be outside its keys. @langchain/core's instances are known to keep it in their keys.
  if (!isPlainPrototype(prototype) && !Object.hasOwn(left, "lc_kwargs")) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isAlike(left[name], right[name]))
  );
}

/** Whether the prototype is that of a plain object: none, or `Object.prototype`, also another realm's. */
export function isPlainPrototype(prototype) {
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A random id: a version 4 UUID. */
export function uuid() {
  // Only available on pages served over https.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function newId() {
  try {
    return hold(uuid());
  } catch (error) {
    if (isTooDeep(error)) note(error);
    else note(error, "UNSUPPORTED", "No `crypto` to make ids: give messages ids, or provide it.");
    return hold("");
  }
}

export function parseJson(text) {
  try {
    return hold(JSON.parse(text));
  } catch {
    // Not JSON.
    return 0;
  }
}

export function string(text) {
  return hold(text);
}

export function array() {
  return hold([]);
}

/** Adds to a list that the core is building. */
export function push(handle, item) {
  const list = slots[handle];
  list[list.length] = slots[item];
}

export function object() {
  return hold({});
}

/** Freezes the value against changes from now on. */
export function freeze(handle) {
  try {
    Object.freeze(slots[handle]);
  } catch (error) {
    note(error);
  }
}

// -- Building: a node is copied before it changes, unless this edit made it. --

/** @type {{ nodes: Set<object>, before: number, outer: object | undefined } | undefined} */
let edit;

/** From here on nodes made in this edit change in place. */
export function beginEdit() {
  try {
    edit = { nodes: new Set(), before: ended, outer: edit };
  } catch (error) {
    note(error);
  }
}

export function endEdit() {
  edit = edit?.outer;
}

/** The value is in two places now: nodes made in it are copied again before they change. */
export function share(handle) {
  try {
    // A node not made in this edit contains none that were.
    const nodes = [slots[handle]];
    for (const node of nodes) if (edit?.nodes.delete(node)) for (const inner of Object.values(node)) nodes.push(inner);
  } catch (error) {
    note(error);
  }
}

function writable(node) {
  if (!edit) return copyOf(node);
  // User code called within an edit may have called us: its argument must not change.
  if (edit.before !== ended) {
    edit.nodes.clear();
    edit.before = ended;
  }
  if (edit.nodes.has(node)) return node;
  const copy = copyOf(node);
  edit.nodes.add(copy);
  return copy;
}

export function copyOf(node) {
  if (Array.isArray(node)) return node.slice();
  const prototype = Object.getPrototypeOf(node);
  if (prototype === Object.prototype) return { ...node };
  if (hasSlots(node)) throw new TypeError(`a ${prototype?.constructor?.name} cannot be copied with a change`);
  // A copied instance keeps its class, including accessors, and the copy of a frozen one is not frozen.
  const own = Object.getOwnPropertyDescriptors(node);
  for (const name of Reflect.ownKeys(own)) {
    own[name].configurable = true;
    if ("value" in own[name]) own[name].writable = true;
  }
  return Object.create(prototype, own);
}

/** Whether an object keeps its data in internal slots, which no copy can have: a copied Map does not work as a Map. */
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

export function put(node, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    node[key] = value;
  }
}

export function withKey(handle, key, value) {
  if (failure) return handle;
  try {
    return heldAs(handle, set(writable(slots[handle]), key, slots[value]));
  } catch (error) {
    note(error);
    return handle;
  }
}

/** Sets a value of a node that the core made. */
export function set(node, key, value) {
  put(node, key, value);
  // @langchain/core's instances keep their constructor's arguments, which have to agree.
  if (Object.hasOwn(node, "lc_kwargs") && typeof node.lc_kwargs === "object") {
    node.lc_kwargs = { ...node.lc_kwargs, [key]: value };
  }
  return node;
}

export function withoutKey(handle, key) {
  if (failure) return handle;
  try {
    const copy = writable(slots[handle]);
    delete copy[key];
    return heldAs(handle, copy);
  } catch (error) {
    note(error);
    return handle;
  }
}

/** 0 for `inserted` means none. */
export function splice(handle, index, count, inserted) {
  if (failure) return handle;
  try {
    const copy = writable(slots[handle]);
    if (inserted === 0) copy.splice(index, count);
    else copy.splice(index, count, slots[inserted]);
    return heldAs(handle, copy);
  } catch (error) {
    note(error);
    return handle;
  }
}

/** Makes everything that is rebuilt for each read, in one crossing. */
export function stateOf(messages, fields) {
  if (failure) return fields;
  try {
    return hold({ messages: slots[messages], ...slots[fields] });
  } catch (error) {
    note(error);
    return fields;
  }
}

/** Merges the values of `right` into `left`; returns `left` itself when nothing changes. */
export function overlay(handle, over, nullDeletes) {
  if (failure) return handle;
  try {
    const left = slots[handle];
    let laid = left;
    const change = () => (laid === left ? (laid = writable(left)) : laid);
    // All is read before anything changes.
    for (const [key, value] of Object.entries(slots[over])) {
      if (value === undefined) continue;
      if (value === null && nullDeletes) {
        if (Object.hasOwn(laid, key)) delete change()[key];
      } else if (!Object.hasOwn(laid, key) || !Object.is(laid[key], value)) {
        put(change(), key, value);
      }
    }
    return heldAs(handle, laid);
  } catch (error) {
    note(error);
    return handle;
  }
}
