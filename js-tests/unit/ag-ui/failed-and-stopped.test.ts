// How a run ends that never began, and one that the user stops.
import type { BaseEvent, HttpAgent, Message, RunAgentInput } from "@ag-ui/client";
import { Observable } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { FoldHttpAgent, withFold } from "threadfold/ag-ui/client";
import { expect, test, vi } from "vitest";
import { AGENTS, type Event, finished, started, text, toolCall } from "./agents.js";

const KINDS = ["plain", "folding"] as const;
const question: Message = { id: "q", role: "user", content: "Q" };
const failure = () => new Response("boom", { status: 500, statusText: "Oops" });
const page = () => new Response("<p>Sign in", { headers: { "content-type": "text/html" } });
const down = () => Promise.reject<Response>(new TypeError("fetch failed"));

async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const spies = (["warn", "error"] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}));
  try {
    return await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** A response that says these events, and no more until its request is aborted. */
function open(events: readonly Event[], signal?: AbortSignal | null): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(
          new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
        );
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );
}

test.each([
  ["a 500", failure],
  ["a page", page],
  ["a server that is down", down],
])("%s instead of a run: the question has failed, can be retried, and shows again as sent", async (_, answer) => {
  const thread = new Thread({ threadId: "t1" });
  const op = thread.optimistic({ messages: [question] });
  const error: unknown = await foldAgUi(thread, answer()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(op.status).toBe("failed");
  const { status, error: reason } = thread.run;
  expect([status, [error, reason?.cause].includes(error), reason?.message]).toEqual([
    "error",
    true,
    (error as Error).message,
  ]);
  expect(thread.pending[0]?.error).toBe(reason);
  expect(thread.getState().messages).toEqual([question]);
  op.retry();
  await foldAgUi(thread, [started(), ...text("a", "A"), finished()]);
  expect(op.status).toBe("done");
  expect(thread.getState().messages.map(({ id }) => id)).toEqual(["q", "a"]);
});

test("a request that fails after an earlier run takes nothing of that run back", async () => {
  const thread = new Thread({ threadId: "t1" });
  for (const join of [undefined, true]) {
    await foldAgUi(thread, [started(), ...text("a", "A"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, finished()]);
    await expect(foldAgUi(thread, failure(), join === undefined ? {} : { join })).rejects.toThrow("500");
    expect(thread.run.status).toBe("error");
    expect(thread.getConfirmedState()).toMatchObject({ messages: [{ id: "a", content: "A" }], n: 1 });
  }
});

test("a run that the caller began, and the server refuses, has failed: there is nothing to join", async () => {
  const thread = new Thread({ threadId: "t1" });
  const op = thread.optimistic({ messages: [question] });
  thread.receive({ type: "run-started" });
  const later = thread.optimistic({ messages: [{ id: "q2", role: "user", content: "Later" }] });
  await expect(foldAgUi(thread, failure())).rejects.toThrow("500");
  expect(thread.run).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
  expect([op.status, later.status]).toEqual(["failed", "pending"]);
});

test("a run that has an id and cannot be joined now stays disconnected", async () => {
  const thread = new Thread({ threadId: "t1" });
  const op = thread.optimistic({ messages: [question] });
  await foldAgUi(thread, [started(), ...text("a", "A").slice(0, 2)]);
  await expect(foldAgUi(thread, failure())).rejects.toThrow("500");
  expect(thread.run).toMatchObject({ id: "r1", status: "disconnected" });
  expect(op.status).toBe("sent");
  await foldAgUi(thread, [started(), ...text("a", "All"), finished()]);
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Q", "All"]);
});

test("a thread that was freed while the request failed: the error is the request's", async () => {
  const thread = new Thread();
  const reading = foldAgUi(thread, down());
  thread.dispose();
  await expect(reading).rejects.toThrow("fetch failed");
});

/** The calls to a subscriber of an agent's run, and the agent's state afterwards. */
async function heardOf(
  kind: keyof typeof AGENTS,
  fetch: HttpAgent["fetch"],
  during?: (agent: HttpAgent) => Promise<void>,
) {
  const agent = new AGENTS[kind]({ url: "http://made", threadId: "t1", initialMessages: [question], fetch });
  const heard: unknown[] = [];
  agent.subscribe({
    onRunStartedEvent: () => void heard.push("started"),
    onRunErrorEvent: ({ event }) => void heard.push(["error", event.code]),
    onRunFailed: ({ error, messages }) => void heard.push(["failed", error.name, messages.length]),
    onRunFinalized: ({ messages }) => void heard.push(["finalized", messages]),
  });
  await quietly(async () => {
    const run = agent.runAgent().then(
      () => "resolved",
      () => "rejected",
    );
    await during?.(agent);
    heard.push(await run);
  });
  return { agent, heard };
}

test.each([
  ["a 500", async () => failure()],
  ["a server that is down", down],
])("%s for an agent: its run has failed, and its subscribers hear what HttpAgent's do", async (_, fetch) => {
  const plain = await heardOf("plain", fetch);
  const folding = await heardOf("folding", fetch);
  expect(folding.heard).toEqual(plain.heard);
  expect(folding.agent.messages).toEqual(plain.agent.messages);
  expect((folding.agent as FoldHttpAgent).thread.run).toMatchObject({ status: "error" });
});

test("an agent's optimistic question fails with its request", async () => {
  const agent = new FoldHttpAgent({ url: "http://made", fetch: async () => failure() });
  const op = agent.thread.optimistic({ messages: [question] });
  await quietly(() => expect(agent.runAgent()).rejects.toThrow("500"));
  expect(op.status).toBe("failed");
  expect(agent.messages).toEqual([question]);
});

const HALF: Record<string, Event[]> = {
  "a text": text("m1", "Hel", "lo").slice(0, 2),
  "the arguments of a tool call": toolCall("c1", "m1", '{"a":', "1}").slice(0, 2),
};

for (const [what, half] of Object.entries(HALF)) {
  test.each([
    ["abortRun", (agent: HttpAgent) => agent.abortRun()],
    ["the controller it was given", (agent: HttpAgent) => agent.abortController.abort()],
  ])(`an agent stopped within ${what} by %s: it is kept and sent, as HttpAgent does`, async (_, stop) => {
    const ends = [];
    for (const kind of KINDS) {
      const sent: { messages: Message[] }[] = [];
      const { agent, heard } = await heardOf(
        kind,
        async (_url, { body, signal }) => {
          sent.push(JSON.parse(String(body)) as { messages: Message[] });
          return open(sent.length === 1 ? [started(), ...half] : [started("r2"), finished("r2")], signal);
        },
        async (running) => {
          await vi.waitFor(() => expect(running.messages.length).toBe(2));
          stop(running);
        },
      );
      if (agent instanceof FoldHttpAgent) {
        expect(agent.thread.run).toMatchObject({ id: "r1", status: "ready" });
        expect(agent.thread.incompleteIds).toEqual([]);
      }
      await quietly(async () => {
        const second = agent.runAgent();
        await vi.waitFor(() => expect(sent.length).toBe(2));
        agent.abortRun();
        await second;
      });
      ends.push({ heard, messages: agent.messages, sent: sent.map(({ messages }) => messages) });
    }
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[1]?.sent[1]?.length).toBe(2);
  });
}

test("an agent stopped before its answer comes: nothing is under way, and pending updates wait", async () => {
  const fetch: HttpAgent["fetch"] = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  const soon = async (agent: HttpAgent) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    agent.abortRun();
  };
  const [plain, folding] = [await heardOf("plain", fetch, soon), await heardOf("folding", fetch, soon)];
  expect(folding.heard).toEqual(plain.heard);
  expect((folding.agent as FoldHttpAgent).thread.run).toMatchObject({ status: "ready" });
});

test("an agent of another kind that ends its stream when it is stopped, without a word", async () => {
  const end: { now?: () => void } = {};
  class Own extends FoldHttpAgent {
    override run(_: RunAgentInput): Observable<BaseEvent> {
      return new Observable((subscriber) => {
        for (const event of [started(), ...text("m1", "Hel").slice(0, 2)])
          subscriber.next(event as unknown as BaseEvent);
        end.now = () => subscriber.complete();
      });
    }
    override abortRun(): void {
      super.abortRun();
      end.now?.();
    }
  }
  const agent = new (withFold(Own))({ url: "http://made" });
  const run = agent.runAgent();
  await vi.waitFor(() => expect(agent.messages.length).toBe(1));
  agent.abortRun();
  await quietly(() => run);
  expect(agent.thread.run).toMatchObject({ id: "r1", status: "ready" });
  expect(agent.messages).toMatchObject([{ id: "m1", content: "Hel" }]);
});

test.each(["the option signal", "fetch's own signal"])(
  "stopped by %s, the half of an answer and the question are kept, and sent",
  async (by) => {
    const thread = new Thread({ threadId: "t1" });
    const op = thread.optimistic({ messages: [question] });
    const controller = new AbortController();
    const { signal } = controller;
    const reading = foldAgUi(
      thread,
      open([started(), ...text("a", "Hel").slice(0, 2)], signal),
      by === "the option signal" ? { signal } : {},
    );
    const caught = expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(thread.getState().messages.length).toBe(2));
    controller.abort();
    await caught;
    expect(thread.run).toMatchObject({ id: "r1", status: "ready" });
    expect(op.status).toBe("done");
    const kept = [question, { id: "a", role: "assistant", content: "Hel" }];
    expect(runInput(thread).messages).toEqual(kept);
    await foldAgUi(thread, [started("r2"), ...text("b", "B"), finished("r2")]);
    expect(thread.getState().messages).toEqual([...kept, { id: "b", role: "assistant", content: "B" }]);
  },
);

test("a stop when no run is under way does nothing: pending updates wait, also after a run's end", async () => {
  const thread = new Thread({ threadId: "t1" });
  const op = thread.optimistic({ messages: [question] });
  const before = thread.run;
  const { signal } = new AbortController();
  await expect(foldAgUi(thread, Promise.reject(new DOMException("stopped", "AbortError")), { signal })).rejects.toThrow(
    "stopped",
  );
  await expect(foldAgUi(thread, [], { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(thread.run).toBe(before);
  expect(op.status).toBe("pending");
});

test("a run that the caller began, and the user stops before its first event, is over", async () => {
  const thread = new Thread({ threadId: "t1" });
  const op = thread.optimistic({ messages: [question] });
  thread.receive({ type: "run-started" });
  await expect(foldAgUi(thread, [], { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(thread.run).toMatchObject({ status: "ready" });
  expect(op.status).toBe("done");
  expect(thread.getConfirmedState().messages).toEqual([question]);
});
