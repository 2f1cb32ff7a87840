/** Returns whether two JSON values are equal. A key that is undefined counts as none. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one)) {
    // Visits holes, which `every` skips.
    const isOther = (item: unknown, at: number) => !sameJson(item, (other as unknown[])[at]);
    return Array.isArray(other) && one.length === other.length && one.findIndex(isOther) < 0;
  }
  const left = one as Record<string, unknown>;
  const right = other as Record<string, unknown>;
  const keys = keysOf(left);
  return (
    !Array.isArray(other) &&
    keys.length === keysOf(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

const keysOf = (value: Record<string, unknown>) => Object.keys(value).filter((key) => value[key] !== undefined);
