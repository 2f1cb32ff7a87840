// Timers of a user's times: JavaScript's fire at once if they are longer than 24 days.

/** The longest time that a timer takes, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls back after so many milliseconds, or never if no timer takes so many. Returns what cancels it. */
export function after(milliseconds: number, call: () => void): () => void {
  if (milliseconds > LONGEST_TIMER) return () => {};
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
