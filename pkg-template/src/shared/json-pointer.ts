/** Returns a key as the part of a JSON pointer that names it. */
export const pointerPart = (key: string | number): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
