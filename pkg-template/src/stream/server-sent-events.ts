// Server-sent events, for both protocols.
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { Taker } from "./taker.js";

/** Makes parts of text or bytes, wherever they are cut. */
export class ServerSentEvents {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #hasEnough = false;
  #isOver = false;

  constructor(taker: Taker, signal: AbortSignal | undefined) {
    this.#parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (this.#hasEnough) return;
        let parsed: unknown;
        try {
          parsed = data === "" ? undefined : JSON.parse(data);
        } catch (cause) {
          // What the end cuts in two is no part: the stream was cut there.
          if (!this.#isOver) taker.refuse(data, cause);
          return;
        }
        signal?.throwIfAborted();
        // An empty id takes back the one before: this part has none.
        this.#hasEnough = taker.takeSent({ id: id === "" ? undefined : id, event, data: parsed });
      },
    });
  }

  /** Takes the next piece. Returns whether the taker has enough. */
  feed(piece: string | Uint8Array): boolean {
    this.#parser.feed(typeof piece === "string" ? piece : this.#decoder.decode(piece, { stream: true }));
    return this.#hasEnough;
  }

  /** Takes the last event, which needs no blank line after it, nor an end of its line. */
  end(): void {
    this.#isOver = true;
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
  }
}
