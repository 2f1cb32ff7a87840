// `stream_steps`: the updates sent, folded by their marks, are the state that the graph has at each checkpoint.
import { defineSchema, field } from "threadfold";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { type GraphCase, randomGraph, randomOf } from "../graph/random-graphs.js";
import { Case } from "../graph/two-hosts.js";
import { type Part, partsOf, StepFold } from "./step-fold.js";

const Schema = defineSchema({
  log: field.append<string>(),
  sum: field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
  last: field.replace<string>(),
  messages: field.messages(),
});

interface State {
  values: Record<string, unknown>;
  next: string[];
  metadata: { step?: number };
  checkpoint: { checkpoint_id: string } | null;
  interrupts: { id: string }[];
}

/** The values in one form: an empty list is as good as none. */
const plain = (values: Record<string, unknown>) => ({
  log: values["log"] ?? [],
  sum: values["sum"] ?? 0,
  last: values["last"],
  messages: ((values["messages"] ?? []) as { id: string; content: string }[]).map(
    ({ id, content }) => `${id}: ${content}`,
  ),
});

class Thread {
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
async function checkCommits(thread: Thread, isExit: boolean): Promise<void> {
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

async function checked(host: "langgraph.js" | "threadfold", spec: GraphCase): Promise<number> {
  const graph = new Case(host, spec);
  const thread = new Thread(graph.graph, { config: { recursion_limit: spec.limit }, durability: spec.durability });
  const isExit = spec.durability === "exit";
  const calls = [...spec.calls];
  let writeAs = isExit ? undefined : spec.writeAs;
  let body: Parameters<Thread["run"]>[0] | undefined = { input: { log: ["in"], sum: 1 } };
  let told = 0;
  for (let turn = 0; turn < 7 && body; turn++) {
    const parts = await thread.run(body);
    told += parts.length;
    const failed = parts.at(-1)?.event === "error";
    // A state is not shown whose finished tasks conflict.
    if (failed && /^(InvalidUpdate|Aggregate|EmptyInput)/.test(String(parts.at(-1)?.data["error"]))) return told;
    // langgraph.js drops parts as it fails, which cannot be read again where only the end is saved.
    if (thread.fold.isLost && failed && isExit && host === "langgraph.js") return told;
    await checkCommits(thread, isExit);
    if (parts.at(-1)?.data["error"] === "GraphRecursionError") return told;
    const { interrupts, next } = await thread.state();
    if (interrupts.length > 0) {
      const resume = Object.fromEntries(interrupts.map(({ id }) => [id, "yes"]));
      body = { command: { resume } as never };
    } else if (failed || next.length > 0) body = { input: null };
    else if (writeAs !== undefined) {
      const values = { log: ["written"], sum: 1, messages: [{ type: "ai", id: "w", content: "written" }] };
      await thread.ask("/t/state", { values, as_node: writeAs });
      writeAs = undefined;
      await thread.takeBase();
      body = { input: null };
    } else {
      const call = calls.shift();
      if (call === "input") body = { input: { log: ["again"] } };
      else if (call === "goto") body = { command: { goto: spec.nodes[0]?.name } as never };
      else if (call === "update") body = { command: { update: { sum: 10 } } };
      else if (call === "none") body = { input: null };
      else body = undefined;
    }
  }
  return told;
}

test.each(["threadfold", "langgraph.js"] as const)("random graphs of %s, folded by their marks", async (host) => {
  const { seed, numRuns } = seeded(`stream_steps of ${host}`, 150);
  let told = 0;
  for (let at = 0; at < numRuns; at++) {
    const spec = { ...randomGraph(randomOf(seed + at)), checkpointed: true };
    try {
      told += await checked(host, spec);
    } catch (error) {
      throw new Error(`The graph of seed ${seed + at}: ${(error as Error).message}`, { cause: error });
    }
  }
  expect(told).toBeGreaterThan(numRuns);
});
