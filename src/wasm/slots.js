// How values reach the core: it knows each by a number, its slot in a list, and what it holds in a
// slot lasts as long as the call does that brought it. What lives longer has a list of its own.

/** What is always there: nothing, and the two values that the core knows itself. */
const FIXED = [undefined, null, undefined];

/** The values of the call under way. */
export let slots = [...FIXED];
let top = FIXED.length;

/** A number for a value: 0 for `undefined`, which also says that there is nothing. */
export function hold(value) {
  if (value === undefined) return 0;
  slots[top] = value;
  return top++;
}

/** A number for `undefined` that does not say that there is nothing. */
export function holdAny(value) {
  slots[top] = value;
  return top++;
}

/** The number that a value has already, or a new one. */
export function heldAs(handle, value) {
  return slots[handle] === value ? handle : hold(value);
}

/** The value with this number. */
export function value(handle) {
  return slots[handle];
}

/** What user code threw, and what the core refused, since the call began. */
export let failure;
let refusal;

/**
 * Keeps what was thrown on the way, mostly by user code (a getter, a proxy's trap): the call throws it at its end.
 * Until then no more user code runs: it could call the core, which would throw it first.
 */
export function note(cause, code = "UNREADABLE_VALUE", message = "Reading a value threw: see the cause.") {
  failure ??= { cause, code, message };
}

/** Whether user code threw. */
export function failed() {
  return failure !== undefined;
}

/** Goes on as if what threw had not been tried. */
export function forget() {
  failure = undefined;
}

/** What was thrown, in words: anything can be thrown, and asking it may throw again. */
export function reason() {
  const cause = failure?.cause;
  try {
    return String(cause?.message ?? cause);
  } catch {
    return "it threw what cannot be told";
  }
}

/** Keeps an error of the core's for the end of the call. */
export function refuse(code, message) {
  refusal = { code, message };
}

/** Makes the error that a caller sees; the npm package puts its own class in. */
let makeError = (code, message, cause) => {
  const error = new Error(message, cause && { cause: cause.cause });
  return Object.assign(error, { name: "ThreadfoldError", code });
};

// -- The core itself, once its wasm is there. --

let core;

/** Gets the exports of the wasm, and what makes errors. */
export function begin(exports, make) {
  core = exports;
  makeError = make;
}

/**
 * How much of JavaScript's stack there must be for a call, in 8 KiB: it is full before the core begins, or not at
 * all. What the core and these modules take is less than half of it.
 */
const ROOM = 16;

/** Calls under way: in the outermost the core's own stack is empty. */
let depth = 0;
const EMPTY = 1 << 20;

/**
 * Runs a call of the core's. Nothing leaves the core but by returning; if it does all the same (there is no memory
 * left), then its own stack is put back and the object that it had in use, for its frames did not do so.
 * `lent` is how often that was in use before.
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

/** What an answer of two words is when there is none: its place, and 0 or where a list without items may be. */
export function nothing(place, pointer) {
  const words = new Uint32Array(core.memory.buffer, place, 2);
  words[0] = pointer;
  words[1] = 0;
}

function abandon(stack, used, lent) {
  failure = refusal = undefined;
  if (!core) return;
  core.__stack_pointer.value = stack;
  // How often it is lent, and before that how many there are who may free it: wasm-bindgen's `Rc<WasmRefCell>`.
  if (!used?.__wbg_ptr) return;
  const words = new Int32Array(core.memory.buffer, used.__wbg_ptr - 8, 3);
  words[0] = 1 + lent;
  words[2] = lent;
}

/** Throws what went wrong. What user code threw goes first, because any answer was made without it. */
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
 * Calls the core: `entry` holds values, gives their numbers to an entry point, and returns the answer's value. User
 * code that runs meanwhile may call the core again. `used` is the object of the core's that is asked.
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

/** The values of an object of the core's that lives longer than a call. */
export class Arena {
  #slots = [...FIXED];
  #top = FIXED.length;
  #limit = 64;

  /** As {@link call}; what the object holds at the end is there in the next call: it says what in `keep`. */
  call(entry, keep, used) {
    const outer = slots;
    const outerTop = top;
    slots = this.#slots;
    top = this.#top;
    try {
      // Nobody else uses it: its owner sees to that.
      const answer = run(entry, used, 0);
      if (keep && top > this.#limit) this.#collect(keep);
      check();
      return answer;
    } finally {
      this.#slots = slots;
      this.#top = top;
      slots = outer;
      top = outerTop;
    }
  }

  #collect(keep) {
    moved = [...FIXED];
    keep();
    slots = moved;
    top = moved.length;
    this.#limit = 2 * top + 64;
    moved = undefined;
  }
}

let moved;

/** The number of a value that its owner still holds, among those that stay. */
export function relocate(handle) {
  if (handle < FIXED.length) return handle;
  const at = moved.length;
  moved[at] = slots[handle];
  return at;
}

// -- What the core holds on to by itself: functions, numbers of ids. --

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

/** What a caller's reducer, a root of `{ reducer, initial }`, makes of an update; with 0 there is no value yet. */
export function fold(at, current, update) {
  const { reducer, initial } = roots[at];
  try {
    // As in LangGraph, the first write to a field without a default is its value.
    if (current === 0 && !initial) return update;
    const value = current === 0 ? initial() : slots[current];
    return holdAny(reducer(value, slots[update]));
  } catch (error) {
    note(error);
    return 0;
  }
}
