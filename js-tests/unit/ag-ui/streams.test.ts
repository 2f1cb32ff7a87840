// Streams that are cut, replayed, ended badly or malformed: nothing is lost, nothing is there twice.
import { Observable, Subject } from "rxjs";
import { defineSchema, field, removeMessage, Thread, type ThreadState } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { expect, test, vi } from "vitest";
import { type Event, finished, started, text, textResponse } from "./agents.js";

/** A state with any fields besides. */
type Open = ThreadState & Record<string, unknown>;

const sse = (events: readonly object[], from = 0) =>
  events.map((event, at) => `id: ${from + at}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const reloaded = (thread: Thread, options?: object) =>
  Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object, options) as Thread;
const contents = (thread: Thread) => thread.getState().messages.map(({ content }) => content);
const RUN = [started(), ...text("m1", "Hel", "lo"), finished()];

/** A thread that records complaints. */
function watched(thread = new Thread({ threadId: "t1" })) {
  const errors: { code: string; event: unknown }[] = [];
  thread.on("error", ({ code }, event) => errors.push({ code, event }));
  return { thread, errors };
}

test("an event's id is that of all that it brings: a run that begins with two messages has both", async () => {
  const messages = [
    { id: "u1", role: "user", content: "one" },
    { id: "u2", role: "user", content: "two" },
  ];
  const thread = new Thread();
  await foldAgUi(thread, textResponse(sse([started("r1", { input: { messages } }), finished()])));
  expect(contents(thread)).toEqual(["one", "two"]);
});

test("a delta of the state that is repeated under its id is applied once, in the run input, too", async () => {
  const { thread, errors } = watched();
  const delta = { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/-", value: 2 }] };
  const head = sse([started(), { type: "STATE_SNAPSHOT", snapshot: { log: [1] } }]);
  const again = `id: 9\ndata: ${JSON.stringify(delta)}\n\n`;
  await foldAgUi(thread, textResponse(head + again));
  await foldAgUi(thread, textResponse(again + `id: 10\ndata: ${JSON.stringify(finished())}\n\n`));
  expect(thread.getState()).toMatchObject({ log: [1, 2] });
  expect(runInput(thread).state).toEqual({});
  expect(errors).toEqual([]);
});

test.each([
  ["in the same page", (thread: Thread) => thread],
  ["after a reload", reloaded],
])("chunks that are cut anywhere go on where they were, %s", async (_, between) => {
  const chunks = [
    started(),
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", delta: "a" },
    { type: "TEXT_MESSAGE_CHUNK", delta: "b" },
    { type: "TEXT_MESSAGE_CHUNK", delta: "c" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "n", parentMessageId: "m2", delta: "{" },
    { type: "TOOL_CALL_CHUNK", delta: "}" },
    { type: "REASONING_MESSAGE_CHUNK", messageId: "r1", delta: "h" },
    { type: "REASONING_MESSAGE_CHUNK", delta: "m" },
    finished(),
  ];
  const once = new Thread();
  await foldAgUi(once, chunks as Event[]);
  for (let cut = 1; cut < chunks.length; cut++) {
    const first = new Thread();
    await foldAgUi(first, textResponse(sse(chunks.slice(0, cut))));
    const { thread, errors } = watched(between(first));
    await foldAgUi(thread, textResponse(sse(chunks.slice(cut), cut)));
    expect(errors, `cut at ${cut}`).toEqual([]);
    expect(thread.getState(), `cut at ${cut}`).toEqual(once.getState());
  }
});

const schema = defineSchema({ messages: field.messages(), log: field.append<number>(), mood: field.replace<string>() });

test.each([
  ["with", schema],
  ["without", undefined],
])("optimistic fields before the first run and a reload are in what is sent, %s a schema", (_, given) => {
  const options = given ? { schema: given } : {};
  const thread = new Thread<Open>({ threadId: "t1", ...options } as never);
  thread.optimistic({ log: [3], mood: "gay" });
  const again = reloaded(thread, options);
  expect(runInput(again, options as never).state).toEqual({ log: [3], mood: "gay" });
});

test("an update that a successful run carried is not sent again, if the server sent nothing", async () => {
  const thread = new Thread<Open>({ threadId: "t1", schema } as never);
  thread.optimistic({ log: [1] });
  expect(runInput(thread, { schema }).state).toEqual({ log: [1] });
  await foldAgUi(thread, RUN);
  thread.update({ log: [2] });
  expect(runInput(thread, { schema }).state).toMatchObject({ log: expect.arrayContaining([2]) as number[] });
  await foldAgUi(thread, [started("r2"), { type: "RUN_ERROR", message: "no" }] as Event[]);
  expect(runInput(thread, { schema }).state).toMatchObject({ log: expect.arrayContaining([2]) as number[] });
  await foldAgUi(thread, [started("r3"), finished("r3")]);
  expect(runInput(thread, { schema }).state).toEqual({});
});

test("messages that are not whole are not sent", async () => {
  const thread = new Thread({ threadId: "t1" });
  await foldAgUi(thread, [
    started(),
    ...text("m1", "whole"),
    ...text("m2", "cut off").slice(0, 2),
    { type: "RUN_ERROR", message: "no" },
  ]);
  expect(contents(thread)).toEqual(["whole", "cut off"]);
  expect(runInput(thread).messages).toEqual([{ id: "m1", role: "assistant", content: "whole" }]);
});

test("a message of an unknown role is sent as it is", async () => {
  const thread = new Thread({ threadId: "t1" });
  const odd = { id: "x1", role: "critic", content: "Hm.", type: "constructor" };
  thread.receive({ type: "message", message: odd });
  expect(runInput(thread).messages).toEqual([odd]);
});

/** A source of each kind that gives the start of a run and waits; and whether it was given up. */
const LIVE: Record<
  string,
  () => { source: Parameters<typeof foldAgUi>[1]; say: (event: Event) => void; isClosed: () => boolean }
> = {
  "an async iterable": () => {
    const events = new Subject<Event>();
    let closed = false;
    const waiting: ((event: Event) => void)[] = [];
    events.subscribe((event) => waiting.shift()?.(event));
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise<IteratorResult<Event>>((resolve) => waiting.push((value) => resolve({ value, done: false }))),
        return: () => {
          closed = true;
          // One that never ends.
          return new Promise<never>(() => {});
        },
      }),
    };
    return { source, say: (event) => events.next(event), isClosed: () => closed };
  },
  "an Observable": () => {
    const events = new Subject<Event>();
    return { source: events, say: (event) => events.next(event), isClosed: () => !events.observed };
  },
  "a response": () => {
    let closed = false;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (own) => void (controller = own),
      cancel: () => void (closed = true),
    });
    const source = new Response(body, { headers: { "content-type": "text/event-stream" } });
    return {
      source,
      say: (event) => controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)),
      isClosed: () => closed,
    };
  },
};

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

for (const [what, live] of Object.entries(LIVE)) {
  test(`a listener that throws ends the reading of ${what} and closes it`, async () => {
    const thread = new Thread();
    const { source, say, isClosed } = live();
    const reading = foldAgUi(thread, source, {
      onEvent: () => {
        throw new Error("mine");
      },
    });
    const caught = expect(reading).rejects.toThrow("mine");
    await settled();
    say(started());
    await caught;
    await settled();
    expect(isClosed()).toBe(true);
    expect(thread.run.status).toBe("disconnected");
  });

  test(`a thread that is freed in the middle of ${what} ends its reading and closes it`, async () => {
    const thread = new Thread();
    const { source, say, isClosed } = live();
    const caught = expect(foldAgUi(thread, source)).rejects.toMatchObject({ code: "DISPOSED" });
    await settled();
    say(started());
    await settled();
    thread.dispose();
    say(text("m1")[0] as Event);
    await caught;
    await settled();
    expect(isClosed()).toBe(true);
  });

  test(`a signal ends the reading of ${what} at once, also between events that came together`, async () => {
    const controller = new AbortController();
    const thread = new Thread();
    const { source, say, isClosed } = live();
    const caught = expect(
      foldAgUi(thread, source, {
        signal: controller.signal,
        onEvent: ({ type }) => type === "TEXT_MESSAGE_START" && controller.abort(new Error("enough")),
      }),
    ).rejects.toThrow("enough");
    await settled();
    say(started());
    await settled();
    for (const event of text("m1", "a")) say(event);
    await caught;
    await settled();
    expect(isClosed()).toBe(true);
    expect(contents(thread)).toEqual([""]);
  });
}

const frames = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}`);
const BODIES: Record<string, string> = {
  "without its last blank line": `${frames(RUN).join("\n\n")}\n`,
  "without its last line's end": frames(RUN).join("\n\n"),
  "with carriage returns only": `${frames(RUN).join("\r\r")}\r\r`,
  "with carriage returns only, without the last blank line": frames(RUN).join("\r\r"),
  "with both": `${frames(RUN).join("\r\n\r\n")}\r\n\r\n`,
  "with an empty id in each event": frames(RUN)
    .map((frame) => `id:\n${frame}\n\n`)
    .join(""),
  "with an id, then with empty ones": `id: 1\n${frames(RUN).join("\n\nid:\n")}\n\n`,
  "with a byte order mark": `\uFEFF${frames(RUN).join("\n\n")}\n\n`,
};

for (const [what, body] of Object.entries(BODIES)) {
  for (const partSize of [1, 7, 10_000]) {
    test(`a body ${what}, ${partSize} bytes at a time`, async () => {
      const { thread, errors } = watched();
      expect(await foldAgUi(thread, textResponse(body, partSize))).toMatchObject({ status: "finished" });
      expect(contents(thread)).toEqual(["Hello"]);
      expect(errors).toEqual([]);
    });
  }
}

test("state changes under an empty id are all applied", async () => {
  const thread = new Thread();
  const events = [
    started(),
    ...[1, 2, 3].map((value) => ({ type: "STATE_DELTA", delta: [{ op: "add", path: "/n", value }] })),
    finished(),
  ];
  await foldAgUi(
    thread,
    textResponse(
      frames(events)
        .map((frame) => `id:\n${frame}\n\n`)
        .join(""),
    ),
  );
  expect(thread.getState()).toMatchObject({ n: 3 });
});

test("a body that ends within an event is cut there, without an error", async () => {
  const { thread, errors } = watched();
  const body = `${frames(RUN.slice(0, 3)).join("\n\n")}\n\n${frames(RUN)[3]?.slice(0, -3)}`;
  expect(await foldAgUi(thread, textResponse(body))).toMatchObject({ status: "disconnected" });
  expect(errors).toEqual([]);
  expect(thread.run).toMatchObject({ id: "r1", status: "disconnected" });
  expect(contents(thread)).toEqual(["Hel"]);
});

const endless = (init: ResponseInit, beginning = "") =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
    }),
    init,
  );

test.each<[string, () => Parameters<typeof foldAgUi>[1]]>([
  ["a 500 whose body never ends", () => endless({ status: 500 }, "boom")],
  ["a page that never ends", () => endless({ headers: { "content-type": "text/html" } }, "<p>")],
  ["a stream that says nothing", () => endless({ headers: { "content-type": "text/event-stream" } })],
  ["a promise that is pending for ever", () => new Promise<never>(() => {})],
  ["an Observable that says nothing", () => new Observable<Event>(() => {})],
])("a signal ends the waiting for %s at once", async (_, source) => {
  const controller = new AbortController();
  const reading = foldAgUi(new Thread(), source(), { signal: controller.signal });
  const caught = expect(reading).rejects.toThrow("enough");
  await settled();
  controller.abort(new Error("enough"));
  await caught;
});

test("a response that comes after the signal is given up", async () => {
  const cancel = vi.fn();
  const controller = new AbortController();
  let arrive: (response: Response) => void = () => {};
  const reading = foldAgUi(new Thread(), new Promise<Response>((resolve) => (arrive = resolve)), {
    signal: controller.signal,
  });
  const caught = expect(reading).rejects.toThrow("enough");
  controller.abort(new Error("enough"));
  await caught;
  arrive(new Response(new ReadableStream({ cancel })));
  await settled();
  expect(cancel).toHaveBeenCalledOnce();
});

test.each<[string, Response, RegExp]>([
  [
    "a page of HTML",
    new Response("<p>Welcome", { headers: { "content-type": "text/html; charset=utf-8" } }),
    /text\/html.*Welcome/,
  ],
  ["a body of JSON", Response.json({ detail: "no such agent" }), /application\/json.*no such agent/],
  ["a 500", new Response("boom", { status: 500, statusText: "Oops" }), /500 Oops: boom/],
  ["a 404 of JSON", Response.json({ detail: "none" }, { status: 404 }), /404.*none/],
  ["a 401 without a body", new Response(null, { status: 401 }), /401/],
])("%s is a BAD_RESPONSE, and the run that was asked for has failed", async (_, answer, message) => {
  const thread = new Thread();
  const op = thread.optimistic({ messages: "Q" });
  await expect(foldAgUi(thread, answer)).rejects.toMatchObject({
    name: "ThreadfoldError",
    code: "BAD_RESPONSE",
    message: expect.stringMatching(message) as string,
    status: answer.status,
  });
  expect(JSON.parse(JSON.stringify(thread.run))).toMatchObject({ error: { status: answer.status } });
  expect(reloaded(thread).run).toMatchObject({ error: { code: "BAD_RESPONSE", status: answer.status } });
  expect(thread.run).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
  expect(op.status).toBe("failed");
  expect(thread.pending[0]?.error).toBe(thread.run.error);
});

test("a response that was read already says so", async () => {
  const read = textResponse(sse(RUN));
  await read.text();
  await expect(foldAgUi(new Thread(), read)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("invalid arguments of any kind have a code", async () => {
  for (const wrong of [undefined, null, 1, "text", {}, [], () => {}]) {
    await expect(foldAgUi(wrong as never, RUN)).rejects.toMatchObject({
      name: "ThreadfoldError",
      code: "INVALID_ARGUMENT",
    });
    expect(() => runInput(wrong as never)).toThrow(
      expect.objectContaining({ name: "ThreadfoldError", code: "INVALID_ARGUMENT" }) as Error,
    );
  }
  for (const wrong of [undefined, null, 1, "text", {}, () => {}, Promise.resolve(undefined)]) {
    await expect(foldAgUi(new Thread(), wrong as never)).rejects.toMatchObject({
      name: "ThreadfoldError",
      code: "INVALID_ARGUMENT",
    });
  }
  for (const wrong of [{ signal: 1 }, { onEvent: {} }, { until: "later" }]) {
    await expect(foldAgUi(new Thread(), RUN, wrong as never)).rejects.toMatchObject({
      name: "ThreadfoldError",
      code: "INVALID_ARGUMENT",
    });
  }
  expect(() => runInput(new Thread({ threadId: "t1" }), null as never)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error,
  );
});

const deep = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;

test.each<[string, Event]>([
  ["messages that are null", { type: "MESSAGES_SNAPSHOT", messages: [null] }],
  ["a message without an id", { type: "MESSAGES_SNAPSHOT", messages: [{ role: "user", content: "?" }] }],
  ["a beginning with messages that are null", { type: "RUN_STARTED", runId: "r1", input: { messages: [null] } }],
  [
    "a result that throws when it is read",
    {
      type: "TOOL_CALL_RESULT",
      messageId: "t",
      toolCallId: "c",
      get content(): never {
        throw new Error("mine");
      },
    },
  ],
  [
    "a type that throws when it is read",
    {
      get type(): never {
        throw new Error("mine");
      },
    },
  ],
])("%s: the error listeners hear of it, and the stream goes on", async (_, bad) => {
  const { thread, errors } = watched();
  const end = await foldAgUi(thread, [started(), bad, ...text("m1", "a"), finished()]);
  expect(end.status).toBe("finished");
  expect(contents(thread)).toEqual(["a"]);
  expect(errors).toHaveLength(1);
  expect(errors[0]?.event).toBe(bad);
});

test("deep JSON ends no stream", async () => {
  const { thread } = watched();
  const snapshots = [deep(20_000), deep(20_000)].map((state) => ({ type: "STATE_SNAPSHOT", snapshot: { state } }));
  const activities = [1, 2].map(() => ({
    type: "ACTIVITY_SNAPSHOT",
    messageId: "a1",
    activityType: "P",
    content: { deep: deep(20_000) },
  }));
  const messages = { type: "MESSAGES_SNAPSHOT", messages: [{ id: "u1", role: "user", content: deep(20_000) }] };
  const end = await foldAgUi(thread, [
    started(),
    ...snapshots,
    ...activities,
    messages,
    messages,
    ...text("m1", "a"),
    finished(),
  ] as Event[]);
  expect(end.status).toBe("finished");
  expect(contents(thread).at(-1)).toBe("a");
});

test("an unknown type of a message is just that", async () => {
  const { thread, errors } = watched();
  const messages = ["__proto__", "constructor", "toString"].map((type) => ({
    id: `x-${type}`,
    role: "user",
    type,
    content: "?",
  }));
  await foldAgUi(thread, [
    started("r1", { input: { messages } }),
    ...["__proto__", "constructor"].map((type) => ({ type })),
    finished(),
  ]);
  expect(thread.getState().messages).toEqual(messages);
  expect(errors.map(({ code }) => code)).toEqual(["INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
  expect(runInput(thread).messages).toEqual(messages);
});

test("a snapshot with a message of an unknown role is the messages", async () => {
  const { thread, errors } = watched();
  const messages = [
    { id: "u1", role: "user", content: "Q" },
    { id: "x1", role: "critic", content: "Hm." },
    { id: "m1", role: "assistant", content: "A" },
  ];
  await foldAgUi(thread, [
    started(),
    { type: "MESSAGES_SNAPSHOT", messages },
    { type: "MESSAGES_SNAPSHOT", messages },
    finished(),
  ]);
  expect(thread.getState().messages).toEqual(messages);
  await foldAgUi(thread, [
    started("r2"),
    { type: "MESSAGES_SNAPSHOT", messages: messages.slice(0, 1) },
    finished("r2"),
  ]);
  expect(thread.getState().messages).toEqual(messages.slice(0, 1));
  expect(errors).toEqual([]);
});

test("a server that never sends a snapshot: answered questions are done, and a later failure does not touch them", async () => {
  const thread = new Thread({ threadId: "t1" });
  const ask = (id: string) => thread.optimistic({ messages: [{ id, role: "user", content: id }] });
  const first = ask("u1");
  await foldAgUi(thread, [started("r1"), ...text("m1", "one"), finished("r1")]);
  expect([first.status, thread.pending.length]).toEqual(["done", 0]);
  const second = ask("u2");
  await foldAgUi(thread, [started("r2"), { type: "RUN_ERROR", message: "no" }] as Event[]);
  expect([first.status, second.status]).toEqual(["done", "failed"]);
  expect(contents(thread)).toEqual(["u1", "one", "u2"]);
});

test("a delta on the state's own messages makes no second list of messages", async () => {
  const { thread } = watched();
  const message = { id: "h", role: "user", content: "hi" };
  await foldAgUi(thread, [
    started(),
    ...text("m1", "a"),
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/messages", value: [message] },
        { op: "add", path: "/n", value: 1 },
      ],
    },
    finished(),
  ] as Event[]);
  expect(thread.getState()).toEqual({ messages: [{ id: "m1", role: "assistant", content: "a" }], n: 1 });
  expect(runInput(thread)).toMatchObject({ messages: [{ id: "m1" }], state: {} });
});

test("the run says how it ended", async () => {
  const thread = new Thread();
  const interrupts = [{ id: "i1", reason: "approval" }];
  await foldAgUi(thread, [started(), finished("r1", { outcome: { type: "interrupt", interrupts } })]);
  expect(thread.run).toMatchObject({ id: "r1", status: "interrupted", interrupts });
  await foldAgUi(thread, [started("r2"), { type: "RUN_ERROR", message: "no", code: "E" }] as Event[]);
  expect(thread.run).toMatchObject({
    id: "r2",
    status: "error",
    error: { code: "RUN_FAILED", message: "no", serverCode: "E" },
  });
  await foldAgUi(thread, [started("r3"), finished("r3")]);
  expect(thread.run).toEqual({ id: "r3", status: "ready" });
});

test("the same id is the same run where it is joined or has not ended, and another run else", async () => {
  const more = [
    started(),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/-", value: 2 }] },
    finished(),
  ] as Event[];
  const begun = async () => {
    const thread = new Thread();
    await foldAgUi(thread, [
      started("r0"),
      { type: "STATE_SNAPSHOT", snapshot: { log: [1] } },
      finished("r0"),
    ] as Event[]);
    return thread;
  };
  const log = (thread: Thread) => (thread.getState() as unknown as { log: number[] }).log;
  const ended = await begun();
  await foldAgUi(ended, more);
  await foldAgUi(ended, more);
  expect(log(ended)).toEqual([1, 2, 2]);
  await foldAgUi(ended, more, { join: true });
  expect(log(ended)).toEqual([1, 2, 2]);
  const cut = await begun();
  await foldAgUi(cut, more.slice(0, 2));
  await foldAgUi(cut, more);
  expect(log(cut)).toEqual([1, 2]);
  const other = await begun();
  await foldAgUi(other, more.slice(0, 2));
  await foldAgUi(other, more, { join: false });
  expect(log(other)).toEqual([1, 2, 2]);
});

/** A thread that notes the events it gets, and the messages it is asked for. */
class Asked extends Thread {
  readonly events: { readonly type: string }[] = [];
  readonly asked: string[] = [];

  override receive(event: Parameters<Thread["receive"]>[0]): boolean {
    this.events.push(event);
    return super.receive(event);
  }

  override getConfirmedMessage(id: string): ReturnType<Thread["getConfirmedMessage"]> {
    this.asked.push(id);
    return super.getConfirmedMessage(id);
  }
}

test.each([
  ["events", (id: string, delta: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })],
  ["chunks", (id: string, delta: string) => ({ type: "TEXT_MESSAGE_CHUNK", messageId: id, delta })],
  ["reasoning", (id: string, delta: string) => ({ type: "REASONING_MESSAGE_CONTENT", messageId: id, delta })],
])("a token sends its text and asks the thread nothing: %s", async (_, token) => {
  const thread = new Asked();
  const heard: number[] = [];
  const begin = token("m1", "").type.includes("CHUNK")
    ? []
    : text("m1")
        .slice(0, 1)
        .map((event) => ({ ...event, type: token("", "").type.replace("CONTENT", "START") }));
  await foldAgUi(thread, [started(), ...begin, ...["a", "b", "c", "d"].map((delta) => token("m1", delta))] as Event[], {
    onEvent: () => heard.push(thread.asked.length),
  });
  expect(contents(thread)).toEqual(["abcd"]);
  expect(thread.events.slice(-4, -1)).toEqual(
    ["b", "c", "d"].map((more) => ({ type: "text", messageId: "m1", text: more })),
  );
  // Once the first token has found its message, the others ask for none.
  expect(heard.at(-1)).toBe(heard.at(-3));
});

test("a message that is removed while it streams is reported, and the stream continues", async () => {
  const { thread, errors } = watched();
  const token = (delta: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta });
  let nth = 0;
  await foldAgUi(thread, [started(), ...text("m1", "a", "b"), token("c"), ...text("m2", "x"), finished()] as Event[], {
    onEvent: ({ type }) => {
      if (type === "TEXT_MESSAGE_CONTENT" && ++nth === 2) thread.update({ messages: removeMessage("m1") });
    },
  });
  expect(contents(thread)).toEqual(["x"]);
  expect(errors.map(({ code }) => code)).toEqual(["UNKNOWN_MESSAGE", "UNKNOWN_MESSAGE"]);
});
