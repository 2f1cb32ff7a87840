// How values reach the core: it knows each by a number, its slot in a list. A slot lasts as long as the call that
// brought it. Values that outlive a call have a list of their own.

/** Always present: nothing, and the two values that the core knows by number. */
const FIXED = [undefined, null, undefined];

/** The values of the call under way. */
export let slots = [...FIXED];
let top = FIXED.length;
/** How many items the lists have that the core made since the object in use was last collected. */
let made = 0;

/** Returns a number for a value: 0 for `undefined`, which also means none. */
export function hold(value) {
  if (value === undefined) return 0;
  slots[top] = value;
  return top++;
}

/** Returns a number for a value, also for an `undefined` that is one. */
export function holdAny(value) {
  slots[top] = value;
  return top++;
}

/** Returns a value's existing number, or a new one. */
export function heldAs(handle, value) {
  return slots[handle] === value ? handle : hold(value);
}

/** {@link heldAs} for a list that the core made: long ones must not wait for many others to be collected. */
export function heldAsList(handle, list) {
  if (slots[handle] === list) return handle;
  made += list.length;
  return hold(list);
}

/** Returns the value with this number. */
export function value(handle) {
  return slots[handle];
}

/** Errors thrown by user code or the core since the call began. */
export let failure;
let refusal;

/**
 * Keeps an error, mostly thrown by user code (a getter, a proxy's trap): the call throws it at its end. Until then no
 * more user code runs: it could call the core, which would throw it first.
 */
export function note(cause, code = "UNREADABLE_VALUE", message = "Reading a value threw: see the cause.") {
  failure ??= { cause, code, message };
}

/** Whether user code threw. */
export function failed() {
  return failure !== undefined;
}

/** Continues as if the failed read had not been tried. */
export function forget() {
  failure = undefined;
}

/** Returns the thrown value as text: anything can be thrown, and reading it may throw again. */
export function reason() {
  const cause = failure?.cause;
  try {
    return String(cause?.message ?? cause);
  } catch {
    return "it threw an unreadable value";
  }
}

/** Keeps an error of the core for the end of the call: a code, and a sentence with braces in place of its parts. */
export function refuse(form, ...parts) {
  const [code, ...words] = form.split(" ");
  refusal = { code, message: words.join(" ").replaceAll("{}", () => parts.shift()) };
}

/** Makes the error that callers see; the npm package registers its own class. */
let makeError = (code, message, cause) => {
  const error = new Error(message, cause && { cause: cause.cause });
  return Object.assign(error, { name: "ThreadfoldError", code });
};

// -- The core itself, once its wasm is there. --

let core;

/** Registers the exports of the wasm, and the function that makes errors. */
export function begin(exports, make) {
  core = exports;
  makeError = make;
}

/**
 * How much of JavaScript's stack a call needs, in 8 KiB: it overflows before the core begins, or not at all. The core
 * and these modules take less than half of it.
 */
const ROOM = 16;

/** The number of calls under way: in the outermost the core's own stack is empty. */
let depth = 0;
const EMPTY = 1 << 20;

/**
 * Runs a call of the core, which always returns normally. If it throws all the same (out of memory), restores the
 * core's stack and releases the object in use, because its frames did not. `lent` is how often that was in use before.
 */
function run(entry, used, lent) {
  core?.headroom(ROOM);
  const stack = depth === 0 ? EMPTY : core?.__stack_pointer.value;
  let returned = false;
  depth++;
  try {
    const answer = entry();
    returned = true;
    return answer;
  } finally {
    depth--;
    ended++;
    if (!returned) abandon(stack, used, lent);
  }
}

/** Writes an answer of two words where the core expects it: an address, and a length. */
export function answer(place, pointer, length) {
  const words = new Int32Array(core.memory.buffer, place, 2);
  words[0] = pointer;
  words[1] = length;
}

function abandon(stack, used, lent) {
  failure = refusal = undefined;
  if (!core) return;
  core.__stack_pointer.value = stack;
  // The borrow count, and before it the owner count: wasm-bindgen's `Rc<WasmRefCell>`.
  if (!used?.__wbg_ptr) return;
  const words = new Int32Array(core.memory.buffer, used.__wbg_ptr - 8, 3);
  words[0] = 1 + lent;
  words[2] = lent;
}

/** Throws any error. One thrown by user code goes first, because the answer was made without its value. */
function check() {
  if (failure === undefined && refusal === undefined) return;
  const cause = failure;
  const error = refusal;
  failure = refusal = undefined;
  if (cause && error?.code !== "REDUCER_FAILED") {
    throw makeError(cause.code, cause.message, cause);
  }
  throw makeError(error.code, error.message, cause);
}

/**
 * Calls the core: `entry` stores values, passes their numbers to an entry point, and returns the answer's value. User
 * code that runs meanwhile may call the core again. `used` is the core's object being called.
 */
export function call(entry, used) {
  const start = top;
  try {
    const answer = run(entry, used, used && core ? new Int32Array(core.memory.buffer, used.__wbg_ptr, 1)[0] : 0);
    check();
    return answer;
  } finally {
    while (top > start) slots[--top] = undefined;
  }
}

/** How many calls have ended. */
export let ended = 0;

/** The values of a core object that outlives a call. */
export class Arena {
  #slots = [...FIXED];
  #top = FIXED.length;
  /** Where the values begin that came since all were collected: those before are mostly there to stay. */
  #young = FIXED.length;
  #limit = 64;
  #made = 0;
  #mostMade;

  /** `mostMade` is how many items of lists may be garbage before it is collected, at least. */
  constructor(mostMade) {
    this.#mostMade = mostMade;
  }

  /** {@link call}, keeping what the object holds at the end for the next call: `keep` moves it, from a number on. */
  call(entry, keep, used) {
    const outer = slots;
    const outerTop = top;
    const outerMade = made;
    slots = this.#slots;
    top = this.#top;
    made = this.#made;
    try {
      // Its owner ensures that nobody else uses it.
      const answer = run(entry, used, 0);
      if (keep && (top > this.#limit || made > this.#mostMade)) this.#collect(keep);
      check();
      return answer;
    } finally {
      this.#slots = slots;
      this.#top = top;
      this.#made = made;
      slots = outer;
      top = outerTop;
      made = outerMade;
    }
  }

  #collect(keep) {
    const all = top > this.#limit;
    const from = all ? FIXED.length : this.#young;
    first = from;
    moved = [];
    keep(from);
    for (let at = 0; at < moved.length; at++) slots[from + at] = moved[at];
    slots.length = top = from + moved.length;
    if (all) {
      this.#young = top;
      this.#limit = 2 * top + 64;
    }
    moved = undefined;
    made = 0;
  }
}

/** The values that stay of a collection, and the number that the first of them gets. */
let moved;
let first;

/** Returns the number, among those that stay, of a value that its owner still holds. */
export function relocate(handle) {
  const at = moved.length;
  moved[at] = slots[handle];
  return first + at;
}

// -- Objects that the core itself holds: functions, numbers of ids. --

export const roots = [];
const free = [];

export function root(value) {
  const at = free.length > 0 ? free[free.length - 1] : roots.length;
  if (free.length > 0) free.length--;
  roots[at] = value;
  return at;
}

export function release(at) {
  roots[at] = undefined;
  free[free.length] = at;
}

/** Calls a caller's reducer, a root of `{ reducer, initial }`, with an update; 0 means there is no value yet. */
export function fold(at, current, update) {
  const { reducer, initial } = roots[at];
  try {
    const value = current === 0 ? initial?.() : slots[current];
    // As in LangGraph, the first write to a field without a value becomes its value. If that leaves none, the step's
    // other writes are ignored.
    if (value === undefined) return current === 0 ? update : current;
    return holdAny(reducer(value, slots[update]));
  } catch (error) {
    note(error);
    return 0;
  }
}
