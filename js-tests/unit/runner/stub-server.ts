// A server in the process, with its own `fetch`: its runs continue by themselves part by part, and faults can be
// injected. Its answer depends on the user's last message; stub-wires.ts puts it into the protocol's form.

/** The faults to inject, each into the next request that it fits. */
export interface Faults {
  /** The POST of a run, or the question for a thread, is refused with this status. */
  refuse?: number | undefined;
  /** The POST of a run is lost on its way: the server never receives it. */
  lose?: boolean | undefined;
  /** The connection of the POST of a run breaks after so many parts; the run continues. */
  cut?: number | undefined;
  /** Requests that join a run are answered so, one after the other: by a status, no answer at all, or a cut. */
  joins?: (number | "lose" | Cut)[] | undefined;
  /** How `cut` looks: an error, an end of the answer, or one in the middle of an event. */
  end?: Cut["end"];
}

interface Cut {
  cut: number;
  end?: "error" | "close" | "half" | undefined;
}

export interface Held {
  readonly id: string;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

export interface HeldThread {
  readonly id: string;
  messages: Held[];
  fields: Record<string, unknown>;
  /** The interrupts of the thread's last run. */
  open: { readonly id: string; readonly value: unknown }[];
}

/** How one protocol says things. Each answer is the text of a part, or of several. */
export interface Wire {
  /** The request that starts a run, or joins or cancels one; undefined for any other. */
  route(url: URL, init: RequestInit, server: StubServer): Promise<Response> | undefined;
  begin(run: StubRun, thread: HeldThread): object[];
  token(message: Held, text: string, isFirst: boolean): object[];
  finish(run: StubRun, thread: HeldThread, message: Held | undefined): object[];
  fail(run: StubRun, message: string): object[];
  part(id: string, said: object): string;
}

/** A run on the server. */
export class StubRun {
  readonly id: string;
  readonly thread: HeldThread;
  readonly parts: string[] = [];
  isOver = false;
  isCancelled = false;
  #waiting: (() => void)[] = [];

  constructor(id: string, thread: HeldThread) {
    this.id = id;
    this.thread = thread;
  }

  add(text: string): void {
    this.parts.push(text);
    this.#wake();
  }

  end(): void {
    this.isOver = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** A connection that sends the parts after this id as they come, and breaks after so many. */
  response(
    after: string | null,
    cut: number | undefined,
    init: RequestInit,
    headers: Record<string, string> = {},
    left: () => void = () => {},
    end: Cut["end"] = "error",
  ): Response {
    let at = Math.max(0, Number(after ?? 0));
    let rest = cut ?? Infinity;
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        init.signal?.addEventListener("abort", () => {
          left();
          controller.error(init.signal?.reason);
        });
      },
      pull: async (controller) => {
        const isCut = rest <= 0;
        rest -= 1;
        while (at >= this.parts.length && !this.isOver) {
          if (isCut) break;
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        if (isCut) {
          left();
          if (end === "error") return controller.error(new TypeError("network error"));
          const half = this.parts[at] ?? "";
          if (end === "half") controller.enqueue(encoder.encode(half.slice(0, half.length / 2)));
          return controller.close();
        }
        const part = this.parts[at++];
        if (part === undefined) controller.close();
        else controller.enqueue(encoder.encode(part));
      },
      cancel: left,
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
  }
}

export class StubServer {
  readonly threads = new Map<string, HeldThread>();
  readonly runs = new Map<string, StubRun>();
  /** The bodies of the run POSTs that arrived. */
  readonly requests: Record<string, unknown>[] = [];
  /** `Last-Event-ID` of those that joined. */
  readonly joins: (string | null)[] = [];
  faults: Faults = {};
  /** Runs wait before their part of this number, counted from 1, until they are let go. */
  holdAt: number | undefined;
  /** Answers to requests for runs wait until they are let go. */
  holdAnswers = false;
  /** Requests to stop a run get lost, and are never answered. */
  hangCancels = false;
  /** Whether no run fails any more. */
  isMended = false;
  /** Whether a run ends with its connection, as most servers have it that cannot be joined. */
  stopsWhenLeft = false;
  readonly #wire: Wire;
  #held: (() => void)[] = [];
  #made = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    await turn();
    init.signal?.throwIfAborted();
    const aborted = new Promise<never>((_, reject) =>
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
    );
    aborted.catch(() => {});
    if (this.hangCancels && String(input).endsWith("/cancel")) return aborted;
    const response = await (this.#wire.route(new URL(String(input), "http://stub"), init, this) ??
      new Response("Not Found", { status: 404 }));
    if (this.holdAnswers) await Promise.race([this.#letGo(), aborted]);
    return response;
  };

  /** Lets go of all that is held. */
  release(): void {
    this.holdAt = undefined;
    this.holdAnswers = false;
    for (const go of this.#held.splice(0)) go();
  }

  thread(id: string): HeldThread {
    const thread = this.threads.get(id) ?? { id, messages: [], fields: {}, open: [] };
    this.threads.set(id, thread);
    return thread;
  }

  newId(kind: string): string {
    return `${kind}-${++this.#made}`;
  }

  /** Takes the request for a run, or applies its fault. */
  start(
    body: Record<string, unknown>,
    init: RequestInit,
    make: () => { run: StubRun; isNew: boolean; answer?: unknown; headers?: Record<string, string> },
  ): Response {
    const { lose, cut, end } = this.faults;
    const refusal = this.refusal();
    if (refusal) return refusal;
    if (lose) {
      this.faults.lose = undefined;
      throw new TypeError("fetch failed");
    }
    this.requests.push(body);
    const { run, isNew, answer, headers } = make();
    this.runs.set(run.id, run);
    if (isNew) void this.#work(run, answer);
    this.faults.cut = this.faults.end = undefined;
    const left = () => {
      if (this.stopsWhenLeft) run.isCancelled = true;
    };
    return run.response(null, cut, init, headers, left, end);
  }

  /** The error response to a request, if it gets one. */
  refusal(): Response | undefined {
    const { refuse } = this.faults;
    this.faults.refuse = undefined;
    return refuse === undefined ? undefined : new Response(`{"detail":"no"}`, { status: refuse });
  }

  join(run: StubRun | undefined, after: string | null, init: RequestInit): Response {
    const fault = this.faults.joins?.shift();
    if (fault === "lose") throw new TypeError("fetch failed");
    if (typeof fault === "number") return new Response("no", { status: fault });
    if (!run) return new Response("There is no such run.", { status: 404 });
    this.joins.push(after);
    return run.response(after, fault?.cut, init, {}, () => {}, fault?.end);
  }

  cancel(runId: string): Response {
    const run = this.runs.get(runId);
    if (!run || run.isOver) return new Response("It is over.", { status: 404 });
    run.isCancelled = true;
    return new Response(null, { status: 202 });
  }

  async #letGo(): Promise<void> {
    await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  async #work(run: StubRun, answer: unknown): Promise<void> {
    for (const said of this.#script(run, answer)) {
      await turn();
      if (this.holdAt !== undefined && run.parts.length + 1 >= this.holdAt) await this.#letGo();
      if (run.isCancelled) break;
      run.add(this.#wire.part(`${run.parts.length + 1}`, said));
    }
    run.end();
  }

  *#script(run: StubRun, answer: unknown): Generator<object> {
    const { thread } = run;
    const wasOpen = thread.open.length > 0;
    yield* this.#wire.begin(run, thread);
    const question = thread.messages.findLast(({ role }) => role === "user")?.text ?? "";
    if (question.startsWith("Ask") && !wasOpen) {
      thread.open = question.split(" ").map((word) => ({ id: this.newId(word), value: { question: word } }));
      yield* this.#wire.finish(run, thread, undefined);
      return;
    }
    thread.open = [];
    const message: Held = {
      id: this.newId("a"),
      role: "assistant",
      text:
        answer === undefined
          ? `You said ${question}, which is message ${thread.messages.length}.`
          : `You chose ${JSON.stringify(answer)}.`,
    };
    const words = message.text.split(/(?<= )/);
    for (const [at, word] of words.entries()) {
      if (question.startsWith("Fail") && at === 3 && !this.isMended) {
        yield* this.#wire.fail(run, "The model hung up.");
        return;
      }
      yield* this.#wire.token(message, word, at === 0);
    }
    thread.messages = [...thread.messages, message];
    yield* this.#wire.finish(run, thread, message);
  }
}

/** Lets everything else have a turn. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Waits until something holds: as many turns as it takes, but not for ever. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    if (turns > 5_000) throw new Error("It never came to that.");
    await turn();
  }
}
