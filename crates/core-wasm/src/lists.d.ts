/**
 * Adds messages to messages, by their numbers. Where something must be decided, it calls the core's `add` for these
 * left messages. Returns the number of the list.
 */
export function addWhole(left: number, right: number, add: (right: number) => number): number;
