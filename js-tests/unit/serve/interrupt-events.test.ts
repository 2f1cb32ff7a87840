// How an interrupted run says so: as ag-ui-langgraph does, in AG-UI 1.0's own way, and to clients that fold.
import { type AbstractAgent, HttpAgent, type RunAgentParameters } from "@ag-ui/client";
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { GraphAgent } from "threadfold/ag-ui/client";
import { MemorySaver } from "threadfold/checkpoint";
import { START, StateGraph } from "threadfold/graph";
import { serveAgUi, type ServeAgUiOptions } from "threadfold/serve";
import { expect, test } from "vitest";

type Asking = { interrupt: (value: unknown) => unknown };

/** As the dojo's page of subgraphs asks: which flight, then which hotel. */
const travel = () =>
  new StateGraph(defineSchema({ messages: field.messages(), picked: field.append<string>() }))
    .addNode("flight", (_, { interrupt }: Asking) => ({
      picked: [String(interrupt({ agent: "flights", options: ["KLM", "United"] }))],
    }))
    .addNode("hotel", (_, { interrupt }: Asking) => ({
      picked: [String(interrupt({ agent: "hotels", options: ["Zephyr"] }))],
    }))
    .addEdge(START, "flight")
    .addEdge("flight", "hotel")
    .compile({ checkpointer: new MemorySaver() });

const overHttp = (options: ServeAgUiOptions) => {
  const handler = serveAgUi(travel(), options);
  const fetch = async (url: string, init: RequestInit) => handler(new Request(url, init));
  return new HttpAgent({ url: "http://made/agent", threadId: "t", fetch });
};

/** What react-core 1.74's `useInterrupt` gives a page as `event.value`: of an outcome, the interrupt around the value. */
async function shown(agent: AbstractAgent, parameters: RunAgentParameters): Promise<unknown> {
  let own: unknown;
  let standard: unknown;
  await agent.runAgent(parameters, {
    onCustomEvent: ({ event }) => void (event.name === "on_interrupt" && (own = event.value)),
    onRunFinishedEvent: (params) => void (params.outcome === "interrupt" && (standard = params.interrupts[0])),
  });
  return standard ?? (typeof own === "string" ? JSON.parse(own) : own);
}

const AGENTS: Record<string, (options: ServeAgUiOptions) => AbstractAgent> = {
  "HttpAgent of a served graph": (options) => overHttp(options),
  "HttpAgent of a server that keeps its runs": (options) => overHttp({ ...options, resumable: true }),
  GraphAgent: ({ interrupts }) => new GraphAgent({ graph: travel(), threadId: "t", interrupts }),
};

for (const [name, agentOf] of Object.entries(AGENTS)) {
  test(`${name}: a page of CopilotKit gets the value itself, and its answers resume the run that asked`, async () => {
    const agent = agentOf({});
    expect(await shown(agent, { runId: "r1" })).toEqual({ agent: "flights", options: ["KLM", "United"] });
    expect(agent.pendingInterrupts).toEqual([]);
    const answer = (resume: unknown) => ({ runId: "r1", forwardedProps: { command: { resume } } });
    expect(await shown(agent, answer("KLM"))).toEqual({ agent: "hotels", options: ["Zephyr"] });
    expect(await shown(agent, answer("KLM"))).toBeUndefined();
    expect(agent.state).toEqual({ picked: ["KLM", "KLM"] });
  });

  test(`${name}: with "outcome" the interrupts are AG-UI's own, with "both" there are both`, async () => {
    const agent = agentOf({ interrupts: "outcome" });
    let customs = 0;
    await agent.runAgent({}, { onCustomEvent: () => void customs++ });
    expect(agent.pendingInterrupts).toMatchObject([{ metadata: { langgraph: { raw: { agent: "flights" } } } }]);
    const id = agent.pendingInterrupts[0]?.id ?? "";
    await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: "United" }] });
    expect(agent.pendingInterrupts).toMatchObject([{ metadata: { langgraph: { raw: { agent: "hotels" } } } }]);
    expect(customs).toBe(0);

    const both = agentOf({ interrupts: "both" });
    await both.runAgent({}, { onCustomEvent: () => void customs++ });
    expect([customs, both.pendingInterrupts.length]).toEqual([1, 1]);
  });
}

test("a runner has the interrupts with their ids in any case", async () => {
  for (const interrupts of [undefined, "outcome", "both"] as const) {
    const handler = serveAgUi(travel(), { interrupts });
    const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
      url: "http://made/agent",
      fetch: async (url, init) => handler(new Request(url, init)),
    });
    const { status, interrupts: asked } = await runner.sendMessage("Go");
    expect([status, asked.length]).toEqual(["interrupted", 1]);
    expect(asked[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      value: { agent: "flights" },
    });
    const next = await runner.resume([{ id: asked[0]?.id, value: "KLM" }]);
    expect(next.interrupts).toMatchObject([{ value: { agent: "hotels" } }]);
  }
});

test("an interrupt's schema and end are its own fields", async () => {
  const responseSchema = { type: "object", properties: { sure: { type: "boolean" } } };
  const expiresAt = "2026-11-28T00:00:00Z";
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("ask", (_, { interrupt }: Asking) => {
      interrupt({ message: "Sure?", reason: "confirm", response_schema: responseSchema, expires_at: expiresAt });
      return {};
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const agent = new GraphAgent({ graph, interrupts: "outcome" });
  await agent.runAgent();
  const fields = { message: "Sure?", responseSchema, expiresAt };
  expect(agent.pendingInterrupts).toMatchObject([{ reason: "confirm", ...fields }]);
  const handler = serveAgUi(graph);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
    url: "http://made/agent",
    fetch: async (url, init) => handler(new Request(url, init)),
  });
  expect((await runner.sendMessage("Go")).interrupts).toMatchObject([fields]);
});

test("an unknown way is refused where it is given", () => {
  const graph = travel();
  const wrong = { interrupts: "custom" as never };
  const error = expect.objectContaining({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining('interrupts: "custom"') as string,
  }) as Error;
  expect(() => serveAgUi(graph, wrong)).toThrow(error);
  expect(() => new GraphAgent({ graph, ...wrong })).toThrow(error);
});
