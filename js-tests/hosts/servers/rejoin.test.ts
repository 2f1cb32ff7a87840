// A connection that breaks in the middle of a run, joined again through the SDK.
import { Client } from "@langchain/langgraph-sdk";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { expect, inject, test } from "vitest";
import { expectInSync } from "../../peers/recorded/checks";
import { held, Witness } from "../../peers/recorded/witness";
import { byPart } from "../../support/by-part.js";
import { ALL_MODES, langGraph, type Part } from "./wire.mjs";

const url = inject("langGraph");
const client = new Client({ apiUrl: url });
const streamMode = ALL_MODES as ["values"];

/** The first parts of a stream; then the connection is gone. */
async function* first(count: number, stream: AsyncIterable<Part>) {
  for await (const part of stream) {
    yield part;
    if (--count === 0) return;
  }
}

/** A run that is cut off after so many parts; returns its id. */
async function begin(thread: Thread, content: string, count: number): Promise<string> {
  thread.threadId = await langGraph.newThread(url);
  const message = { type: "human", id: "question", content };
  thread.optimistic({ messages: [message] });
  let runId = "";
  const stream = client.runs.stream(thread.threadId, "chat", {
    input: { messages: [message] },
    streamMode,
    streamResumable: true,
    onDisconnect: "continue",
    onRunCreated: (run) => (runId = run.run_id),
  });
  await foldLangGraph(thread, first(count, stream as AsyncIterable<Part>)).catch(() => {});
  return runId;
}

/** Joins the run after this id, or from its start, and reads to its end. */
async function join(thread: Thread, runId: string, lastEventId?: string): Promise<void> {
  // Without modes the server sends the run's own. Of several that the SDK names, Python's takes the last alone.
  const options = lastEventId === undefined ? {} : { lastEventId };
  const stream = client.runs.joinStream(thread.threadId as string, runId, options);
  await foldLangGraph(thread, stream as AsyncIterable<Part>);
}

const text = (thread: Thread) => held(thread.getConfirmedState()).messages.at(-1)?.["content"];

test.concurrent.each([
  ["slowly", "Count slowly to 40"],
  ["in one burst", "Count to 40"],
])("a run that answers %s goes on behind the last id", async (_, question) => {
  const thread = new Thread();
  const witness = new Witness(thread);
  const runId = await begin(thread, question, 12);
  expect(text(thread)).toBe("1 2 3 4 5 6 7 8 9 10 ");
  await join(thread, runId, thread.run?.lastEventId);
  expectInSync(witness.see(), held((await langGraph.state(url, thread.threadId as string)).values));
});

test.concurrent("a run that is replayed from its start doubles nothing", async () => {
  const thread = new Thread();
  const witness = new Witness(thread);
  const runId = await begin(thread, "Count slowly to 40", 12);
  const lengths: number[] = [];
  byPart(thread).subscribe(() => lengths.push(String(text(thread)).length));
  await join(thread, runId);
  expect(text(thread)).toBe(Array.from({ length: 40 }, (_, index) => index + 1).join(" "));
  expect(Math.max(...lengths)).toBe(String(text(thread)).length);
  expectInSync(witness.see(), held((await langGraph.state(url, thread.threadId as string)).values));
});

test.concurrent("a reload in between loses nothing", async () => {
  const thread = new Thread();
  const runId = await begin(thread, "Count slowly to 40", 12);
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object);
  const witness = new Witness(again);
  await join(again, runId, again.run?.lastEventId);
  expectInSync(witness.see(), held((await langGraph.state(url, again.threadId as string)).values));
});
