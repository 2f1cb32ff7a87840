// Texts and arguments that come in parts: which are open, and which are being sent a second time.

/** One thing that comes in parts: a message's text, or a tool call's arguments. */
export type StreamKey = `text ${string}` | `call ${string}`;

/** A text that was there before its run began, and how much of it the run has repeated. */
interface Retold {
  told: number;
}

/**
 * The streams of one thread.
 *
 * A server that replays a conversation sends texts that are already known. AG-UI's reference appends them, so they
 * appear twice. Here, the parts of a text that existed before the run are compared with it. As long as they repeat it
 * from its start, they change nothing; anything beyond it is appended. If they turn out to differ, they are not a
 * repetition, and all of them are appended after all.
 */
export class Streams {
  /** The open streams, each with the message that it belongs to. */
  readonly #open = new Map<StreamKey, string>();
  /** How many streams of a message are open: a text, and any number of calls. */
  readonly #ofMessage = new Map<string, number>();
  /** Streams that began in this run: further parts append and never repeat. */
  readonly #begun = new Set<StreamKey>();
  readonly #retold = new Map<StreamKey, Retold>();

  /** A run begins: no stream of an earlier one continues. */
  reset(): void {
    this.#open.clear();
    this.#ofMessage.clear();
    this.#begun.clear();
    this.#retold.clear();
  }

  /** A stream starts; `known` is what there is of it. */
  start(key: StreamKey, messageId: string, known: string): void {
    this.#close(key);
    this.#open.set(key, messageId);
    this.#ofMessage.set(messageId, (this.#ofMessage.get(messageId) ?? 0) + 1);
    if (!this.#begun.has(key) && known !== "") this.#retold.set(key, { told: 0 });
    this.#begun.add(key);
  }

  /** Returns what a part adds to `known`. */
  added(kind: "text" | "call", id: string, known: string, part: string): string {
    if (this.#retold.size === 0) return part;
    const key: StreamKey = `${kind} ${id}`;
    const retold = this.#retold.get(key);
    // A snapshot may have cut the repeated text.
    if (!retold || retold.told > known.length) return part;
    const rest = known.length - retold.told;
    if (rest > part.length && known.startsWith(part, retold.told)) {
      retold.told += part.length;
      return "";
    }
    this.#retold.delete(key);
    const goesOn = part.startsWith(known.slice(retold.told));
    return goesOn ? part.slice(rest) : known.slice(0, retold.told) + part;
  }

  /** Returns whether the parts of a stream repeat the existing text. */
  isRetold(kind: "text" | "call", id: string): boolean {
    return this.#retold.size > 0 && this.#retold.has(`${kind} ${id}`);
  }

  /** Ends a stream. Returns the text held back from it. */
  end(key: StreamKey, known: string): string {
    const retold = this.#retold.get(key);
    this.#close(key);
    this.#retold.delete(key);
    return retold ? known.slice(0, retold.told) : "";
  }

  /** Another kind of message has replaced a message: further parts of it have no target. */
  drop(messageId: string): void {
    if (!this.isOpen(messageId)) return;
    for (const [key, owner] of this.#open) {
      if (owner !== messageId) continue;
      this.#close(key);
      this.#retold.delete(key);
    }
  }

  /** Whether more is to come of a message. */
  isOpen(messageId: string): boolean {
    return this.#ofMessage.has(messageId);
  }

  #close(key: StreamKey): void {
    const messageId = this.#open.get(key);
    if (messageId === undefined) return;
    this.#open.delete(key);
    const left = (this.#ofMessage.get(messageId) ?? 1) - 1;
    if (left > 0) this.#ofMessage.set(messageId, left);
    else this.#ofMessage.delete(messageId);
  }
}
