// How values reach the core: it knows each by a number, its slot in a list, and what it holds in a
// slot lasts as long as the call does that brought it. What lives longer has a list of its own.

/** The values of the call under way. The first two are always there. */
export let slots = [undefined, null];
let top = 2;

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
 * Keeps what user code threw on the way (a getter, a proxy's trap): the call throws it at its end. Until then no
 * more user code runs: it could call the core, which would throw it first.
 */
export function note(cause) {
  failure ??= { cause };
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

export function useErrors(make) {
  makeError = make;
}

/** Throws what went wrong. What user code threw goes first, because any answer was made without it. */
function check() {
  if (failure === undefined && refusal === undefined) return;
  const [cause, error] = [failure, refusal];
  failure = refusal = undefined;
  if (cause && error?.code !== "REDUCER_FAILED") {
    throw makeError("UNREADABLE_VALUE", "Reading a value threw: see the cause.", cause);
  }
  throw makeError(error.code, error.message, cause);
}

/**
 * Calls the core: `entry` holds values, gives their numbers to an entry point, and returns the answer's value. User
 * code that runs meanwhile may call the core again.
 */
export function call(entry) {
  const start = top;
  try {
    const answer = entry();
    check();
    return answer;
  } finally {
    ended++;
    while (top > start) slots[--top] = undefined;
  }
}

/** How many calls have ended. */
export let ended = 0;

/** The values of an object of the core's that lives longer than a call. */
export class Arena {
  #slots = [undefined, null];
  #top = 2;
  #limit = 64;

  /** As {@link call}; what the object holds at the end is there in the next call: it says what in `keep`. */
  call(entry, keep) {
    const [outer, outerTop] = [slots, top];
    slots = this.#slots;
    top = this.#top;
    try {
      const answer = entry();
      if (keep && top > this.#limit) this.#collect(keep);
      check();
      return answer;
    } finally {
      ended++;
      this.#slots = slots;
      this.#top = top;
      slots = outer;
      top = outerTop;
    }
  }

  #collect(keep) {
    moved = [undefined, null];
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
  return handle < 2 ? handle : moved.push(slots[handle]) - 1;
}

// -- What the core holds on to by itself: functions, numbers of ids. --

export const roots = [];
const free = [];

export function root(value) {
  const at = free.pop() ?? roots.length;
  roots[at] = value;
  return at;
}

export function release(at) {
  roots[at] = undefined;
  free.push(at);
}

const NONE = -1;

/** What a caller's reducer, a root of `{ reducer, initial }`, makes of an update; `NONE` is no value yet. */
export function fold(at, current, update) {
  const { reducer, initial } = roots[at];
  try {
    // As in LangGraph, the first write to a field without a default is its value.
    if (current === NONE && !initial) return update;
    const value = current === NONE ? initial() : slots[current];
    return holdAny(reducer(value, slots[update]));
  } catch (error) {
    note(error);
    return 0;
  }
}
