/** A part of a stream, as far as its text needs it. */
export interface Sent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  /** Its data. */
  readonly text: string;
}

/** Writes a part as a server sends it. U+2028 and U+2029 do not end a line there, though `^` matches after them. */
export function sentText({ id, event, text }: Sent): string {
  const named = (id === undefined ? "" : `id: ${id}\n`) + (event === undefined ? "" : `event: ${event}\n`);
  return `${named}data: ${text.replace(/\r\n|[\r\n]/g, "$&data: ")}\n\n`;
}

/** Returns an object of a stream as what a server would have sent. */
export function sentOf(value: unknown): Sent {
  const { id, event, data } = (value ?? {}) as { id?: unknown; event?: unknown; data?: unknown };
  const isNamed = typeof event === "string";
  return {
    id: isNamed && typeof id === "string" ? id : undefined,
    event: isNamed ? event : undefined,
    text: JSON.stringify(isNamed ? data : value) ?? "",
  };
}
