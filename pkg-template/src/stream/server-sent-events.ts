// Server-sent events, for both protocols.
import type { Taker } from "./taker.js";

/** The last line of what the stream left of an event; no server says it. */
const END = "\0";

/** Makes parts of text or bytes, wherever they are cut. */
export class ServerSentEvents {
  readonly #taker: Taker;
  readonly #signal: AbortSignal | undefined;
  readonly #beats: (heartbeat: number) => void;
  readonly #decoder = new TextDecoder();
  #hasEnough = false;
  #isOver = false;
  /** The line that has not ended yet. */
  #line = "";
  /** A last "\r" whose line feed may follow. */
  #half = "";
  /** The event that has not ended yet. */
  #id: string | undefined;
  #event: string | undefined;
  #data: string | undefined;

  /** @param beats - Called with the time that a server names between its heartbeats, in milliseconds. */
  constructor(taker: Taker, signal: AbortSignal | undefined, beats: (heartbeat: number) => void) {
    this.#taker = taker;
    this.#signal = signal;
    this.#beats = beats;
  }

  /** Takes the next piece. Returns whether the taker has enough. */
  feed(piece: string | Uint8Array): boolean {
    this.#feed(typeof piece === "string" ? piece : this.#decoder.decode(piece, { stream: true }));
    return this.#hasEnough;
  }

  /** Takes the last event, which needs no blank line after it, nor an end of its line. */
  end(): void {
    this.#isOver = true;
    this.#feed(this.#decoder.decode());
    this.#feed(`${this.#line === "" ? "" : "\n"}data: ${END}\n\n`);
  }

  #feed(piece: string): void {
    let text = this.#half + piece;
    this.#half = text.endsWith("\r") ? "\r" : "";
    if (this.#half) text = text.slice(0, -1);
    const [first = "", ...lines] = text.split(text.includes("\r") ? /\r\n?|\n/ : "\n");
    this.#line += first;
    for (const line of lines) {
      this.#takeLine(this.#line);
      this.#line = line;
    }
  }

  #takeLine(line: string): void {
    if (line === "") {
      const [id, event, data] = [this.#id, this.#event, this.#data];
      this.#id = this.#event = this.#data = undefined;
      if (data !== undefined && !this.#hasEnough) this.#take(id, event, data);
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (name === "event") this.#event = value || undefined;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "") {
      const [, heartbeat] = /^\s*heartbeat (\d+)$/.exec(value) ?? [];
      if (heartbeat) this.#beats(Number(heartbeat));
    }
  }

  #take(id: string | undefined, event: string | undefined, said: string): void {
    const data = this.#isOver && said.endsWith(`\n${END}`) ? said.slice(0, -1 - END.length) : said;
    // The end left nothing, or an event without its data.
    if (this.#isOver && (said === END || data === "")) {
      if (id !== undefined || event !== undefined) this.#taker.cut?.();
      return;
    }
    let parsed: unknown;
    try {
      parsed = data === "" ? undefined : JSON.parse(data);
    } catch (cause) {
      // The end cut a part in two: the stream was cut there.
      if (this.#isOver) this.#taker.cut?.();
      else this.#taker.refuse(data, cause);
      return;
    }
    this.#signal?.throwIfAborted();
    // An empty id resets the one before: this part has none.
    this.#hasEnough = this.#taker.takeSent({ id: id === "" ? undefined : id, event, data: parsed, text: data });
  }
}
