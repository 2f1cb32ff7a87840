/** Returns the value, or fails the test if it is missing. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("It is not there.");
  return value;
}
