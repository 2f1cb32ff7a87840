import { isAbortError } from "../shared/abort.js";
import { ThreadfoldError } from "../shared/errors.js";
import { BROKEN } from "../shared/run-error.js";
import { REOPENED } from "../runner/watched-thread.js";
import { read } from "../stream/source.js";
import { type Kept, Log, unnamed } from "./log.js";
import { Output } from "./output.js";
import { type Sent, sentOf, sentText } from "./sent-text.js";
import type { Asked, Told, Word } from "./words.js";

/** A stream that tabs share. */
export interface SharedStream {
  /** The same in all tabs that share it. */
  readonly name: string;
  /** Whether it goes on for ever, and is read from now on. Any other one is read from `after` to its end. */
  readonly isLive: boolean;
  readonly after: string;
  /** Opens a connection that begins after an id; at the start, if that is empty. */
  open(after: string, signal: AbortSignal): unknown;
}

/** How often a tab looks whether the reader is awake, in milliseconds; and how many looks without a word are too many. */
const LOOK = 3_000;
const LOOKS = 3;

/** How long a reader whose stream is over waits for tabs that do not say that they have all of it. */
const LINGER = 2_000;

/**
 * One tab's place at a stream. The tab that has the lock reads it, and passes on each part with the position of the part
 * before. A tab that misses one asks for it; one whose reader is gone gets the lock, and reads on after its last part.
 */
export class Seat {
  readonly parts = new Output(() => this.#closed());
  /** Resolves once the stream is open. */
  readonly opened: Promise<void>;
  readonly #stream: SharedStream;
  readonly #signal: AbortSignal;
  readonly #id = crypto.randomUUID();
  readonly #channel: BroadcastChannel;
  readonly #leave = () => this.#left();
  readonly #timer: ReturnType<typeof setInterval>;
  /** The parts that this tab has had. A live stream has none before it is open. */
  #log: Log | undefined;
  #open: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  /** This tab's turn to read; aborted when it leaves, or loses the lock. */
  #turn = new AbortController();
  /** The turn in which it reads. */
  #reading: AbortController | undefined;
  /** The tabs that a reader knows. */
  readonly #others = new Set<string>();
  #isAlone = false;
  /** Nobody reads here any more; well, if the stream came to its end. */
  #isOver = false;
  #isWell = false;
  #hasLeft = false;
  #isAsking = false;
  #silence = 0;
  #lingers: (() => void) | undefined;

  constructor(stream: SharedStream, signal: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    if (!stream.isLive) this.#log = new Log(stream.after);
    this.opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    // The error comes with the parts, too.
    this.opened.catch(() => {});
    this.#channel = new BroadcastChannel(stream.name);
    this.#channel.addEventListener("message", ({ data }) => this.#hear(data as Word));
    this.#timer = setInterval(() => this.#look(), LOOK);
    signal.addEventListener("abort", this.#leave);
    this.#ask();
    this.#queue(false);
  }

  // ── the lock ──

  #queue(steal: boolean): void {
    const turn = (this.#turn = new AbortController());
    const options = steal ? { steal } : { signal: turn.signal };
    navigator.locks
      .request(this.#stream.name, options, () => this.#read(turn))
      .catch((error: unknown) => {
        if (turn.signal.aborted) return;
        turn.abort();
        this.#reading = undefined;
        if (!isAbortError(error)) this.#readAlone();
        else if (!this.#isOver) {
          // Another tab found this one asleep.
          this.#queue(false);
          this.#ask();
        }
      });
  }

  /** Takes the lock from a reader that says nothing, as one whose page is frozen. */
  #look(): void {
    if (this.#reading || this.#isOver || globalThis.document?.visibilityState === "hidden") return;
    this.#isAsking = false;
    if (++this.#silence < LOOKS) return this.#ask();
    this.#silence = 0;
    this.#turn.abort();
    this.#queue(true);
  }

  /** Where no tab has what is missing here, or the browser refuses the lock. */
  #readAlone(): void {
    this.#turn.abort();
    this.#tell({ is: "bye", tab: this.#id });
    this.#isAlone = true;
    this.#turn = new AbortController();
    void this.#read(this.#turn);
  }

  /** Resolves when the lock may go to another tab. */
  async #read(turn: AbortController): Promise<void> {
    const { signal } = turn;
    if (signal.aborted) return;
    this.#reading = turn;
    try {
      if (this.#log && !this.#stream.isLive) this.#tell({ is: "begin", at: this.#log.last });
      const source = await this.#stream.open(this.#log?.lastId ?? "", signal);
      signal.throwIfAborted();
      if (this.#stream.isLive) {
        const at = crypto.randomUUID();
        this.#begin(at);
        this.#tell({ is: "begin", at });
      }
      await this.#pass(source, signal);
      this.#finish();
    } catch (error) {
      // The other tabs try for themselves.
      if (!signal.aborted) this.#finish(error);
    }
    if (this.#reading !== turn) return;
    if (this.#isWell && this.#others.size > 0) await this.#linger();
    this.#reading = undefined;
    if (this.#isOver) this.#left();
  }

  /** Reads a connection to its end. */
  async #pass(source: unknown, signal: AbortSignal): Promise<void> {
    const { isLive } = this.#stream;
    const log = this.#log as Log;
    let id = log.lastId;
    let count = 0;
    let isCut = false;
    const take = (sent: Sent): boolean => {
      if (sent.id === undefined || isLive) count++;
      else [id, count] = [sent.id, 0];
      const part = { at: count === 0 ? id : unnamed(id, count), text: sentText(sent) };
      // A server repeats what comes after the last id; without ids, all of it.
      if (log.has(part.at)) return false;
      const after = log.last;
      log.add(part);
      this.#tell({ is: "part", after, part });
      this.parts.push(part.text);
      return false;
    };
    const taker = {
      take: (value: unknown) => take(sentOf(value)),
      takeSent: take,
      refuse: (text: string) => void take({ text }),
      cut: () => void (isCut = true),
    };
    await read(source, taker, signal);
    if (isCut) throw new ThreadfoldError("NO_CONNECTION", BROKEN);
  }

  /** Keeps the lock until all tabs have the end, so that none opens a connection for it. */
  async #linger(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#lingers = resolve;
      setTimeout(resolve, LINGER);
    });
  }

  // ── the channel ──

  #tell(word: Word): void {
    if (!this.#isAlone && !this.#hasLeft) this.#channel.postMessage(word);
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#tell({ is: "ask", tab: this.#id, after: this.#log?.last ?? "" });
  }

  #hear(word: Word): void {
    if (this.#isAlone) return;
    if (word.is === "ask" || word.is === "bye") {
      if (this.#reading) this.#answer(word);
      return;
    }
    if (this.#reading || this.#isOver) return;
    this.#silence = 0;
    if (this.#stream.isLive) this.#hearLive(word);
    else this.#hearRun(word);
  }

  #answer(word: Asked): void {
    const { tab } = word;
    if (word.is === "bye") {
      this.#others.delete(tab);
      if (this.#others.size === 0) this.#lingers?.();
      return;
    }
    // A tab that comes after the end asks the server.
    if (this.#isOver && !this.#others.has(tab)) return this.#lingers?.();
    this.#others.add(tab);
    if (!this.#log) return this.#tell({ is: "wait" });
    const { last } = this.#log;
    this.#tell({ is: "answer", to: tab, parts: this.#log.after(word.after), at: last, isOver: this.#isOver });
  }

  #hearRun(word: Told): void {
    const log = this.#log as Log;
    const isMine = word.is === "answer" && word.to === this.#id;
    if (isMine) {
      this.#isAsking = false;
      if (!word.parts) return this.#readAlone();
      for (const part of word.parts) this.#receive(part);
    }
    if (word.is === "begin") this.#ask();
    else if (word.is === "part") this.#follow(word.after, word.part);
    else if (word.is === "end" || (isMine && word.isOver)) {
      if (word.at === log.last) this.#finish();
      else this.#ask();
    }
  }

  #hearLive(word: Told): void {
    const isMine = word.is === "answer" && word.to === this.#id;
    if (isMine) this.#isAsking = false;
    if (word.is === "begin" || (isMine && !word.parts)) this.#begin(word.at);
    else if (isMine) for (const part of word.parts ?? []) this.#receive(part);
    else if (word.is === "part" && this.#log) this.#follow(word.after, word.part);
    else if (word.is === "end" && this.#log) this.#finish();
  }

  /** Another reader of a live stream begins: what began in between is not known. */
  #begin(at: string): void {
    const isFirst = !this.#log;
    this.#log = new Log(at);
    if (isFirst) this.#open();
    else this.parts.push({ event: REOPENED, data: undefined });
  }

  #follow(after: string, part: Kept): void {
    const log = this.#log as Log;
    if (log.last === after) this.#receive(part);
    else if (!log.has(part.at)) this.#ask();
  }

  #receive(part: Kept): void {
    const log = this.#log as Log;
    if (log.has(part.at)) return;
    log.add(part);
    this.parts.push(part.text);
  }

  // ── the end ──

  #finish(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isWell = error === undefined;
    this.parts.end(error);
    this.#fail(error);
    if (!this.#reading) this.#left();
    else if (this.#isWell) this.#tell({ is: "end", at: this.#log?.last ?? "" });
  }

  /** The reader here has enough, or leaves. If it has enough, so have those of the other tabs. */
  #closed(): void {
    if (!this.#reading || this.#signal.aborted || this.#stream.isLive) return this.#left();
    this.#finish();
    this.#reading.abort();
  }

  #left(): void {
    if (this.#hasLeft) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#signal.removeEventListener("abort", this.#leave);
    this.#turn.abort();
    if (!this.#reading) this.#tell({ is: "bye", tab: this.#id });
    this.#hasLeft = true;
    this.#fail(this.#signal.reason);
    this.#channel.close();
  }
}
