// Where events may come from, and how reading them ends.
import { Observable, of, Subject } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { type Event, finished, response, started, text, textResponse } from "./agents.js";

const RUN = [started(), ...text("m1", "Hel", "lo 你好 👋"), finished("r1", { result: 7 })];
const SAID = [{ id: "m1", role: "assistant", content: "Hello 你好 👋" }];
const END = { status: "finished", value: 7, pendingToolCallIds: [] };

async function* slowly(events: readonly Event[]): AsyncGenerator<Event> {
  for (const event of events) {
    await Promise.resolve();
    yield event;
  }
}

/** Cuts a server's output into pieces of so many characters or bytes. */
async function* pieces<T extends string | Uint8Array>(all: T, size: number): AsyncGenerator<T> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size) as T;
}
const sse = RUN.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const SOURCES: Record<string, () => Parameters<typeof foldAgUi>[1]> = {
  "a list": () => RUN,
  "an async iterable": () => slowly(RUN),
  "an Observable": () => of(...RUN),
  "an Observable by its symbol": () => ({ "@@observable": () => of(...RUN) }) as never,
  "a response": () => response(RUN),
  "a response, byte by byte": () => response(RUN, 1),
  "a response that is still to come": () => Promise.resolve(response(RUN)),
  "a response's body": () => response(RUN).body as ReadableStream<Uint8Array>,
  "a stream of events": () =>
    new ReadableStream({ start: (all) => (RUN.forEach((one) => all.enqueue(one)), all.close()) }),
  "an async iterable of text": () => pieces(sse, 7),
  "an async iterable of bytes": () => pieces(new TextEncoder().encode(sse), 3),
};

for (const [what, source] of Object.entries(SOURCES)) {
  test(`events from ${what}`, async () => {
    const thread = new Thread();
    expect(await foldAgUi(thread, source())).toMatchObject(END);
    expect(thread.getState().messages).toEqual(SAID);
    expect(thread.run).toMatchObject({ id: "r1", status: "ready" });
  });
}

test("the fields of server-sent events: comments, line ends, data over several lines, ids", async () => {
  const thread = new Thread();
  const lines = [
    ": hello",
    "retry: 10",
    "",
    "event: message",
    "id: 1",
    'data: {"type":"RUN_STARTED",',
    'data: "threadId":"t1","runId":"r1"}',
    "",
    "id: 2",
    'data: {"type":"TEXT_MESSAGE_START","messageId":"m1"}',
    "",
    "id: 3",
    'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a"}',
    "",
    "id: 3",
    'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a"}',
    "",
    "",
  ];
  expect(await foldAgUi(thread, textResponse(lines.join("\r\n")))).toMatchObject({ status: "disconnected" });
  expect(thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "a" }]);
  expect(thread.run).toMatchObject({ status: "disconnected", lastEventId: "3" });
});

test("a run joined again after the last id, and once more from its start", async () => {
  const parts = RUN.map((event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`);
  for (let cut = 1; cut < parts.length; cut++) {
    let thread = new Thread();
    await foldAgUi(thread, textResponse(parts.slice(0, cut).join("")));
    const saved = JSON.parse(JSON.stringify(thread)) as object;
    for (const rest of [parts.slice(cut), parts]) {
      thread = Thread.fromJSON(saved);
      await foldAgUi(thread, textResponse(rest.join("")));
      expect(thread.getState().messages).toEqual(SAID);
    }
  }
});

const ENDS: [string, Event, object][] = [
  ["a result", finished("r1", { result: [1] }), { status: "finished", value: [1], pendingToolCallIds: [] }],
  [
    "calls named as left over",
    finished("r1", { outcome: { type: "success", pendingToolCallIds: ["c9"] } }),
    { status: "finished", pendingToolCallIds: ["c9"] },
  ],
  [
    "an interrupt",
    finished("r1", { outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "r", subagentRunId: null }] } }),
    { status: "interrupted", interrupts: [{ id: "i", raw: { id: "i", reason: "r" } }] },
  ],
  ["a cancellation", finished("r1", { outcome: { type: "cancelled" } }), { status: "stopped" }],
  [
    "an error",
    { type: "RUN_ERROR", message: "no", code: "E" },
    { status: "error", error: { message: "no", code: "RUN_FAILED", serverCode: "E" } },
  ],
];
test.each(ENDS)("a run that ends with %s", async (_, last, end) => {
  expect(await foldAgUi(new Thread(), [started(), last])).toMatchObject(end);
});

test("each interrupt has an id of its own, also where the server gave one that another would get", async () => {
  const interrupts = ["a", "a#2", "a", ""].map((id) => ({ id, reason: "r" }));
  const { interrupts: asked } = await foldAgUi(new Thread(), [
    started(),
    finished("r1", { outcome: { type: "interrupt", interrupts } }),
  ]);
  expect(asked.map(({ id }) => id)).toEqual(["a", "a#2", "a#3", ""]);
});

test("tool calls that the run did not answer are left over", async () => {
  const call = (toolCallId: string) => ({ type: "TOOL_CALL_START", toolCallId, toolCallName: "n" });
  const result = { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c1", content: "" };
  expect(
    await foldAgUi(new Thread(), [started(), call("c1"), call("c2"), result, finished()] as Event[]),
  ).toMatchObject({ pendingToolCallIds: ["c2"] });
});

test("an error fails what is pending", async () => {
  const thread = new Thread();
  const op = thread.optimistic({ messages: [{ id: "u1", role: "user", content: "Q" }] });
  await foldAgUi(thread, [started(), { type: "RUN_ERROR", message: "no" }]);
  expect(op.status).toBe("failed");
  expect(thread.run).toMatchObject({ status: "error", error: { code: "RUN_FAILED", message: "no" } });
  expect(thread.pending[0]?.error).toBe(thread.run.error);
});

test("reading stops with the run, and the source is given up", async () => {
  let returned = 0;
  let unsubscribed = 0;
  async function* endless() {
    try {
      yield* RUN;
      await new Promise(() => {});
    } finally {
      returned++;
    }
  }
  await foldAgUi(new Thread(), endless());
  await foldAgUi(
    new Thread(),
    new Observable<Event>((subscriber) => {
      for (const event of RUN) subscriber.next(event);
      return () => void unsubscribed++;
    }),
  );
  let cancelled = 0;
  const body = new ReadableStream({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode(RUN.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))),
    cancel: () => void cancelled++,
  });
  await foldAgUi(new Thread(), new Response(body));
  expect([returned, unsubscribed, cancelled]).toEqual([1, 1, 1]);
});

test("all the runs of a stream", async () => {
  const thread = new Thread();
  const second = [started("r2"), ...text("m2", "More"), { type: "RUN_ERROR", message: "no" }];
  expect(await foldAgUi(thread, [...RUN, ...second], { until: "stream" })).toMatchObject({
    status: "error",
    error: { message: "no" },
  });
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Hello 你好 👋", "More"]);
});

test("every event is heard of, once it is folded", async () => {
  const thread = new Thread();
  const heard: unknown[] = [];
  await foldAgUi(
    thread,
    [started(), { type: "CUSTOM", name: "n", value: 1 }, ...text("m1", "a"), finished()] as Event[],
    {
      onEvent: ({ type }) => heard.push([type, thread.getState().messages[0]?.content]),
    },
  );
  expect(heard).toEqual([
    ["RUN_STARTED", undefined],
    ["CUSTOM", undefined],
    ["TEXT_MESSAGE_START", ""],
    ["TEXT_MESSAGE_CONTENT", "a"],
    ["TEXT_MESSAGE_END", "a"],
    ["RUN_FINISHED", "a"],
  ]);
});

const never = () => new Promise<never>(() => {});
const WAITING: Record<string, () => Parameters<typeof foldAgUi>[1]> = {
  "an async iterable": async function* () {
    yield* RUN.slice(0, 3);
    await never();
  },
  "an Observable": () =>
    new Observable<Event>((subscriber) => RUN.slice(0, 3).forEach((event) => subscriber.next(event))),
  "a response": () =>
    new Response(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(
            new TextEncoder().encode(
              RUN.slice(0, 3)
                .map((event) => `data: ${JSON.stringify(event)}\n\n`)
                .join(""),
            ),
          ),
      }),
    ),
};

for (const [what, source] of Object.entries(WAITING)) {
  test(`a signal ends the reading of ${what}`, async () => {
    const thread = new Thread();
    const controller = new AbortController();
    const reading = foldAgUi(thread, source(), { signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect(thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "Hel" }]);
    expect(thread.run).toMatchObject({ id: "r1", status: "ready" });
    expect(thread.incompleteIds).toEqual([]);
  });
}

test("a signal that came before", async () => {
  const thread = new Thread();
  await expect(foldAgUi(thread, RUN, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  expect(thread.run).toMatchObject({ status: "ready" });
});

test("the source's own error rejects; folded events stay, and the run can be replayed", async () => {
  const events = new Subject<Event>();
  const thread = new Thread();
  const reading = foldAgUi(thread, events);
  await Promise.resolve();
  for (const event of RUN.slice(0, 3)) events.next(event);
  events.error(new Error("connection lost"));
  await expect(reading).rejects.toThrow("connection lost");
  expect(thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "Hel" }]);
  expect(thread.run).toMatchObject({
    id: "r1",
    status: "disconnected",
    error: { code: "NO_CONNECTION", cause: new Error("connection lost") },
  });
  await foldAgUi(thread, RUN);
  expect(thread.getState().messages).toEqual(SAID);
  expect(thread.run).toMatchObject({ id: "r1", status: "ready" });
});

test("an answer that is not a stream of events", async () => {
  const thread = new Thread();
  await expect(foldAgUi(thread, new Response("boom", { status: 500, statusText: "Oops" }))).rejects.toThrow(
    "500 Oops: boom",
  );
  const other = new Response("x", { headers: { "content-type": "application/vnd.ag-ui.event+proto" } });
  await expect(foldAgUi(thread, other)).rejects.toThrow("text/event-stream");
  await expect(foldAgUi(thread, {} as never)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
