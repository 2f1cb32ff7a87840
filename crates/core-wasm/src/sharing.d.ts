/** Returns the value with every part equal to one in `known`, at the same place, replaced by that one. */
export function share(value: unknown, known: unknown): unknown;
