// Events for a folding client that leave out what it has.

/** The key of a function that returns the event for a client which joins the run later, or does not fold. */
export const WHOLE: unique symbol = Symbol("whole");

/** The key of an event that contains nothing new for its client. */
export const REPEATS: unique symbol = Symbol("repeats");
