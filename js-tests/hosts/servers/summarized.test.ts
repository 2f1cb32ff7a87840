// Agents whose server summarizes, on the real server. LangChain's middleware removes older messages from the state,
// deepagents' only from the model's request. A thread with its full history shows every message.
import { Thread, type ThreadState } from "threadfold";
import { foldLangGraph, LangGraphRunner } from "threadfold/langgraph";
import { expect, inject, test } from "vitest";
import { expectInSync } from "../../peers/recorded/checks";
import { held, Witness } from "../../peers/recorded/witness";
import { ALL_MODES, langGraph, TWO_MODES } from "./wire.mjs";

const TURNS = 7;
const url = inject("langGraph");

type Said = ThreadState["messages"];

/** Expects the full conversation: a question a turn, each answered. */
function expectAll(history: Said, turns: number) {
  expect(history.filter(({ type }) => type === "human").map(({ content }) => content)).toEqual(
    Array.from({ length: turns }, (_, turn) => `Question ${turn}`),
  );
  expect(history.map(({ type }) => type)).toEqual(
    Array.from({ length: 2 * turns }, (_, at) => (at % 2 ? "ai" : "human")),
  );
  expect(new Set(history.map(({ id }) => id)).size).toBe(2 * turns);
}

async function expectServers(thread: Thread, witness: Witness) {
  const state = await langGraph.state(url, thread.threadId as string);
  if ("refused" in state) throw new Error("The server refuses its own state.");
  // The private fields of the server's middleware are in its own state and in no stream.
  const { messages, ...fields } = state.values as { messages: object[] };
  const told = Object.entries(fields).filter(([name]) => !name.startsWith("_summarization"));
  expectInSync(witness.see(), held({ messages, ...Object.fromEntries(told) }));
}

test.concurrent.each([
  ["summarized", "all modes", ALL_MODES],
  ["summarized", "two modes", TWO_MODES],
  ["deep", "all modes", ALL_MODES],
  ["deep", "two modes", TWO_MODES],
])("%s, %s: the thread is the server's, its history everything", async (graph, _, modes) => {
  const threadId = await langGraph.newThread(url);
  let thread = new Thread({ threadId, history: "full" });
  let witness = new Witness(thread);
  for (let turn = 0; turn < TURNS; turn++) {
    const say = `Question ${turn}`;
    const id = `q${turn}`;
    thread.optimistic({ messages: [{ type: "human", id, content: say }] });
    await foldLangGraph(thread, langGraph.run(url, threadId, langGraph.request(graph, { say }, id, modes)));
    await expectServers(thread, witness);
    expectAll(thread.history, turn + 1);
    // A reload after every other turn.
    if (turn % 2 === 0) continue;
    thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object);
    witness = new Witness(thread);
    expectAll(thread.history, turn + 1);
  }
  const { messages } = thread.getState();
  if (graph === "deep") expect(thread.history).toBe(messages);
  else {
    expect(messages.length).toBeLessThan(2 * TURNS);
    expect(thread.context).toMatchObject({ summary_message: messages[0], cutoff_id: messages[1]?.id });
    expect(thread.history[thread.context?.cutoff_index ?? -1]).toBe(messages[1]);
  }
});

test.concurrent.each([3, 5, 8, 11, 14])(
  "cut after %i parts in the run that summarizes, and joined from its start",
  async (parts) => {
    const threadId = await langGraph.newThread(url);
    const thread = new Thread({ threadId, history: "full" });
    const witness = new Witness(thread);
    for (let turn = 0; turn < 6; turn++) {
      const say = `Question ${turn}`;
      thread.optimistic({ messages: [{ type: "human", id: `q${turn}`, content: say }] });
      const run = langGraph.run(url, threadId, {
        ...langGraph.request("summarized", { say }, `q${turn}`),
        on_disconnect: "continue",
      });
      await foldLangGraph(thread, first(turn < 3 ? Infinity : parts, run)).catch(() => {});
      if (thread.run.status === "disconnected")
        await foldLangGraph(thread, langGraph.join(url, threadId, thread.run.id as string));
      await expectServers(thread, witness);
      expectAll(thread.history, turn + 1);
    }
  },
);

test.concurrent("through the runner, with a thread that is opened again", async () => {
  const options = { apiUrl: url, assistantId: "summarized" };
  const thread = new Thread({ history: "full" });
  const runner = new LangGraphRunner(thread, options);
  const witness = new Witness(thread);
  for (let turn = 0; turn < 4; turn++) await runner.sendMessage(`Question ${turn}`);
  await expectServers(thread, witness);
  expectAll(thread.history, 4);
  // Another device has the server's messages: the summary replaces the rest.
  const other = new Thread({ threadId: thread.threadId, history: "full" });
  await new LangGraphRunner(other, options).load();
  expect(other.history).toEqual(thread.getState().messages);
  expect(other.context).toMatchObject({ summary_message: thread.getState().messages[0] });
});

/** A stream whose connection breaks after so many parts. */
async function* first<T>(count: number, stream: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const part of stream) {
    yield part;
    if (--count === 0) throw new TypeError("network error");
  }
}
