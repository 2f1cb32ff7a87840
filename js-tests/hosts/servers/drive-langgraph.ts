// The ways to the LangGraph server, each through all turns of a scenario, with the expected view after each. In Node
// and in a page.
import { Client } from "@langchain/langgraph-sdk";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { held, Witness } from "../../peers/recorded/witness";
import { SCENARIOS, type Scenario, type Turn } from "./scenarios.mjs";
import type { Step } from "./steps";
import { ALL_MODES, endsRun, langGraph, langGraphV2, type Part } from "./wire.mjs";

/** One run: folds a turn, with the human's message under this id. */
type Run = (threadId: string, graph: string, turn: Turn, messageId: string) => AsyncIterable<Part>;

async function drive(url: string, graph: string, run: Run): Promise<Step[]> {
  const threadId = await langGraph.newThread(url);
  const thread = new Thread({ threadId });
  const witness = new Witness(thread);
  const steps: Step[] = [];
  for (const turn of (SCENARIOS[graph] as Scenario).turns) {
    const before = held(thread.getConfirmedState());
    const id = crypto.randomUUID();
    if ("say" in turn) thread.optimistic({ messages: [{ type: "human", id, content: turn.say }] });
    await foldLangGraph(thread, run(threadId, graph, turn, id)).catch(() => {});
    const state = await langGraph.state(url, threadId);
    steps.push({ before, seen: witness.see(), server: "refused" in state ? undefined : held(state.values) });
  }
  return steps;
}

export const throughFetch = (url: string, graph: string) =>
  drive(url, graph, (threadId, graph, turn, id) => langGraph.run(url, threadId, langGraph.request(graph, turn, id)));

export function throughSdk(url: string, graph: string): Promise<Step[]> {
  const client = new Client({ apiUrl: url });
  return drive(
    url,
    graph,
    (threadId, graph, turn, id) =>
      client.runs.stream(threadId, graph, {
        ...("say" in turn
          ? { input: { messages: [{ type: "human", id, content: turn.say }] } }
          : { command: { resume: turn.resume } }),
        streamMode: ALL_MODES as ["values"],
        streamSubgraphs: true,
        streamResumable: true,
      }) as AsyncIterable<Part>,
  );
}

export function throughV2(url: string, graph: string): Promise<Step[]> {
  let runs = 0;
  return drive(url, graph, async function* (threadId, graph, turn, id) {
    const { interrupts } = await langGraph.state(url, threadId);
    await langGraphV2.command(url, threadId, langGraphV2.request(++runs, graph, turn, id, interrupts?.[0]?.id));
    // A new connection receives the thread's earlier runs first.
    let told = 0;
    for await (const part of langGraphV2.events(url, threadId)) {
      yield part;
      if (endsRun(part) && ++told === runs) return;
    }
  });
}
