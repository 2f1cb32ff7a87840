// An AG-UI agent that a test steers, one event at a time.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions, type RunAgentInput, type AgUiTransport } from "threadfold/ag-ui";
import { turn } from "./stub-server.js";

/** One request to the agent: it answers when the test does so. */
export class Call {
  readonly input: RunAgentInput | undefined;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly #parts: (object | Error | undefined)[] = [];
  #wake: () => void = () => {};
  #lost: TypeError | undefined;

  constructor(runId: string, signal: AbortSignal, input?: RunAgentInput) {
    this.runId = runId;
    this.signal = signal;
    this.input = input;
    signal.addEventListener("abort", () => this.#add(signal.reason as Error));
  }

  begin(): this {
    return this.#add({ type: "RUN_STARTED", threadId: "t", runId: this.runId });
  }

  /** Says a whole message. */
  say(messageId: string, delta = messageId): this {
    this.#add({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    this.#add({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    return this.#add({ type: "TEXT_MESSAGE_END", messageId });
  }

  /** Sends any event. */
  send(event: object): this {
    return this.#add(event);
  }

  finish(): void {
    this.#add({ type: "RUN_FINISHED", threadId: "t", runId: this.runId }).#add(undefined);
  }

  ask(...ids: string[]): void {
    const interrupts = ids.map((id) => ({ id, reason: "confirmation", message: `${id}?` }));
    this.#add({ type: "RUN_FINISHED", threadId: "t", runId: this.runId, outcome: { type: "interrupt", interrupts } });
    this.#add(undefined);
  }

  fail(message = "overloaded"): void {
    this.#add({ type: "RUN_ERROR", message }).#add(undefined);
  }

  /** Refuses the request. */
  refuse(status: number): void {
    this.#add(Object.assign(new Error(`HTTP ${status}`), { status }));
  }

  /** The request does not reach the agent. */
  lose(): void {
    this.#lost = new TypeError("Failed to fetch");
    this.cut();
  }

  /** Resolves with the first part, or rejects if the request was lost. */
  async arrives(): Promise<this> {
    while (this.#parts.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#lost) throw this.#lost;
    return this;
  }

  cut(): void {
    this.#add(new TypeError("network error"));
  }

  /** The texts of the messages that it was sent. */
  get texts(): unknown[] {
    return (this.input?.messages ?? []).map((message) => (message as { content?: unknown }).content);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      while (this.#parts.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const part = this.#parts.shift();
      if (part === undefined) return;
      if (part instanceof Error) throw part;
      yield part;
    }
  }

  #add(part: object | undefined): this {
    this.#parts.push(part);
    this.#wake();
    return this;
  }
}

/** A runner whose requests wait in `calls` until the test answers them. */
export function told(
  options: Partial<AgUiRunnerOptions> & { joins?: boolean; cancel?: AgUiTransport["cancel"] } = {},
  thread = new Thread<AgUiState>(),
) {
  const { joins = false, cancel, ...rest } = options;
  const calls: Call[] = [];
  const joined: Call[] = [];
  const add = (list: Call[], call: Call) => (list.push(call), call);
  const runner = new AgUiRunner(thread, {
    transport: {
      run: (input, { signal }) => {
        const call = add(calls, new Call(input.runId, signal, input));
        return (rest.whileOffline ? call.arrives() : call) as never;
      },
      ...(joins && {
        join: ({ runId }, { signal }) => add(joined, new Call(runId, signal)) as never,
        cancel: () => {},
      }),
      ...(cancel && { cancel }),
    },
    ...(joins && { rejoinDelays: [0, 0, 0] }),
    ...rest,
  });
  return { thread, runner, calls, joined };
}

/** Lets all pending work run, timers without a delay too: those set before fire before these. */
export async function settled(): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (let turns = 0; turns < 4; turns++) await turn();
  }
}

/** Returns a promise's result, or `pending`. */
export async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  let state: unknown = "pending";
  promise.then(
    (value) => (state = value),
    (error: unknown) => (state = { code: (error as { code?: unknown }).code }),
  );
  await settled();
  return state;
}
