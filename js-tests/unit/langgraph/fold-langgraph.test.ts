import * as fc from "fast-check";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { expectInSync } from "../../peers/recorded/checks";
import { held, Witness } from "../../peers/recorded/witness";
import { byPart } from "../../support/by-part.js";
import { frozen } from "../../support/frozen.js";
import { seeded } from "../../support/seed.js";
import {
  ai,
  chunk,
  error,
  fixture,
  human,
  metadata,
  numbered,
  remove,
  response,
  said,
  streamOf,
  tool,
  values,
  type Message,
  type Part,
} from "./streams";

const STATE = held((JSON.parse(fixture("tool-call-run.state.json")) as { values: object }).values);

const ids = (thread: Thread): unknown[] => thread.getState().messages.map(({ id }) => id);
const contents = (thread: Thread): unknown[] => thread.getState().messages.map(({ content }) => content);

/** A thread that has folded these parts, with nothing complained of. */
async function folded(parts: Part[], thread = new Thread()): Promise<Thread> {
  const witness = new Witness(thread);
  await foldLangGraph(thread, streamOf(parts));
  const { drifts, errors } = witness.see();
  expect({ drifts, errors }).toEqual({ drifts: [], errors: [] });
  return thread;
}

describe("a server's answer", () => {
  test("of a run with tool calls ends in the server's state, and shows no invalid message", async () => {
    const thread = byPart(new Thread());
    const witness = new Witness(thread);
    const shown = new Set<unknown>();
    thread.subscribe(({ messages }) => {
      for (const { id } of messages) shown.add(id);
    });
    const { runId, interrupts } = await foldLangGraph(thread, response([fixture("tool-call-run.sse")]));
    expectInSync(witness.see(), STATE);
    expect([...shown]).toEqual(STATE.messages.map(({ id }) => id));
    expect({ runId, interrupts }).toEqual({ runId: "01a1fc52-3bc1-7019-a949-d16242979c08", interrupts: [] });
  });

  test("may come in pieces of any length", async () => {
    const bytes = new TextEncoder().encode(fixture("tool-call-run.sse"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        const thread = new Thread();
        const witness = new Witness(thread);
        await foldLangGraph(thread, response(ends.map((end, at) => bytes.slice(at === 0 ? 0 : ends[at - 1], end))));
        expectInSync(witness.see(), STATE);
      }),
      seeded("pieces of a server's answer", 40),
    );
  });

  test("that is a refusal is an error", async () => {
    await expect(foldLangGraph(new Thread(), response(["No such thread"], 404))).rejects.toThrow("404");
  });

  test("may be its body alone", async () => {
    const thread = new Thread();
    await foldLangGraph(thread, response([fixture("tool-call-run.sse")]).body as ReadableStream<Uint8Array>);
    expect(held(thread.getConfirmedState())).toEqual(STATE);
  });
});

describe("parts of messages", () => {
  const ARGUMENTS = '{"path": "a.txt", "lines": ["one", {"n": 1.5}], "done": true}';
  const call = (args: string, at: number) =>
    chunk("a", "", {
      tool_call_chunks: [
        { name: at === 0 ? "write" : null, args, id: at === 0 ? "c1" : null, index: 0, type: "tool_call_chunk" },
      ],
    });

  test("leave other fields and returned values alone", async () => {
    const thread = byPart(new Thread());
    const states: object[] = [];
    thread.subscribe((state, before) => state !== before && states.push(frozen(state)));
    const copies: string[] = [];
    thread.subscribe((state, before) => state !== before && copies.push(JSON.stringify(state)));
    await foldLangGraph(
      thread,
      streamOf([
        metadata(),
        values(human("h", "Hi")),
        chunk("a", "I "),
        chunk("a", "write"),
        ...Array.from(ARGUMENTS, call),
      ]),
    );

    expect(states.map((state) => JSON.stringify(state))).toEqual(copies);
    const messages = states.map((state) => (state as { messages: Message[] }).messages);
    expect(new Set(messages.map(([first]) => first)).size).toBe(1);
    const calls = messages.map(
      ([, second]) => (second?.["tool_calls"] as { args: { lines?: unknown[] } }[] | undefined)?.[0]?.args,
    );
    // The list was whole long before the last character came.
    expect(calls.at(-1)).toEqual(JSON.parse(ARGUMENTS));
    expect(calls.at(-1)).not.toBe(calls.at(-8));
    expect(calls.at(-1)?.lines).toBe(calls.at(-8)?.lines);
  });

  test("without a word of their end stay in flight until the state has them", async () => {
    const thread = await folded([
      metadata(),
      values(human("h", "Hi")),
      chunk("a", "Hel"),
      values(human("h", "Hi")),
      chunk("a", "lo"),
      values(human("h", "Hi"), ai("a", "Hello")),
    ]);
    expect(contents(thread)).toEqual(["Hi", "Hello"]);
  });

  test("whose end has another id end the message of their task", async () => {
    const thread = await folded([
      metadata(),
      chunk("mine", "Hello"),
      chunk("lc_run--1", "", { chunk_position: "last" }),
    ]);
    expect(thread.getState().messages).toMatchObject([{ id: "mine", content: "Hello" }]);
    expect(thread.getState().messages[0]).not.toHaveProperty("tool_call_chunks");
  });

  test("as serialised constructors, as a JavaScript server sends them, and whole messages of each kind", async () => {
    const constructed = (name: string, kwargs: object) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", name],
      kwargs,
    });
    const thread = await folded([
      metadata(),
      said(constructed("AIMessageChunk", { id: "a", content: "Hel", tool_call_chunks: [] })),
      said(constructed("AIMessageChunk", { id: "a", content: "lo", tool_call_chunks: [] })),
      said({ type: "ai", id: "b", content: "Wor", tool_call_chunks: [], tool_calls: [] }),
      said({ type: "ai", id: "b", content: "ld", tool_call_chunks: [], tool_calls: [] }),
      said(constructed("ToolMessage", { id: "t", tool_call_id: "c", content: "done" })),
    ]);
    expect(thread.getState().messages.map(({ type, id, content }) => [type, id, content])).toEqual([
      ["ai", "a", "Hello"],
      ["ai", "b", "World"],
      ["tool", "t", "done"],
    ]);
  });

  test("of stream mode `messages` are whole each time", async () => {
    const partial = (content: string): Part => ({ event: "messages/partial", data: [ai("a", content)] });
    const thread = await folded([
      metadata(),
      { event: "messages/metadata", data: { a: { metadata: {} } } },
      partial("H"),
      partial("Hell"),
      { event: "messages/complete", data: [ai("a", "Hello")] },
      { event: "messages/complete", data: [tool("t", "c", "done")] },
    ]);
    expect(contents(thread)).toEqual(["Hello", "done"]);
  });
});

describe("updates and values", () => {
  test("updates predict, values confirm: parallel nodes, repeated removals, a message without an id", async () => {
    const thread = byPart(new Thread());
    const between: unknown[] = [];
    thread.subscribe((state, before) => state !== before && between.push(state.messages.map(({ id }) => id)));
    await folded(
      [
        metadata(),
        values(human("h", "Hi"), ai("old", "Old")),
        { event: "updates", data: { left: { messages: [ai("l", "Left")], note: 1 }, quiet: null } },
        {
          event: "updates",
          data: {
            right: [{ messages: [ai("r", "Right"), { type: "ai", id: null, content: "No id" }] }, { todos: [] }],
          },
        },
        remove("old"),
        { event: "updates", data: { prune: { messages: [{ type: "remove", id: "old", content: "" }] } } },
        {
          event: "values",
          data: {
            messages: [human("h", "Hi"), ai("l", "Left"), ai("r", "Right"), ai("srv", "No id")],
            note: 1,
            todos: [],
          },
        },
      ],
      thread,
    );
    expect(held(thread.getConfirmedState())).toEqual(
      held({ messages: [human("h", "Hi"), ai("l", "Left"), ai("r", "Right"), ai("srv", "No id")], note: 1, todos: [] }),
    );
    expect(between).toEqual([
      ["h", "old"],
      ["h", "old", "l"],
      ["h", "old", "l", "r"],
      ["h", "old", "l", "r"],
      ["h", "l", "r"],
      ["h", "l", "r", "srv"],
    ]);
  });

  test("equal values are the same objects", async () => {
    const thread = await folded([
      metadata(),
      { event: "values", data: { messages: [human("h", "Hi")], files: { a: { content: "x" } } } },
    ]);
    const before = thread.getState();
    await folded([{ event: "values", data: { messages: [human("h", "Hi")], files: { a: { content: "x" } } } }], thread);
    expect(thread.getState()).toBe(before);
  });

  test("interrupts are reported once and are not state", async () => {
    const thread = new Thread();
    const interrupt = { id: "i1", value: "Really?" };
    const { interrupts } = await foldLangGraph(
      thread,
      streamOf([
        metadata(),
        values(human("h", "Hi")),
        { event: "updates", data: { __interrupt__: [interrupt] } },
        { event: "values", data: { messages: [human("h", "Hi")], __interrupt__: [interrupt] } },
        { event: "values", data: { __interrupt__: [{ id: "i2", value: 2 }] } },
      ]),
    );
    expect(interrupts.map(({ raw }) => raw)).toEqual([
      { ...interrupt, namespace: [] },
      { id: "i2", value: 2, namespace: [] },
    ]);
    expect(held(thread.getConfirmedState())).toEqual(held({ messages: [human("h", "Hi")] }));
  });

  test("onEvent gets every part once it is folded, custom data of nodes with its origin", async () => {
    const told: unknown[] = [];
    await foldLangGraph(
      new Thread(),
      streamOf([
        { event: "custom", data: { at: 1 } },
        { event: "custom|sub:1", data: "x" },
      ]),
      {
        onEvent: ({ event, data }) => told.push([data, event]),
      },
    );
    expect(told).toEqual([
      [{ at: 1 }, "custom"],
      ["x", "custom|sub:1"],
    ]);
  });
});

describe("graphs within the graph", () => {
  const inner = (event: string, data: unknown, namespace = "sub:1"): Part => ({ event: `${event}|${namespace}`, data });
  const spoken = (id: string, content: string, namespace?: string, more: object = {}) =>
    inner("messages", [{ type: "AIMessageChunk", id, content, tool_call_chunks: [], ...more }, {}], namespace);

  test("their messages stream in, their states do not, and the root's state has the last word", async () => {
    const thread = byPart(new Thread());
    const seen = new Set<unknown>();
    thread.subscribe(({ messages }) => {
      for (const { id } of messages) seen.add(id);
    });
    await folded(
      [
        metadata(),
        values(human("h", "Hi")),
        inner("values", { messages: [human("x", "Not of the root")], secret: 1 }),
        spoken("shared", "Sha"),
        inner("updates", { node: { messages: [ai("shared", "Shared")], secret: 2 } }),
        spoken("private", "Between us", "other:1", { chunk_position: "last" }),
        spoken("unfinished", "Betw", "other:2"),
        values(human("h", "Hi"), ai("shared", "Shared")),
      ],
      thread,
    );
    expect([...seen]).toEqual(["h", "shared", "private", "unfinished"]);
    expect(held(thread.getConfirmedState())).toEqual(held({ messages: [human("h", "Hi"), ai("shared", "Shared")] }));
  });

  test("the text of an agent that a tool calls is not part of the conversation", async () => {
    const thread = byPart(new Thread());
    const witness = new Witness(thread);
    thread.subscribe(({ messages }) => expect(messages.length).toBeLessThan(2));
    await foldLangGraph(
      thread,
      streamOf([
        metadata(),
        values(human("h", "Hi")),
        spoken("inside", "Deep", "tools:1"),
        spoken("deeper", "Deeper", "tools:1|model:2"),
        {
          event: "messages",
          data: [
            { type: "AIMessageChunk", id: "plain", content: "x", tool_call_chunks: [] },
            { langgraph_checkpoint_ns: "tools:1|model:2" },
          ],
        },
      ]),
    );
    expect(witness.see()).toMatchObject({ errors: [], drifts: [] });
    expect(ids(thread)).toEqual(["h"]);
  });
});

describe("a stream that breaks off", () => {
  const PARTS = [
    metadata(),
    values(human("h", "Hi")),
    chunk("a", "Hel"),
    chunk("a", " "),
    chunk("a", " "),
    chunk("a", "lo"),
    values(human("h", "Hi"), ai("a", "Hel  lo")),
  ];
  const END = held({ messages: [human("h", "Hi"), ai("a", "Hel  lo")] });
  /** As the development server numbers: by the millisecond, and so two parts alike. */
  const CLOCKED = PARTS.map((part, at) => ({ ...part, id: `${1_795_252_264_496 + Math.floor(at / 3)}-0` }));

  const cut = async function* (parts: Part[]): AsyncGenerator<object> {
    yield* streamOf(parts);
    throw new TypeError("terminated");
  };

  test.each([
    ["numbers", numbered(PARTS)],
    ["the clock", CLOCKED],
    ["nothing", PARTS],
  ])("is told again from its start, with ids by %s", async (_name, parts) => {
    for (let at = 0; at <= parts.length; at++) {
      const thread = new Thread();
      const witness = new Witness(thread);
      await expect(foldLangGraph(thread, cut(parts.slice(0, at)))).rejects.toThrow("terminated");
      if (at > 0) expect(thread.run?.status).toBe("disconnected");
      await foldLangGraph(thread, streamOf(parts));
      expectInSync(witness.see(), END);
    }
  });

  test.each([
    ["numbers", numbered(PARTS)],
    ["the clock", CLOCKED],
  ])("is joined behind the last id, also by a page that was loaded anew, with ids by %s", async (_name, parts) => {
    for (let at = 1; at <= parts.length; at++) {
      for (const reload of [false, true]) {
        let thread: Thread = new Thread();
        await expect(foldLangGraph(thread, cut(parts.slice(0, at)))).rejects.toThrow("terminated");
        if (reload) thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object);
        const witness = new Witness(thread);
        const last = thread.run?.lastEventId ?? "";
        const grown: unknown[] = [];
        byPart(thread);
        thread.subscribe(({ messages }) => grown.push(messages.map(({ content }) => content).join("|")));
        // The server sends only the parts after that id.
        await foldLangGraph(thread, streamOf(parts.filter(({ id = "" }) => id > last)));
        expectInSync(witness.see(), END);
        // No text was doubled on the way.
        expect(grown.every((text) => "Hi|Hel  lo".startsWith(text as string))).toBe(true);
      }
    }
  });

  test("by the user rejects with the reason, and ends the run with the streamed text", async () => {
    const thread = new Thread();
    const controller = new AbortController();
    let closed = false;
    const endless: AsyncIterable<object> = {
      async *[Symbol.asyncIterator]() {
        try {
          yield* streamOf(PARTS.slice(0, 3));
          controller.abort(new Error("Enough"));
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield chunk("a", "never");
        } finally {
          closed = true;
        }
      },
    };
    await expect(foldLangGraph(thread, endless, { signal: controller.signal })).rejects.toThrow("Enough");
    expect(contents(thread)).toEqual(["Hi", "Hel"]);
    expect(thread.run?.status).toBe("ready");
    await expect.poll(() => closed).toBe(true);
    await expect(
      foldLangGraph(thread, streamOf(PARTS), { signal: AbortSignal.abort(new Error("Before")) }),
    ).rejects.toThrow("Before");
  });

  test("an older state that comes late, by its id, is ignored", async () => {
    const late = { ...values(human("h", "Hi")), id: "1795252264000-0" };
    const thread = await folded([...CLOCKED, late]);
    expect(held(thread.getConfirmedState())).toEqual(END);
  });
});

describe("invalid input", () => {
  test("is reported as an error, and the stream continues", async () => {
    const thread = new Thread();
    const errors: string[] = [];
    thread.on("error", ({ code }) => errors.push(code));
    const bad: object[] = [
      { event: "messages", data: null },
      { event: "messages", data: [] },
      { event: "messages", data: [{ content: "no type", id: "x" }] },
      said({ type: "AIMessageChunk", content: "no id" }),
      said({ type: "ai", id: 5, content: "a number" }),
      { event: "values", data: { messages: "none" } },
      chunk("a", "", { additional_kwargs: { k: [1] } }),
    ];
    const harmless: object[] = [
      { event: "metadata|x", data: { run_id: "other" } },
      { event: "values", data: null },
      { event: "values", data: [1] },
      { event: "updates", data: 7 },
      { event: "updates", data: { node: "text" } },
      { event: "messages/partial", data: {} },
      { event: "nobody-knows", data: {} },
      { data: 1 },
      {},
      {
        event: "messages",
        data: [
          JSON.parse(
            '{"type":"AIMessageChunk","id":"a","content":"","additional_kwargs":{"__proto__":{"polluted":1}}}',
          ) as object,
          {},
        ],
      },
    ];
    await foldLangGraph(
      thread,
      streamOf([
        metadata(),
        values(human("h", "Hi")),
        chunk("a", "", { additional_kwargs: { k: "text" } }),
        ...bad,
        ...harmless,
        chunk("a", "Hello"),
      ]),
    );
    expect(errors).toEqual([
      "INVALID_MESSAGE",
      "INVALID_MESSAGE",
      "INVALID_MESSAGE",
      "INVALID_MESSAGE",
      "INVALID_MESSAGE",
      "INVALID_ARGUMENT",
      "INVALID_ARGUMENT",
    ]);
    expect(contents(thread)).toEqual(["Hi", "Hello"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("and so is a part that is not JSON", async () => {
    const thread = new Thread();
    const told: unknown[] = [];
    thread.on("error", ({ code }, event) => told.push([code, event]));
    await foldLangGraph(
      thread,
      response([
        'event: values\ndata: {"messages": [\n\n',
        `event: values\ndata: ${JSON.stringify({ messages: [human("h", "Hi")] })}\n\n`,
      ]),
    );
    expect(told).toEqual([["INVALID_ARGUMENT", '{"messages": [']]);
    expect(contents(thread)).toEqual(["Hi"]);
  });

  test("and it is a gap in a stream of updates", async () => {
    const thread = new Thread();
    const updates = ['{"a": {"messages": [], "todos": NaN}}', '{"b": {"messages": []}}'];
    await foldLangGraph(thread, response(updates.map((data) => `event: updates\ndata: ${data}\n\n`)));
    expect(new Set(thread.doubts.map(({ reason }) => reason))).toEqual(new Set(["gap"]));
    expect(thread.doubts.map(({ field }) => field)).toContain("todos");
  });

  test("an error of the run is the run's, and the thread's next run is well", async () => {
    const thread = new Thread();
    thread.optimistic({ messages: [human("h", "Hi")] });
    const { error: reason } = await foldLangGraph(thread, streamOf([metadata(), error("broken")]));
    expect(reason).toMatchObject({ code: "RUN_FAILED", serverCode: "ValueError", message: "broken" });
    expect(thread.run?.status).toBe("error");
    expect(thread.pending).toMatchObject([{ status: "failed", error: { message: "broken" } }]);
    await foldLangGraph(thread, streamOf([metadata("r2"), values(human("h", "Hi"))]));
    expect(thread.run?.status).toBe("ready");
    expect(thread.pending).toEqual([]);
  });
});
