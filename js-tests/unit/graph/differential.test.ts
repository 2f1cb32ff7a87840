// Random graphs beside langgraph.js: the nodes' inputs, the results, and every checkpoint.
import { AIMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { randomOf } from "../../support/random.js";
import { type GraphCase, randomGraph } from "./random-graphs.js";
import { Case, type Saver, type Snapshot } from "./two-hosts.js";

interface Outcome {
  values?: unknown;
  error?: string;
  interrupts?: string[];
}

interface Seen {
  source: string | undefined;
  step: number | undefined;
  versions: Record<string, number>;
  seen: Record<string, Record<string, number>>;
  values: Record<string, unknown>;
}

async function checkpoints(saver: Saver): Promise<Seen[]> {
  const seenAll: Seen[] = [];
  for await (const { checkpoint, metadata } of saver.list({ configurable: { thread_id: "t", checkpoint_ns: "" } })) {
    const { channel_values: values, channel_versions: versions, versions_seen: seen } = checkpoint;
    // langgraph.js writes Sends as a plain list from 1.7 on. It reads both forms, and versions before it only
    // threadfold's form.
    const { __pregel_tasks: sends = [] } = values as { __pregel_tasks?: unknown[] };
    const all = { ...values, __pregel_tasks: sends.length === 2 && Array.isArray(sends[1]) ? sends[1] : sends };
    const held = Object.entries(all).filter(([, value]) => value !== undefined);
    seenAll.push({ source: metadata?.source, step: metadata?.step, versions, seen, values: Object.fromEntries(held) });
  }
  return seenAll.toReversed();
}

/** Returns the pending writes after the newest checkpoint. */
async function written(saver: Saver): Promise<string> {
  for await (const { pendingWrites = [] } of saver.list({ configurable: { thread_id: "t", checkpoint_ns: "" } })) {
    const own = pendingWrites.filter(([, channel]) => !/^__(error|interrupt|resume)/.test(channel));
    return JSON.stringify(own.map(([, channel, value]) => [channel, value]).toSorted());
  }
  return "";
}

/**
 * Whether a node is triggered twice after a checkpoint: langgraph.js sees only the first trigger, and runs it again.
 */
function triggersTwice({ values }: Seen, { joins, nodes }: GraphCase): boolean {
  return nodes.some(({ name, defer }) => {
    const full = joins.filter(([from, to]) => {
      const value = values[`join:${from.join("+")}:${to}`] as unknown[];
      const arrived = defer ? (value?.[0] as unknown[]) : value;
      return to === name && arrived?.length === new Set(from).size;
    });
    return full.length + (`branch:to:${name}` in values ? 1 : 0) > 1;
  });
}

async function outcomeOf(of: Case, input: unknown, config: object): Promise<Outcome> {
  try {
    const { __interrupt__: asked, ...values } = (await of.graph.invoke(input, config)) ?? {};
    of.asked = ((asked ?? []) as { id: string }[]).map(({ id }) => id);
    // langgraph.js lists questions as they came, threadfold in the order of the tasks.
    const questions = ((asked ?? []) as { value?: unknown }[]).map(({ value }) => String(value)).sort();
    return { values, ...(asked !== undefined && { interrupts: questions }) };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: name === "Error" ? message : name };
  }
}

/** Writes to a thread as a node. Returns the name of the error, if there is one. */
const writtenAs = ({ graph }: Case, config: object, node: string): Promise<string> =>
  graph
    .updateState(config, { log: ["written"], sum: 1, messages: [new AIMessage({ id: "w", content: node })] }, node)
    .then(
      () => "done",
      ({ name }: Error) => name,
    );

/** Whether a task has answers to questions. */
const reached = (...states: Snapshot[]): boolean =>
  states.some(({ tasks }) => tasks.some(({ interrupts }) => interrupts.length > 0));

const NOTHING_DIFFERS = "";

/** Runs a graph on both. Returns why the two could not be compared to their end, if so. */
async function compared(spec: GraphCase): Promise<string> {
  const pair = [new Case("langgraph.js", spec), new Case("threadfold", spec)] as const;
  // Where not every checkpoint is saved, another run shows the steps.
  const watched =
    spec.checkpointed && spec.durability !== "exit"
      ? undefined
      : new Case("threadfold", { ...spec, checkpointed: true });
  const config = { configurable: { thread_id: "t" }, recursionLimit: spec.limit, durability: spec.durability };
  const both = async <T>(what: (of: Case) => Promise<T>): Promise<[T, T]> => [await what(pair[0]), await what(pair[1])];
  let calls = [...spec.calls];
  let writeAs = spec.checkpointed && spec.durability !== "exit" ? spec.writeAs : undefined;
  let input: ((of: Case) => unknown) | undefined = () => ({ log: ["in"], sum: 1 });
  for (let turn = 0; turn < 7 && input; turn++) {
    const next = input;
    const [theirs, ours] = await both((of) => outcomeOf(of, next(of), config));
    if (watched) {
      await outcomeOf(watched, next(watched), { ...config, durability: "async" });
      if ((await checkpoints(watched.saver)).some((one) => triggersTwice(one, spec))) return "two triggers at once";
    }
    if (spec.durability === "exit" && theirs.error === "InvalidUpdateError") {
      // langgraph.js saves half of the step that conflicts.
      expect(ours.error).toBe(theirs.error);
      return "a conflict, saved at exit";
    }
    if (spec.checkpointed) {
      const [reference, own] = await both(({ saver }) => checkpoints(saver));
      const odd = reference.findIndex((one) => triggersTwice(one, spec));
      if (odd >= 0) {
        expect(own.slice(0, odd + 1)).toEqual(reference.slice(0, odd + 1));
        return "two triggers at once";
      }
      expect(own).toEqual(reference);
    }
    expect(pair[1].calls).toEqual(pair[0].calls);
    if (!spec.checkpointed && ours.interrupts?.length) {
      // As in Python, an interrupt is reported where it cannot be answered.
      expect(["GraphValueError", "AggregateError"]).toContain(theirs.error);
      return "a question without a checkpointer";
    }
    // Of several errors, Python and threadfold throw the first.
    if (theirs.error === "AggregateError") {
      expect(ours.error).toMatch(/ fails$/);
      return "several errors";
    }
    // langgraph.js returns nothing for a run in which nothing was written.
    if (theirs.values && Object.keys(theirs.values).length === 0) theirs.values = ours.values;
    expect(ours).toEqual(theirs);
    if (!spec.checkpointed) {
      if (ours.error || ours.interrupts) return NOTHING_DIFFERS;
    } else {
      const [state, own] = await both(({ graph }) => graph.getState(config).catch((error: Error) => error.name));
      // The siblings of a failed node: langgraph.js loses the edges of those that had finished. A state is not compared
      // if its finished tasks conflict.
      if (ours.error && (typeof own === "string" || own.tasks.length > 1)) {
        const [theirs, ours] = await both(({ saver }) => written(saver));
        if (theirs !== ours) return "siblings of a failed node";
        // Saved again at the next end, in other places, langgraph.js counts a write twice.
        if (spec.durability === "exit") return "an error, saved at exit";
      }
      if (typeof state === "string" || typeof own === "string") expect(own).toEqual(state);
      else {
        // A node that was answered and is not done is unfinished, but langgraph.js takes the answer for its writes.
        const open = reached(own, state) ? own.next.filter((name) => state.next.includes(name)) : own.next;
        expect(open).toEqual(state.next);
        expect(own.values).toEqual(state.values);
        // In the run that continues after the error, it gives a node's second interrupt the answer by id of its first.
        if (ours.error && spec.byId && reached(own)) return "a second question and an error";
      }
    }
    expect(pair[1].decisions.sort()).toEqual(pair[0].decisions.sort());
    if (ours.interrupts?.length && spec.byId)
      // langgraph.js gives a node's second question the answer by id of its first.
      input = (of) => of.command({ resume: Object.fromEntries(of.asked.map((id) => [id, "yes"])) });
    else if (ours.interrupts && ours.interrupts.length > 1) return "several questions and one answer";
    else if (ours.interrupts?.length) input = (of) => of.command({ resume: `yes${turn}` });
    else if (ours.interrupts) input = () => null;
    else if (ours.error) {
      if (ours.error.startsWith("Graph") || ours.error === "InvalidUpdateError") return NOTHING_DIFFERS;
      input = () => null;
    } else if (writeAs !== undefined) {
      const as = writeAs;
      writeAs = undefined;
      const [theirs, ours] = await both((of) => writtenAs(of, config, as));
      expect(ours).toEqual(theirs);
      input = () => null;
    } else {
      const call = calls.shift();
      const [first] = spec.nodes;
      if (call === "input") input = () => ({ log: ["again"] });
      else if (call === "goto" && spec.checkpointed) input = (of) => of.command({ goto: first?.name });
      else if (call === "update" && spec.checkpointed) input = (of) => of.command({ update: { sum: 10 } });
      else if (call === "none" && spec.checkpointed) input = () => null;
      else input = undefined;
    }
  }
  return NOTHING_DIFFERS;
}

// Found by random seeds: each of these graphs runs as langgraph.js does up to the named bug of theirs.
test.each([
  // Of many Sends to one node one fails, and the writes of the finished ones conflict.
  [644664290, "siblings of a failed node"],
])("the graph of seed %i is comparable up to: %s", async (seed, why) => {
  expect(await compared(randomGraph(randomOf(seed)))).toBe(why);
});

test("random graphs run as on langgraph.js", async () => {
  const { seed, numRuns } = seeded("random graphs beside langgraph.js", 1200);
  const stopped = new Map<string, number>();
  for (let at = 0; at < numRuns; at++) {
    const spec = randomGraph(randomOf(seed + at));
    let why: string;
    try {
      why = await compared(spec);
    } catch (error) {
      throw new Error(`graph ${at} of seed ${seed}: ${JSON.stringify(spec)}`, { cause: error });
    }
    stopped.set(why, (stopped.get(why) ?? 0) + 1);
  }
  console.log(Object.fromEntries(stopped));
}, 600_000);
