// Makes equal parts the same object: rebuilds a server's values from the existing ones.

import { alike, beside, isPlainPrototype, isTooDeep } from "./heap.js";
import { failure, heldAs, hold, note, slots } from "./slots.js";

/** Returns the value with every part equal to one in `known` replaced by that one. */
export function reuse(handle, known) {
  if (failure) return handle;
  try {
    const shared = share(slots[handle], slots[known]);
    return shared === slots[known] ? known : heldAs(handle, shared);
  } catch (error) {
    // Too deep or circular: share nothing.
    if (!isTooDeep(error)) note(error);
    return handle;
  }
}

const NONE = 0xffffffff;

/** Returns the list that pairs of positions name: in `from`, in `other`, or in both, to reuse the other's item. */
export function compose(from, other, picks) {
  if (failure) return from;
  try {
    const left = slots[from];
    const right = slots[other];
    const list = [];
    let same = picks.length === 2 * left.length;
    for (let at = 0; at < picks.length; at += 2) {
      const own = left[picks[at]];
      const item =
        picks[at + 1] === NONE ? own : picks[at] === NONE ? right[picks[at + 1]] : share(right[picks[at + 1]], own);
      if (!Object.is(item, left[list.length])) same = false;
      list.push(item);
    }
    return same ? from : hold(list);
  } catch (error) {
    note(error);
    return from;
  }
}

/** Results by value, once there are many: one may occur often. */
const MANY = 1000;
let seen = 0;
let shared;

/** Returns the value with every part equal to one in `known`, at the same place, replaced by that one. */
export function share(value, known) {
  seen = 0;
  shared = undefined;
  return shareOne(value, known);
}

function shareOne(value, known) {
  if (Object.is(value, known)) return known;
  if (typeof value !== "object" || typeof known !== "object" || value === null || known === null) return value;
  if (++seen > MANY) {
    shared ??= new Map();
    const before = shared.get(value);
    if (before?.has(known)) return before.get(known);
  }
  const made = shareNode(value, known);
  if (shared) beside(shared, value).set(known, made);
  return made;
}

function shareNode(value, known) {
  if (Array.isArray(value))
    return Array.isArray(known) ? shareItems(value, known, value.keys(), value.length === known.length) : value;
  if (Array.isArray(known) || !isPlain(value) || !isPlain(known)) return alike(value, known) ? known : value;
  const keys = Object.keys(value);
  return shareItems(value, known, keys, keys.length === Object.keys(known).length);
}

function shareItems(value, known, keys, complete) {
  let same = complete;
  let copy;
  for (const key of keys) {
    const there = Object.hasOwn(known, key);
    const item = there ? shareOne(value[key], known[key]) : value[key];
    if (!there || !Object.is(item, known[key])) same = false;
    // Writing it would change the copy's prototype.
    if (!Object.is(item, value[key]) && key !== "__proto__") {
      copy ??= Array.isArray(value) ? value.slice() : { ...value };
      copy[key] = item;
    }
  }
  return same ? known : (copy ?? value);
}

const isPlain = (object) => isPlainPrototype(Object.getPrototypeOf(object));
