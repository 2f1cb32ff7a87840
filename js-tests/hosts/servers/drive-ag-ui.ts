// The ways to the AG-UI server, each through all turns of a scenario, with the expected view after each. In Node and in
// a page.
import { HttpAgent, type Message } from "@ag-ui/client";
import { Thread } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { FoldHttpAgent } from "threadfold/ag-ui/client";
import { holds } from "../../peers/recorded/ag-ui-state";
import { held, Witness, type Held } from "../../peers/recorded/witness";
import { SCENARIOS, type Scenario, type Turn } from "./scenarios.mjs";
import type { Step } from "./steps";
import { agUi } from "./wire.mjs";

const scenario = (graph: string) => SCENARIOS[graph] as Scenario;

async function serverState(url: string, graph: string, threadId: string): Promise<Held | undefined> {
  const state = await agUi.state(url, graph, threadId);
  return "refused" in state ? undefined : holds(state);
}

const userMessage = (content: string): Message => ({ id: crypto.randomUUID(), role: "user", content });

/** Builds the answers to the server's open interrupts, for a turn that has answers. */
async function answers(url: string, graph: string, threadId: string, turn: Turn) {
  if ("say" in turn) return {};
  const { interrupts } = await agUi.state(url, graph, threadId);
  return {
    resume: interrupts.map(({ id }: { id: string }) => ({
      interruptId: id,
      status: "resolved" as const,
      payload: turn.resume,
    })),
  };
}

/** Plain fetch and `foldAgUi`. */
export async function throughFetch(url: string, graph: string): Promise<Step[]> {
  const threadId = crypto.randomUUID();
  const thread = new Thread({ threadId });
  const witness = new Witness(thread);
  const steps: Step[] = [];
  for (const turn of scenario(graph).turns) {
    const before = held(thread.getConfirmedState());
    if ("say" in turn) thread.optimistic({ messages: [userMessage(turn.say)] });
    const input = runInput(thread, {
      tools: scenario(graph).tools ?? [],
      ...(await answers(url, graph, threadId, turn)),
    });
    const response = await fetch(`${url}/${graph}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(input),
    });
    await foldAgUi(thread, response);
    steps.push({ before, seen: witness.see(), server: await serverState(url, graph, threadId) });
  }
  return steps;
}

/** One run of an agent, as a page does it: the same for either class. */
async function runTurn(agent: HttpAgent, graph: string, turn: Turn, resume: object): Promise<void> {
  if ("say" in turn) agent.addMessage(userMessage(turn.say));
  await agent.runAgent({ tools: scenario(graph).tools ?? [], ...resume } as never).catch(() => {});
}

export async function throughFoldHttpAgent(url: string, graph: string): Promise<Step[]> {
  const threadId = crypto.randomUUID();
  const agent = new FoldHttpAgent({ url: `${url}/${graph}`, threadId });
  const witness = new Witness(agent.thread as unknown as Thread);
  const steps: Step[] = [];
  for (const turn of scenario(graph).turns) {
    const before = held(agent.thread.getConfirmedState());
    await runTurn(agent, graph, turn, await answers(url, graph, threadId, turn));
    steps.push({ before, seen: witness.see(), server: await serverState(url, graph, threadId) });
  }
  return steps;
}

/** @ag-ui/client as it is: after each turn what the agent has, and what the server holds. */
export async function throughHttpAgent(
  url: string,
  graph: string,
): Promise<{ agent: Held; server: Held | undefined }[]> {
  const threadId = crypto.randomUUID();
  const agent = new HttpAgent({ url: `${url}/${graph}`, threadId });
  const steps = [];
  for (const turn of scenario(graph).turns) {
    await runTurn(agent, graph, turn, await answers(url, graph, threadId, turn));
    const state = { ...(agent.state as object), messages: agent.messages };
    steps.push({ agent: held(state), server: await serverState(url, graph, threadId) });
  }
  return steps;
}
