// Runs of deepagents, recorded at LangGraph's Python server: each sub-agent is a thread under its call. Of the messages'
// metadata the recordings have the fields that name an agent, a task and a super-step.
import { readFileSync } from "node:fs";
import { textOf, Thread, type Subagent } from "threadfold";
import { foldLangGraph, type LangGraphPart } from "threadfold/langgraph";
import { expect, test } from "vitest";

const read = (name: string): Record<string, LangGraphPart[]> =>
  JSON.parse(readFileSync(new URL(`subagents/${name}.json`, import.meta.url), "utf8"));

const UPDATES = read("python-updates");
const V2 = read("python-v2");
const VALUES = read("python-values");

/** What each sub-agent's call asked, its status, and its texts. */
const tree = (thread: Thread) =>
  thread.subagents.map(({ name, toolCallId, thread: own }: Subagent) => {
    const calls = thread
      .getState()
      .messages.flatMap((message) => (message.type === "ai" ? (message.tool_calls ?? []) : []));
    const { args } = calls.find(({ id }) => id === toolCallId) ?? {};
    const texts = own.getState().messages.map(textOf);
    return [(args as { description?: string } | undefined)?.description, name, own.run.status, ...texts];
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
