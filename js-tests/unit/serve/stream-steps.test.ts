// `stream_steps`: the updates sent, folded by their marks, are the state that the graph has at each checkpoint.
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { randomOf } from "../../support/random.js";
import { type GraphCase, randomGraph } from "../graph/random-graphs.js";
import { Case } from "../graph/two-hosts.js";
import { checkCommits, SteppedThread } from "./stepped-thread.js";

async function checked(host: "langgraph.js" | "threadfold", spec: GraphCase): Promise<number> {
  const graph = new Case(host, spec);
  const thread = new SteppedThread(graph.graph, {
    config: { recursion_limit: spec.limit },
    durability: spec.durability,
  });
  const isExit = spec.durability === "exit";
  const calls = [...spec.calls];
  let writeAs = isExit ? undefined : spec.writeAs;
  let body: Parameters<SteppedThread["run"]>[0] | undefined = { input: { log: ["in"], sum: 1 } };
  let told = 0;
  for (let turn = 0; turn < 7 && body; turn++) {
    const parts = await thread.run(body);
    told += parts.length;
    const failed = parts.at(-1)?.event === "error";
    // A state is not shown whose finished tasks conflict.
    if (failed && /^(InvalidUpdate|Aggregate|EmptyInput)/.test(String(parts.at(-1)?.data["error"]))) return told;
    if (failed && !("values" in (await thread.state()))) return told;
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
