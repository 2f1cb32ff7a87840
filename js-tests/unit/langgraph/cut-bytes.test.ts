// A body that ends at any of its bytes: an incomplete part is ignored, and the run is rejoined.
import { Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";

const part = (id: number, event: string, data: unknown) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`;
const question = { type: "human", id: "q", content: "Hi" };
const answer = { type: "ai", id: "a", content: "Hello" };
const BEGIN = part(1, "metadata", { run_id: "r" }) + part(2, "values", { messages: [question] });
const REST = part(3, "messages", [answer, {}]) + part(4, "values", { messages: [question, answer] });

const stream = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream", "content-location": "/threads/t/runs/r" } });

/** Sends a message to a server whose first answer ends there; a client that joins gets all of the run. */
async function sent(first: string) {
  const fetch = (async (url) => {
    if (String(url).endsWith("/runs/stream")) return stream(first);
    if (String(url).includes("/runs/r/stream")) return stream(BEGIN + REST);
    return Response.json({ run_id: "r", status: "success" });
  }) as typeof globalThis.fetch;
  const options = { apiUrl: "http://stub", assistantId: "agent", fetch, rejoinDelays: [0] };
  const runner = new LangGraphRunner(new Thread({ threadId: "t" }), options);
  const { status } = await runner.sendMessage(question);
  return [status, runner.thread.getState().messages.map(({ content }) => content)];
}

test.each(["metadata", "values", "updates", "messages", "custom", "error", "end"])(
  "in the middle of %s",
  async (event) => {
    const before = event === "metadata" ? "" : BEGIN;
    const cut = `event: ${event}\ndata: {`;
    // An event without data is one that servers end a stream with.
    for (let at = `event: ${event}\nd`.length; at <= cut.length; at++)
      expect([at, ...(await sent(before + cut.slice(0, at)))]).toEqual([at, "finished", ["Hi", "Hello"]]);
  },
);
