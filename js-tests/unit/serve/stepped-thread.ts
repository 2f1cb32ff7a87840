// A thread on a server that is asked for its steps, and the checks of what it sends.
import { defineSchema, field } from "threadfold";
import { serveLangGraph } from "threadfold/serve";
import { expect } from "vitest";
import { type Part, partsOf, StepFold } from "./step-fold.js";

export const Schema = defineSchema({
  log: field.append<string>(),
  sum: field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
  last: field.replace<string>(),
  messages: field.messages(),
});

export interface State {
  values: Record<string, unknown>;
  next: string[];
  metadata: { step?: number };
  checkpoint: { checkpoint_id: string } | null;
  interrupts: { id: string }[];
}

/** The values in one form: an empty list is as good as none. */
export const plain = (values: Record<string, unknown>) => ({
  log: values["log"] ?? [],
  sum: values["sum"] ?? 0,
  last: values["last"],
  messages: ((values["messages"] ?? []) as { id: string; content: string }[]).map(
    ({ id, content }) => `${id}: ${content}`,
  ),
});

export class SteppedThread {
  readonly fold = new StepFold(Schema as never);
  readonly #handler: ReturnType<typeof serveLangGraph>;
  readonly #more: object;

  constructor(graph: object, more: object = {}) {
    this.#handler = serveLangGraph(graph as never, { clientWrites: true });
    this.#more = more;
  }

  async ask(path: string, body?: object): Promise<string> {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    return (await this.#handler(new Request(`http://localhost/threads${path}`, init))).text();
  }

  async state(checkpointId?: string): Promise<State> {
    return JSON.parse(await this.ask(`/t/state${checkpointId ? `/${checkpointId}` : ""}`)) as State;
  }

  /** Runs the graph, and folds what it tells. */
  async run(body: { input?: object | null; command?: { update?: object } & object }): Promise<Part[]> {
    const told = partsOf(
      await this.ask("/t/runs/stream", {
        assistant_id: "agent",
        stream_mode: ["updates"],
        stream_steps: true,
        ...this.#more,
        ...body,
      }),
    );
    this.fold.begin((body.input ?? body.command?.update) as never);
    this.fold.commits = [];
    for (const part of told) this.fold.take(part);
    return told;
  }

  /** Takes the committed values, as a client does that has seen another's update. */
  async takeBase(): Promise<void> {
    const { checkpoint } = await this.state();
    const { values, metadata } = await this.state(checkpoint?.checkpoint_id);
    this.fold.base = values;
    this.fold.step = metadata.step ?? -1;
  }
}

/** Checks the commits of a run, and where it ended. */
export async function checkCommits(thread: SteppedThread, isExit = false): Promise<void> {
  const { fold } = thread;
  expect(fold.isLost).toBe(false);
  for (const { step, checkpoint_id, values } of fold.commits) {
    if (isExit && checkpoint_id === undefined) continue;
    const state = await thread.state(checkpoint_id);
    expect(state.metadata.step).toBe(step);
    expect(plain(values)).toEqual(plain(state.values));
  }
  const head = await thread.state();
  expect(fold.step).toBe(head.metadata.step);
  // Where only the end is saved, an end with an open step names no checkpoint.
  if (!isExit || fold.pending.size === 0) expect(fold.checkpointId).toBe(head.checkpoint?.checkpoint_id);
  expect(plain(fold.shown)).toEqual(plain(head.values));
}
