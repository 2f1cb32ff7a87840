// The parts that `stream` yields, made from the runs' reports.
import { withinASecond } from "./within-a-second.js";

/** Takes what a run and the graphs inside send. */
export interface RunStreams {
  /** Whether a mode is streamed, of a graph that has so many around it. */
  wants(mode: string, depth: number): boolean;
  push(ns: readonly string[], mode: string, payload: unknown, step: number, depth: number): void;
}

/**
 * One part of a stream of several modes: langgraph.js's tuple, `[mode, payload]` or with `subgraphs`
 * `[ns, mode, payload]`, that has its parts by name, too.
 */
export class StreamPart extends Array<unknown> {
  #ns: readonly string[] = [];

  /** @internal */
  static made(ns: readonly string[], mode: string, payload: unknown, subgraphs: boolean): StreamPart {
    const part = new StreamPart();
    part.#ns = ns;
    if (subgraphs) part.push(ns);
    part.push(mode, payload);
    return part;
  }

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  get mode(): string {
    return this.at(-2) as string;
  }

  /** The namespace of the graph: empty for the outermost. */
  get ns(): readonly string[] {
    return this.#ns;
  }

  get payload(): unknown {
    return this.at(-1);
  }
}

/** How a stream shows its parts. */
export interface StreamForm {
  readonly modes: ReadonlySet<string>;
  /** One mode, given as a string: its parts are payloads alone. */
  readonly single: boolean;
  readonly subgraphs: boolean;
  /** How many graphs are around the one that is streamed. */
  readonly depth: number;
}

const nothing = (): void => undefined;

/** A run as it goes: iterate it with `for await`. Leaving the loop stops the run. */
export class GraphStream<Part = unknown> implements AsyncIterableIterator<Part> {
  readonly #form: StreamForm;
  readonly #begin: (stream: RunStreams) => Promise<void>;
  readonly #stop: () => void;
  #parts: Part[] = [];
  #at = 0;
  #waiting: (() => void) | undefined;
  #run: Promise<void> | undefined;
  #ended = false;
  #error: { error: unknown } | undefined;
  #turn: Promise<void> = Promise.resolve();

  /** @internal */
  constructor(form: StreamForm, begin: (stream: RunStreams) => Promise<void>, stop: () => void) {
    this.#form = form;
    this.#begin = begin;
    this.#stop = stop;
  }

  /** @internal */
  wants(mode: string, at: number): boolean {
    const { modes, subgraphs, depth } = this.#form;
    if (at > depth && !subgraphs) return false;
    return modes.has(mode) || ((mode === "tasks" || mode === "checkpoints") && modes.has("debug"));
  }

  /** @internal */
  push(ns: readonly string[], mode: string, payload: unknown, step: number): void {
    if (this.#ended) return;
    const { modes } = this.#form;
    if (modes.has(mode)) this.#add(ns, mode, payload);
    if (modes.has("debug") && (mode === "tasks" || mode === "checkpoints"))
      this.#add(ns, "debug", {
        step: mode === "checkpoints" ? step - 1 : step,
        type: mode === "checkpoints" ? "checkpoint" : "result" in (payload as object) ? "task_result" : "task",
        timestamp: new Date().toISOString(),
        payload,
      });
    this.#waiting?.();
  }

  #add(ns: readonly string[], mode: string, payload: unknown): void {
    const { single, subgraphs } = this.#form;
    const part = single ? (subgraphs ? [ns, payload] : payload) : StreamPart.made(ns, mode, payload, subgraphs);
    this.#parts.push(part as Part);
  }

  /** Returns the next part. Several calls at once get theirs in order. */
  next(): Promise<IteratorResult<Part, undefined>> {
    const next = this.#turn.then(() => this.#next());
    this.#turn = next.then(nothing, nothing);
    return next;
  }

  async #next(): Promise<IteratorResult<Part, undefined>> {
    for (;;) {
      if (this.#at < this.#parts.length) {
        const value = this.#parts[this.#at++] as Part;
        if (this.#at === this.#parts.length) [this.#parts, this.#at] = [[], 0];
        return { value, done: false };
      }
      if (this.#ended) {
        const failed = this.#error;
        this.#error = undefined;
        if (failed) throw failed.error;
        return { value: undefined, done: true };
      }
      this.#run ??= this.#begin(this).then(
        () => this.#end(),
        (error: unknown) => {
          this.#error = { error };
          this.#end();
        },
      );
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
      this.#waiting = undefined;
    }
  }

  #end(): void {
    this.#ended = true;
    this.#waiting?.();
  }

  /** Stops the run and waits for its saves, so that the thread can run again. A saver that hangs gets a second. */
  async return(): Promise<IteratorResult<Part, undefined>> {
    const going = this.#run !== undefined && !this.#ended;
    this.#ended = true;
    this.#parts = [];
    this.#at = 0;
    this.#error = undefined;
    this.#waiting?.();
    if (going) this.#stop();
    await withinASecond(this.#run);
    return { value: undefined, done: true };
  }

  /** The same as `return()`, as streams of the web have it. */
  async cancel(): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
