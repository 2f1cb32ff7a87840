// The storage of a Cloudflare Durable Object: only the methods that are called here.

/** The storage of a Durable Object that is backed by SQLite: `ctx.storage`. */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...bindings: (string | number | null)[]): { toArray(): Record<string, unknown>[] };
  };
  transactionSync<T>(work: () => T): T;
  setAlarm(at: number): Promise<void>;
}

/** The `ctx` of a Durable Object. */
export interface ObjectContext {
  readonly storage: ObjectStorage;
}

/** An object's row takes 2 MB, and a character up to three bytes. */
const PIECE = 500_000;

/** Cuts a text into pieces that a row takes. No character is cut in two. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length || from === 0;) {
    let to = from + PIECE;
    if (isHighSurrogate(text.charCodeAt(to - 1))) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** The numbered texts of rows `{ at, text }`: pieces of one number follow one another. */
export function joinedTexts(rows: readonly Record<string, unknown>[]): [at: number, text: string][] {
  const texts: [number, string][] = [];
  for (const { at, text } of rows) {
    const last = texts.at(-1);
    if (last && last[0] === at) last[1] += text as string;
    else texts.push([at as number, text as string]);
  }
  return texts;
}
