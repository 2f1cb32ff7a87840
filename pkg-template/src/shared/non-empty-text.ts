/** Returns a value that is a text and not empty; undefined for any other. */
export const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
