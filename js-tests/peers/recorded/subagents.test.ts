// Runs of deepagents, recorded at LangGraph's Python server and from ag-ui-langgraph (record_ag_ui.py): each sub-agent is
// a thread under its call. The messages' metadata is cut down to the fields that name an agent, a task and a super-step.
import { readFileSync } from "node:fs";
import { textOf, Thread, type AgUiState, type Subagent } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph, type LangGraphPart } from "threadfold/langgraph";
import { expect, test } from "vitest";

const read = <Part = LangGraphPart>(name: string): Record<string, Part[]> =>
  JSON.parse(readFileSync(new URL(`subagents/${name}.json`, import.meta.url), "utf8"));

const UPDATES = read("python-updates");
const V2 = read("python-v2");
const VALUES = read("python-values");
const AG_UI = read<{ type: string }>("python-ag-ui");
/** What serveAgUi sends of an agent with the PII middleware: `js-tests/unit/serve/subagent-corrected.test.ts`. */
const SERVED = read<{ type: string }>("served-ag-ui");

/** The arguments of a thread's calls, by id, in either form. */
const callsIn = (thread: Thread | Thread<AgUiState>): Map<unknown, { description?: string }> =>
  new Map(
    (thread.getState().messages as readonly object[]).flatMap((message) => {
      const { tool_calls: calls = [], toolCalls = [] } = message as {
        tool_calls?: readonly { id?: unknown; args: object }[];
        toolCalls?: readonly { id: string; function: { arguments: string } }[];
      };
      return [
        ...calls.map(({ id, args }) => [id, args] as const),
        ...toolCalls.map((call) => [call.id, JSON.parse(call.function.arguments) as object] as const),
      ];
    }),
  );

/** The task of each sub-agent's call, its name, its status, and its texts. */
const tree = (thread: Thread | Thread<AgUiState>) =>
  thread.subagents.map(({ name, toolCallId, thread: own }: Subagent) => {
    const texts = own.getState().messages.map((message: object) => textOf(message));
    return [callsIn(thread).get(toolCallId)?.description, name, own.run.status, ...texts];
  });

const TRIP = ["sights", "food"].map((task) => [task, "general-purpose", "ready", `I wrote about ${task}.`]);

test("two in parallel", async () => {
  const thread = new Thread();
  const end = await foldLangGraph(thread, UPDATES["trip"] ?? []);
  expect(end.status).toBe("finished");
  expect(tree(thread)).toEqual(TRIP);
});

test.each([
  ["the server's states", VALUES],
  ["protocol v2", V2],
])("two in parallel, with %s", async (_, recorded) => {
  const thread = new Thread();
  await foldLangGraph(thread, recorded["trip"] ?? []);
  expect(tree(thread)).toEqual(TRIP.map(([task, ...rest]) => [task, ...rest.slice(0, 2), task, ...rest.slice(2)]));
});

test("one that asks before it acts, over a reload", async () => {
  const thread = new Thread();
  const asked = await foldLangGraph(thread, UPDATES["ask"] ?? []);
  expect(asked.interrupts.map(({ message }) => message?.split("\n")[0])).toEqual(["Tool execution requires approval"]);
  expect(tree(thread)).toEqual([["hotel", "general-purpose", "interrupted", ""]]);
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
  expect(tree(again)).toEqual(tree(thread));
  await foldLangGraph(again, UPDATES["answered"] ?? []);
  expect(tree(again)).toEqual([["hotel", "general-purpose", "ready", "", "Booked Roma.", "I wrote about hotel."]]);
});

test("cut after any part and joined again", async () => {
  const whole = new Thread();
  await foldLangGraph(whole, UPDATES["trip"] ?? []);
  const run = UPDATES["trip"] ?? [];
  for (let cut = 2; cut < run.length; cut++) {
    let thread = new Thread();
    const failing = async function* () {
      yield* run.slice(0, cut);
      throw new TypeError("cut");
    };
    await foldLangGraph(thread, failing()).catch(() => {});
    if (cut % 2 === 0) thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
    const after = run.findIndex(({ id }) => id === thread.run.lastEventId);
    await foldLangGraph(thread, run.slice(after + 1), { join: true });
    expect([cut, thread.getState().messages, tree(thread)]).toEqual([cut, whole.getState().messages, TRIP]);
  }
});

test("protocol v2: one that asks; the second stream repeats the first run", async () => {
  const thread = new Thread();
  const asked = await foldLangGraph(thread, V2["ask"] ?? []);
  expect(asked.interrupts).toHaveLength(1);
  expect(tree(thread)).toEqual([["hotel", "general-purpose", "interrupted", "hotel", ""]]);
  await foldLangGraph(thread, V2["answered"] ?? []);
  expect(tree(thread)).toEqual([
    ["hotel", "general-purpose", "ready", "hotel", "", "Booked Roma.", "I wrote about hotel."],
  ]);
});

test("AG-UI: two in parallel, as over the runs API", async () => {
  const thread = new Thread<AgUiState>();
  const end = await foldAgUi(thread, AG_UI["trip"] ?? []);
  expect(end.status).toBe("finished");
  expect(tree(thread)).toEqual(TRIP);
  expect(thread.getState().messages.map((message) => textOf(message))).toEqual([
    "trip",
    "",
    "I wrote about sights.",
    "I wrote about food.",
    "Done.",
  ]);
});

test("AG-UI: one whose middleware changes what was streamed", async () => {
  const thread = new Thread<AgUiState>();
  await foldAgUi(thread, SERVED["corrected"] ?? []);
  expect(tree(thread)).toEqual([
    ["Look.", "reader", "ready", "", "Mail [REDACTED_EMAIL]", "Write to [REDACTED_EMAIL]."],
  ]);
});

test("AG-UI: one that asks before it acts, over a reload", async () => {
  const thread = new Thread<AgUiState>();
  const asked = await foldAgUi(thread, AG_UI["ask"] ?? []);
  expect(asked.status).toBe("interrupted");
  expect(asked.interrupts).toMatchObject([{ subagentId: thread.subagents[0]?.id }]);
  expect(tree(thread)).toEqual([["hotel", "general-purpose", "interrupted", ""]]);
  const again = Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)));
  expect(tree(again)).toEqual(tree(thread));
  // The server sends the calls of both again, and its snapshots have only this run's messages of the sub-agent.
  await foldAgUi(again, AG_UI["answered"] ?? []);
  expect(tree(again)).toEqual([["hotel", "general-purpose", "ready", "", "Booked Roma.", "I wrote about hotel."]]);
  expect(again.getState().messages).toHaveLength(4);
});

test("AG-UI: cut after any event and joined again", async () => {
  const run = AG_UI["trip"] ?? [];
  const sent = (from: number) =>
    run.map((event, at) => `id: ${at + 1}\ndata: ${JSON.stringify(event)}\n\n`).slice(from);
  const stream = (parts: readonly string[]) =>
    new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
  const whole = new Thread<AgUiState>();
  await foldAgUi(whole, stream(sent(0)));
  for (let cut = 2; cut < run.length; cut++) {
    let thread = new Thread<AgUiState>();
    await foldAgUi(thread, stream(sent(0).slice(0, cut)));
    expect(thread.run.status).toBe("disconnected");
    if (cut % 2 === 0) thread = Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)));
    await foldAgUi(thread, stream(sent(Number(thread.run.lastEventId))), { join: true });
    expect([cut, thread.getState().messages, tree(thread)]).toEqual([cut, whole.getState().messages, TRIP]);
  }
});
