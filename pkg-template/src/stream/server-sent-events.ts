// Server-sent events, for both protocols.
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { Taker } from "./taker.js";

/** The last line of what the stream left of an event; no server says it. */
const END = "\0";

/** Characters that the parser gets at once. If they have a carriage return, it looks for another at each line. */
const SLICE = 16_384;

/** Makes parts of text or bytes, wherever they are cut. */
export class ServerSentEvents {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #hasEnough = false;
  #isInLine = false;
  #isOver = false;

  /** @param beats - Called with the time that a server names between its heartbeats, in milliseconds. */
  constructor(taker: Taker, signal: AbortSignal | undefined, beats: (heartbeat: number) => void) {
    this.#parser = createParser({
      onComment: (comment) => {
        const [, heartbeat] = /^\s*heartbeat (\d+)$/.exec(comment) ?? [];
        if (heartbeat) beats(Number(heartbeat));
      },
      onEvent: ({ id, event, data: said }) => {
        if (this.#hasEnough) return;
        const data = this.#isOver && said.endsWith(`\n${END}`) ? said.slice(0, -1 - END.length) : said;
        // The end left nothing, or an event without its data.
        if (this.#isOver && (said === END || data === "")) {
          if (id !== undefined || event !== undefined) taker.cut?.();
          return;
        }
        let parsed: unknown;
        try {
          parsed = data === "" ? undefined : JSON.parse(data);
        } catch (cause) {
          // The end cut a part in two: the stream was cut there.
          if (this.#isOver) taker.cut?.();
          else taker.refuse(data, cause);
          return;
        }
        signal?.throwIfAborted();
        // An empty id resets the one before: this part has none.
        this.#hasEnough = taker.takeSent({ id: id === "" ? undefined : id, event, data: parsed, text: data });
      },
    });
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
    this.#feed(`${this.#isInLine ? "\n" : ""}data: ${END}\n\n`);
  }

  #feed(text: string): void {
    if (text !== "") this.#isInLine = !/[\r\n]$/.test(text);
    for (let at = 0; at < text.length; at += SLICE) this.#parser.feed(text.slice(at, at + SLICE));
  }
}
