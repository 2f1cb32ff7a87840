// How a run ends that never began, and one that the user stops.
import { Thread, type Source } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { Recorder } from "./recorder";
import { ai, chunk, human, metadata, streamOf, values } from "./streams";

const Q = human("q", "Hi");
const down = new TypeError("fetch failed");
const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const v2 = (method: string, data: unknown, id: string) => ({
  type: "event",
  event_id: id,
  seq: 1,
  method,
  params: { namespace: [], data },
});

/** Says these parts, then `then`, then no more. */
async function* open(parts: Parameters<typeof streamOf>[0], then: () => void): AsyncGenerator<object> {
  yield* streamOf(parts);
  then();
  await new Promise(() => {});
}

test("a request that fails: the question has failed, can be retried, and the next run takes it along", async () => {
  const thread = new Recorder();
  const op = thread.optimistic({ messages: [Q] });
  expect(await reason(foldLangGraph(thread, Promise.reject(down)))).toBe(down);
  expect(op.status).toBe("failed");
  expect(thread.run).toMatchObject({ status: "error", error: { code: "RUN_FAILED", cause: down } });
  expect(thread.pending[0]?.error).toBe(thread.run.error);
  op.retry();
  await foldLangGraph(thread, streamOf([metadata(), values(Q), values(Q, ai("a", "Hello"))]));
  expect(op.status).toBe("done");
  expect(thread.contents).toEqual(["Hi", "Hello"]);
});

test("a run that the caller began, and the server refuses, has failed", async () => {
  const thread = new Recorder();
  const op = thread.optimistic({ messages: [Q] });
  thread.receive({ type: "run-started" });
  await reason(foldLangGraph(thread, Promise.reject(down)));
  expect(thread.sent("run-started").length).toBe(1);
  expect(thread.run).toMatchObject({ status: "error", error: { code: "RUN_FAILED", cause: down } });
  expect(op.status).toBe("failed");
});

test("a run that has an id and cannot be joined now stays disconnected", async () => {
  const thread = new Recorder();
  const cut = async function* (): AsyncGenerator<object> {
    yield* streamOf([metadata(), values(Q)]);
    throw down;
  };
  await reason(foldLangGraph(thread, cut()));
  await reason(foldLangGraph(thread, Promise.reject(new Error("still down"))));
  expect(thread.run).toMatchObject({ id: "r1", status: "disconnected" });
});

test("an answer to an interrupt whose request fails: the run that answers later drops nothing", async () => {
  const thread = new Recorder();
  await foldLangGraph(
    thread,
    streamOf([
      metadata(),
      values(Q),
      { event: "values|sub:1", data: { messages: [Q] } },
      {
        event: "messages|sub:1",
        data: [{ type: "AIMessageChunk", id: "a", content: "May I?" }, { langgraph_checkpoint_ns: "sub:1" }],
      },
      { event: "values", data: { messages: [Q], __interrupt__: [{ id: "i", value: 1 }] } },
    ]),
  );
  expect(thread.run).toMatchObject({ status: "interrupted" });
  await reason(foldLangGraph(thread, Promise.reject(down)));
  expect(thread.contents).toEqual(["Hi", "May I?"]);
  await foldLangGraph(thread, streamOf([metadata("r2"), values(Q), values(Q, ai("a", "May I?"), ai("b", "Done"))]));
  expect(thread.shown.at(-1)?.length).toBe(3);
  expect(thread.shown.slice(-4).every(({ length }) => length >= 2)).toBe(true);
});

test.each<[string, Parameters<typeof streamOf>[0]]>([
  ["the runs API", [metadata(), values(Q), chunk("a", "Hel")]],
  [
    "protocol v2",
    [
      v2("lifecycle", { event: "running" }, "1"),
      v2("values", { messages: [Q] }, "2"),
      v2("messages", { event: "message-start", role: "ai", id: "a" }, "3"),
      v2("messages", { event: "content-block-delta", index: 0, delta: { type: "text-delta", text: "Hel" } }, "4"),
    ],
  ],
])("stopped by the signal, the half of an answer of %s is kept, and what was sent is over", async (_, parts) => {
  const thread = new Recorder();
  const op = thread.optimistic({ messages: [Q] });
  const controller = new AbortController();
  expect(
    await reason(
      foldLangGraph(
        thread,
        open(parts, () => controller.abort()),
        { signal: controller.signal },
      ),
    ),
  ).toBe(controller.signal.reason);
  expect(thread.run?.status).toBe("ready");
  expect([op.status, thread.incompleteIds]).toEqual(["done", []]);
  expect(thread.getState().messages.length).toBe(2);
  expect(JSON.stringify(thread.getState().messages[1])).toContain("Hel");
  expect(thread.sent("disconnected")).toEqual([]);
  thread.optimistic({ messages: [human("q2", "Again")] });
  await foldLangGraph(thread, streamOf([metadata("r2"), chunk("b", "Yes")]));
  expect(thread.getState().messages.map(({ id }) => id)).toEqual(["q", "a", "q2", "b"]);
});

test("stopped by the signal of its own request, too", async () => {
  const thread = new Recorder();
  const cut = async function* (): AsyncGenerator<object> {
    yield* streamOf([metadata(), values(Q)]);
    throw new DOMException("This operation was aborted", "AbortError");
  };
  await reason(foldLangGraph(thread, cut()));
  expect(thread.run).toMatchObject({ id: "r1", status: "ready" });
});

test("a stop when no run is under way does nothing", async () => {
  const thread = new Recorder();
  const op = thread.optimistic({ messages: [Q] });
  await reason(foldLangGraph(thread, new Promise<Source<object>>(() => {}), { signal: AbortSignal.abort() }));
  expect(thread.events).toEqual([]);
  expect(op.status).toBe("pending");
});

test("a thread that was freed while the request failed: the error is the request's", async () => {
  const thread = new Thread();
  const reading = reason(foldLangGraph(thread, Promise.reject(down)));
  thread.dispose();
  expect(await reading).toBe(down);
});
