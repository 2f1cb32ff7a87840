/**
 * Adds messages to messages, by their numbers, as `add` does, which is the core's for these left messages: without the
 * core where there is nothing to decide. Returns the number of the list.
 */
export function addWhole(left: number, right: number, add: (right: number) => number): number;
