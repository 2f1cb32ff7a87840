// Values as a database can copy them: LangChain's classes would lose what makes them instances.

type Fields = Record<string, unknown>;

/** The value itself, or a copy in which LangChain's messages are dicts. */
export function plainValue<T>(value: T): T {
  return plain(value) as T;
}

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return changed(value, value.map(plain)) ?? value;
  const { getType, lc_kwargs } = value as { getType?: unknown; lc_kwargs?: unknown };
  if (typeof getType === "function") return dictOf(value as Fields, getType.call(value) as string, lc_kwargs);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const keys = Object.keys(value);
  const made = changed(
    keys.map((key) => (value as Fields)[key]),
    keys.map((key) => plain((value as Fields)[key])),
  );
  return made ? Object.fromEntries(keys.map((key, at) => [key, made[at]])) : value;
}

function changed(old: readonly unknown[], made: unknown[]): unknown[] | undefined {
  return made.some((value, at) => value !== old[at]) ? made : undefined;
}

/** The fields that a message was made of, as they are now. */
function dictOf(message: Fields, type: string, kwargs: unknown): Fields {
  const dict: Fields = { type };
  for (const key of Object.keys({ id: 0, ...(kwargs as Fields | undefined) })) {
    if (message[key] !== undefined) dict[key] = plain(message[key]);
  }
  return dict;
}
