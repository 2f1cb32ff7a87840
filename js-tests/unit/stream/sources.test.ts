// Reading costs the length of its source, and closes a source that it leaves.
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

test.each([
  ["\n", "\r\n"],
  ["\r", ""],
  ["\r\n", ""],
])("events in one piece, with %j between lines and %j at the end, cost their length", async (line, last) => {
  const count = 5_000;
  const event = (more: object) => `data: ${JSON.stringify({ threadId: "t", runId: "r", ...more })}${line}${line}`;
  const text =
    event({ type: "RUN_STARTED" }) +
    event({ type: "RAW", event: 1 }).repeat(count) +
    event({ type: "RUN_FINISHED" }) +
    last;
  let looked = 0;
  const { indexOf } = String.prototype;
  vi.spyOn(String.prototype, "indexOf").mockImplementation(function (this: string, ...wanted: [string, number?]) {
    const at = indexOf.apply(this, wanted);
    looked += (at < 0 ? this.length : at) - (wanted[1] ?? 0);
    return at;
  });
  const headers = { "content-type": "text/event-stream" };
  expect((await foldAgUi(new Thread(), new Response(text, { headers }))).status).toBe("finished");
  vi.restoreAllMocks();
  // At most a slice ahead for each line, where all the rest would be 10,000 times 160 KB.
  expect(looked).toBeLessThan(2 * count * 2 * 16_384);
});

test("a line that is longer than a slice, and letters of two units on the edge of one, stay whole", async () => {
  const said = "🎉日x".repeat(20_000);
  const events = [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: said },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ];
  for (const line of ["\n", "\r", "\r\n"]) {
    const thread = new Thread();
    const text = events.map((event) => `data: ${JSON.stringify(event)}${line}${line}`).join("");
    await foldAgUi(thread, new Response(text, { headers: { "content-type": "text/event-stream" } }));
    expect(thread.getState().messages[0]?.content).toBe(said);
  }
});

test.each([
  ["foldAgUi", foldAgUi],
  ["foldLangGraph", foldLangGraph],
])("%s with a signal that has aborted closes its source, and reads nothing", async (_, fold) => {
  const signal = AbortSignal.abort();
  const closed: string[] = [];
  const body = (name: string) => new ReadableStream<Uint8Array>({ cancel: () => void closed.push(name) });
  const response = (name: string) => new Response(body(name), { headers: { "content-type": "text/event-stream" } });
  const iterable = {
    [Symbol.asyncIterator]: () => ({
      next: async () => (closed.push("read"), { done: true as const, value: undefined }),
      return: async () => (closed.push("an iterable"), { done: true as const, value: undefined }),
    }),
  };
  const sources = [body("a body"), response("a response"), Promise.resolve(response("one to come")), iterable];
  for (const source of sources)
    await expect(fold(new Thread(), source as never, { signal })).rejects.toMatchObject({ name: "AbortError" });
  await new Promise((resolve) => setTimeout(resolve));
  expect(closed.sort()).toEqual(["a body", "a response", "an iterable", "one to come"]);
});

test("a source that fails, of a reading that was aborted, is nobody's unhandled rejection", async () => {
  const signal = AbortSignal.abort();
  for (const source of [Promise.reject(new Error("no")), 7, { subscribe: () => {} }])
    await expect(foldAgUi(new Thread(), source as never, { signal })).rejects.toMatchObject({ name: "AbortError" });
  await new Promise((resolve) => setTimeout(resolve));
});
