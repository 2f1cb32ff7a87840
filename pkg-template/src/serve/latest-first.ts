/** A map's values, latest first. */
export function latestFirst<T>(values: Iterable<T>): T[] {
  const list = [...values];
  return list.map((_, at) => list[list.length - 1 - at] as T);
}
