// An object of named fields: no list, and not null.

export type Dict = Readonly<Record<string, unknown>>;

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
