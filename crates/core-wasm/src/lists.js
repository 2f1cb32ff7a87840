// Lists of messages and of tools in the JavaScript heap: one pass each.

import { ARRAY, copyOf, kind, OBJECT, put, set, uuid } from "./heap.js";
import { failure, heldAsList, hold, note, root, roots, slots } from "./slots.js";

/** Returns the kind that an instance of a message class declares. */
export function instanceKind(handle) {
  if (failure) return;
  try {
    const message = slots[handle];
    // The class's method, not data of the same name.
    const method = message._getType ?? message.getType;
    if (typeof method !== "function" || Object.hasOwn(message, "_getType")) return;
    const kind = method.call(message);
    return typeof kind === "string" ? kind : undefined;
  } catch (error) {
    note(error);
  }
}

/** Returns the positions of the items that the core has to read one by one: all but whole messages. */
export function oddMessages(handle) {
  const odd = [];
  if (failure) return odd;
  try {
    const list = slots[handle];
    for (let at = 0; at < list.length; at++) {
      if (!isPlain(list[at])) odd.push(at);
    }
  } catch (error) {
    note(error);
  }
  return odd;
}

const isPlain = (message) => wholeId(message) !== undefined;

/**
 * Returns the id of a message that is whole by its form alone. Each kind has its own function for reading properties:
 * engines read from a kind's few shapes several times as fast as from all shapes.
 */
function wholeId(message) {
  if (typeof message !== "object" || message === null) return;
  switch (message.type) {
    case "human":
    case "system":
    case "function":
      return textId(message);
    case "ai":
      return aiId(message);
    case "tool":
      return toolId(message);
    case undefined:
      return agUiId(message);
  }
}

function textId(message) {
  const { id } = message;
  if (typeof id === "string" && message.role === undefined) return id;
}

function aiId(message) {
  const { id } = message;
  if (typeof id === "string" && message.role === undefined && !hasOpenAiCalls(message)) return id;
}

function toolId(message) {
  const { id } = message;
  if (typeof id === "string" && message.role === undefined && typeof message.tool_call_id === "string") return id;
}

function agUiId(message) {
  const { id } = message;
  if (typeof id === "string" && isAgUiRole(message.role)) return id;
}

function hasOpenAiCalls(message) {
  const calls = message.tool_calls;
  // An object that only has a length is not a list.
  return (
    Array.isArray(calls) &&
    // Most lists are empty, and asking those costs twice as much as all else.
    calls.length > 0 &&
    Array.prototype.some.call(calls, (call) => call?.function !== undefined)
  );
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

/**
 * Returns the list with messages made whole that lack only an id, or have a role and no type. Each is a dozen crossings
 * otherwise. The core reads all others.
 */
export function completed(handle) {
  if (failure) return handle;
  try {
    const list = slots[handle];
    let made;
    for (let at = 0; at < list.length; at++) {
      const whole = completedOne(list[at]);
      if (whole) (made ??= list.slice())[at] = whole;
    }
    return made ? heldAsList(handle, made) : handle;
  } catch {
    // The core says what cannot be read.
    return handle;
  }
}

function completedOne(message) {
  if (typeof message !== "object" || message === null) return;
  const { id, type, role } = message;
  if (id !== undefined && id !== null) return;
  const kind = role === undefined ? type : type === undefined ? kindOfRole(role) : undefined;
  if (!isKnown(kind, message) || !isDict(message)) return;
  // A copy by `...` has no room for an id, and takes twice as long.
  const made = role === undefined ? {} : { type: kind };
  for (const key of Object.keys(message)) {
    const value = message[key];
    // As the core does: a message that has changed its form has no values that are undefined.
    if (key !== "role" && (role === undefined || value !== undefined)) put(made, key, value);
  }
  made.id = uuid();
  return made;
}

function kindOfRole(role) {
  if (role === "user") return "human";
  return role === "assistant" ? "ai" : role;
}

function isKnown(kind, message) {
  switch (kind) {
    case "human":
    case "system":
    case "function":
      return true;
    case "ai":
      return !hasOpenAiCalls(message);
    case "tool":
      return typeof message.tool_call_id === "string";
    default:
      return false;
  }
}

/** Whether it is neither an instance nor one in JSON. */
const isDict = (message) =>
  Object.getPrototypeOf(message) === Object.prototype &&
  message.lc === undefined &&
  message.getType === undefined &&
  message._getType === undefined;

const NONE = 0xffffffff;

const NO_NUMBER = -1;

/**
 * Returns numbers for the texts under `key`: one for each item of `right`. Then follow a position and a number for each
 * item of `left` whose text occurs in `right`.
 */
export function join(left, right, key) {
  if (failure) return [];
  try {
    const numbers = new Map();
    const rightNumbers = numbered(slots[right], key, numbers);
    const list = slots[left];
    const hits = numbers.size === 1 ? alone(list, key, ...numbers.entries().next().value) : known(list, key, numbers);
    if (hits.length === 0) return rightNumbers;
    const joined = new Uint32Array(rightNumbers.length + hits.length);
    joined.set(rightNumbers);
    joined.set(hits, rightNumbers.length);
    return joined;
  } catch (error) {
    note(error);
    return [];
  }
}

// Engines read a property faster by a literal name than by a variable one.
const readId = (item) => item?.id;
const reader = (key) => (key === "id" ? readId : (item) => item?.[key]);

/** Returns a number for each item's text: its position, as long as no text repeats. */
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

/** Returns a number for each item's text: its own, or the next. Looking first would cost twice as much. */
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

/** Comparing one text is faster than looking it up. */
function alone(list, key, text, number) {
  const read = reader(key);
  const hits = [];
  for (let at = 0; at < list.length; at++) {
    if (read(list[at]) === text) hits.push(at, number);
  }
  return hits;
}

/** Merges two lists by a plan; in place, when the core made `left`. */
export function assemble(handle, from, owned, cleared, replaced, removed, appended) {
  if (failure) return handle;
  try {
    return heldAsList(handle, assembled(slots[handle], slots[from], owned, cleared, replaced, removed, appended));
  } catch (error) {
    note(error);
    return handle;
  }
}

function assembled(left, right, owned, cleared, replaced, removed, appended) {
  const added = pick(right, appended);
  if (cleared) return added === right ? right.slice() : added;
  const list = owned ? left : removed.length > 0 || added.length === 0 ? left.slice() : left.concat(added);
  for (let at = 0; at < replaced.length; at += 2) list[replaced[at]] = right[replaced[at + 1]];
  if (removed.length > 0) {
    let kept = removed[0];
    for (let at = kept, next = 0; at < list.length; at++) {
      if (at === removed[next]) next++;
      else list[kept++] = list[at];
    }
    list.length = kept;
  }
  // Nothing here may stop halfway: a list changed in place cannot be restored.
  if (owned || removed.length > 0) for (let at = 0; at < added.length; at++) list[list.length] = added[at];
  return list;
}

/**
 * Adds messages to messages as the core's `add` does. If all are whole and the right ones have ids of their own, there
 * is nothing to decide. Each one then replaces the last one of its id, or is appended, in one pass and without a
 * crossing.
 */
export function addWhole(left, right, add) {
  const is = kind(right);
  if (kind(left) !== ARRAY || (is !== ARRAY && is !== OBJECT)) return add(right);
  const from = is === ARRAY ? slots[right] : [slots[right]];
  let numbers;
  try {
    numbers = wholeIds(from);
  } catch (error) {
    // The core reads the left side first, so its errors come first.
    const answer = add(hold([]));
    if (slots[answer] !== undefined) note(error);
    return answer;
  }
  try {
    const list = numbers && withEach(slots[left], from, numbers);
    if (list) return heldAsList(left, list);
  } catch (error) {
    note(error);
    return left;
  }
  return add(right);
}

/** Returns the positions of messages by id, if all are whole and no id repeats. */
function wholeIds(list) {
  const numbers = new Map();
  for (let at = 0; at < list.length; at++) {
    const id = wholeId(list[at]);
    // A repeated id leaves the size as it was.
    if (id === undefined || numbers.set(id, at).size === at) return;
  }
  return numbers;
}

/** Returns `left` with the messages of these ids, unless one of its own is not whole. */
function withEach(left, right, numbers) {
  const places = Array.from(numbers, () => NO_NUMBER);
  // Comparing one text is faster than looking it up.
  const only = numbers.size === 1 ? numbers.keys().next().value : undefined;
  for (let at = 0; at < left.length; at++) {
    const id = wholeId(left[at]);
    if (id === undefined) return;
    const number = only === undefined ? numbers.get(id) : id === only ? 0 : undefined;
    if (number !== undefined) places[number] = at;
  }
  const replaced = [];
  const appended = [];
  for (let number = 0; number < places.length; number++) {
    if (places[number] === NO_NUMBER) appended.push(number);
    else replaced.push(places[number], number);
  }
  return places.length === 0 ? left : assembled(left, right, false, false, replaced, [], appended);
}

/** Whether two lists have the same items. From the end on, where a thread's lists mostly differ. */
export function sameItems(left, right) {
  if (failure) return false;
  try {
    const [own, other] = [slots[left], slots[right]];
    if (own === other) return true;
    if (!Array.isArray(own) || !Array.isArray(other) || own.length !== other.length) return false;
    for (let at = own.length; at-- > 0;) if (own[at] !== other[at]) return false;
    return true;
  } catch (error) {
    note(error);
    return false;
  }
}

/** Returns the list with items of another one inserted before these positions, ascending. */
export function insertAll(handle, places, from) {
  if (failure) return handle;
  try {
    const left = slots[handle];
    const items = slots[from];
    const list = left.slice(0, places[0]);
    for (let at = list.length, next = 0; at < left.length || next < items.length;) {
      if (next < items.length && places[next] <= at) list.push(items[next++]);
      else list.push(left[at++]);
    }
    return heldAsList(handle, list);
  } catch (error) {
    note(error);
    return handle;
  }
}

function pick(list, positions) {
  const picked = [];
  let all = positions.length === list.length;
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at];
    all &&= position === at;
    picked[at] = list[position];
  }
  return all ? list : picked;
}

/** Copies a list's items into a list of our own, so that reading them again runs no user code. */
export function ownList(handle) {
  if (failure) return hold([]);
  try {
    const list = slots[handle];
    return Array.isArray(list) ? hold(list.slice()) : handle;
  } catch (error) {
    note(error);
    return hold([]);
  }
}

/** Returns the list with text added to one message's content; 0 when it cannot be. */
export function appendText(handle, position, added, listOwned, messageOwned) {
  try {
    const list = slots[handle];
    const text = slots[added];
    if (typeof text !== "string") return 0;
    const message = list[position];
    const content = grown(message.content, text);
    if (content === undefined) return 0;
    const target = listOwned ? list : list.slice();
    if (messageOwned) {
      message.content = content;
      if (message.lc_kwargs !== undefined) set(message, "content", content);
    } else {
      target[position] = set(copyOf(message), "content", content);
    }
    return heldAsList(handle, target);
  } catch (error) {
    note(error);
    return 0;
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

// -- Small numbers for ids, for the life of a list: a map among the roots. --

export function symbols() {
  try {
    return root(new Map());
  } catch (error) {
    note(error);
    return root();
  }
}

/** Returns the number of every item's text under `key`, new where it had none. */
export function numbers(map, list, key) {
  try {
    return failure ? [] : counted(slots[list], key, roots[map]);
  } catch (error) {
    note(error);
    return [];
  }
}

export function find(map, text) {
  try {
    return roots[map].get(slots[text]) ?? NO_NUMBER;
  } catch (error) {
    note(error);
    return NO_NUMBER;
  }
}

/** Returns the number of a text, new if it had none. */
export function intern(map, text) {
  const known = find(map, text);
  const value = slots[text];
  if (known !== NO_NUMBER || typeof value !== "string" || failure) return known;
  try {
    const numbers = roots[map];
    numbers.set(value, numbers.size);
    return numbers.size - 1;
  } catch (error) {
    note(error);
    return NO_NUMBER;
  }
}

export function count(map) {
  return roots[map]?.size ?? 0;
}
