// Invalid streams. A fault in one part is reported and the stream continues. Ending the reading early closes the source
// at once and leaves a run that can be rejoined.
import { Thread, ThreadfoldError, type Source } from "threadfold";
import { foldLangGraph, type LangGraphPart } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { Recorder } from "./recorder";
import { ai, chunk, human, metadata, numbered, response, said, streamOf, values, type Part } from "./streams";

const Q = human("q", "Hi");
const BEGIN = [metadata(), values(Q)];
const event = (
  method: string,
  data: unknown,
  params: object = { namespace: [] },
  id = `${method} ${JSON.stringify(params)}`,
) => ({ type: "event", event_id: id, seq: 1, method, params: { ...params, data } });
const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a wrong part is reported, and the stream continues", () => {
  const WRONG: Record<string, object | null | number> = {
    "a namespace that is a number": event("values", { messages: [] }, { namespace: 5 }),
    "a namespace that is a text": event("messages", { event: "message-start", id: "x" }, { namespace: "tools:1" }),
    "a namespace that is null": event("lifecycle", { event: "running" }, { namespace: null }),
    "a namespace of numbers": event("messages", { event: "message-start", role: "ai", id: "x" }, { namespace: [5] }),
    "a state with a message that is null": { event: "values", data: { messages: [null] } },
    "an update with a message that is null": { event: "updates", data: { node: { messages: [null] } } },
    "a state with a message that is a number": { event: "values", data: { messages: [5] } },
    "v2, a state with a message that is null": event("values", { messages: [null] }),
    "an event whose name is a number": { event: 5, data: {} },
    "a part that is null": null,
    "a part that is a number": 7,
    "a part that is a list": [1],
  };

  test.each(Object.entries(WRONG))("%s", async (_name, wrong) => {
    const thread = new Recorder();
    async function* parts(): AsyncGenerator<object> {
      yield* streamOf([...BEGIN, chunk("a", "Hel")]);
      yield wrong as object;
      yield* streamOf([chunk("a", "lo")]);
    }
    await foldLangGraph(thread, parts());
    expect(thread.errors.length).toBe(1);
    expect(thread.contents).toEqual(["Hi", "Hello"]);
    expect(thread.run?.status).toBe("ready");
  });

  test.each([[{ id: 7, type: "human", content: "Hi" }], [null], [{}]])(
    "a state that is refused takes away nothing that was streamed: %j",
    async (message) => {
      const thread = new Recorder();
      await foldLangGraph(
        thread,
        streamOf([...BEGIN, said(ai("a", "Hello")), { event: "values", data: { messages: [message] } }]),
      );
      expect([thread.errors.length, thread.contents]).toEqual([1, ["Hi", "Hello"]]);
    },
  );

  test("also one that is nested without end, in any place, with an id or without", async () => {
    const deep = nested(100_000);
    const parts: Part[] = [
      { event: "custom", data: deep },
      { event: "updates", data: { node: deep } },
      { event: "updates", data: { node: { notes: deep } } },
      { event: "messages", data: [{ type: "ai", id: "b", content: deep }, {}] },
      { event: "messages", data: [deep, {}] },
      { event: "values", data: { messages: [Q], notes: deep } },
      { event: "values", data: { messages: [Q, { type: "ai", id: "c", content: "x", deep }] } },
    ];
    for (const clocked of [false, true]) {
      const thread = new Recorder();
      async function* stream(): AsyncGenerator<object> {
        yield* BEGIN;
        for (const [at, part] of parts.entries()) yield clocked ? { ...part, id: `${1_795_252_264_496 + at}-0` } : part;
        yield chunk("a", "Hello", { chunk_position: "last" });
      }
      await foldLangGraph(thread, stream());
      expect(thread.getConfirmedMessage("a")).toMatchObject({ content: "Hello" });
      expect(thread.run?.status).toBe("ready");
    }
  });

  test("a message of a type that objects have from birth is one of an unknown type", async () => {
    for (const type of ["__proto__", "constructor", "toString"]) {
      const thread = new Recorder();
      await foldLangGraph(thread, streamOf([...BEGIN, said({ type, id: "x", content: "?" }), chunk("a", "Hello")]));
      expect(thread.contents.at(-1)).toBe("Hello");
      expect(thread.run?.status).toBe("ready");
    }
  });
});

describe("server-sent events", () => {
  const sse = (parts: Part[], end: string, more = ""): string =>
    parts
      .map(
        ({ event, data, id }) =>
          `${more}${id === undefined ? "" : `id: ${id}${end}`}event: ${event}${end}data: ${JSON.stringify(data)}${end}${end}`,
      )
      .join("");
  const PARTS = [...BEGIN, chunk("a", "Hel"), chunk("a", "lo"), values(Q, ai("a", "Hello"))];

  async function foldedText(pieces: string[]): Promise<Recorder> {
    const thread = new Recorder();
    await foldLangGraph(thread, response(pieces));
    expect(thread.errors).toEqual([]);
    return thread;
  }

  test.each([["\n"], ["\r"], ["\r\n"]])("with lines that end in %j, cut anywhere, lose nothing", async (end) => {
    const text = sse(PARTS, end);
    for (let at = 0; at < text.length; at += 7) {
      expect((await foldedText([text.slice(0, at), text.slice(at)])).contents).toEqual(["Hi", "Hello"]);
    }
  });

  test("without the last blank line, or the last line's end, lose nothing", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = sse(PARTS, end);
      for (const cut of [end.length, 2 * end.length])
        expect((await foldedText([text.slice(0, -cut)])).contents).toEqual(["Hi", "Hello"]);
    }
  });

  test("with an empty id each lose nothing", async () => {
    const thread = await foldedText([sse(PARTS, "\n", "id:\n")]);
    expect(thread.contents).toEqual(["Hi", "Hello"]);
    expect(thread.run?.lastEventId).toBeUndefined();
  });

  test("that end in the middle of a part are reported without it", async () => {
    const text = sse(PARTS.slice(0, 4), "\n");
    expect((await foldedText([text.slice(0, -20)])).contents).toEqual(["Hi", "Hel"]);
  });
});

describe("an answer that is not a stream of events is BAD_RESPONSE, and the requested run has failed", () => {
  const page = "<!doctype html><title>Sign in</title>";
  const answer = (body: string | null, status: number, type?: string) =>
    new Response(body, { status, headers: type === undefined ? {} : { "content-type": type } });
  const ANSWERS: Record<string, () => Response> = {
    "a page with 200": () => answer(page, 200, "text/html"),
    "a page with 500": () => answer(page, 500, "text/html"),
    "JSON with 200": () => answer('{"detail":"No such graph"}', 200, "application/json"),
    "JSON with 422": () => answer('{"detail":"No such graph"}', 422, "application/json"),
    "events with 404": () => answer("event: error\n\n", 404, "text/event-stream"),
    "nothing with 204": () => answer(null, 204),
  };

  test.each(Object.entries(ANSWERS))("%s", async (_name, make) => {
    const thread = new Recorder();
    const op = thread.optimistic({ messages: [Q] });
    const error = await reason(foldLangGraph(thread, make()));
    expect(error).toBeInstanceOf(ThreadfoldError);
    const { status } = make();
    expect(error).toMatchObject({ code: "BAD_RESPONSE", message: expect.stringContaining(String(status)), status });
    expect(thread.events).toEqual([{ type: "run-started" }, { type: "run-error", error }]);
    expect(op.status).toBe("failed");
  });

  test.each([
    ['{"detail":"No such graph"}', "No such graph"],
    ['{"message":"No such graph"}', "No such graph"],
    ['{"error":"No such graph"}', "No such graph"],
    ['{"error":{"message":"No such graph","code":7}}', "No such graph"],
    ['{"detail":[{"loc":["body"],"msg":"missing"}]}', '{"detail":[{"loc":["body"],"msg":"missing"}]}'],
    ["null", "null"],
    ["No such graph", "No such graph"],
  ])("says what the server said: %s", async (body, words) => {
    const error = await reason(foldLangGraph(new Thread(), answer(body, 422, "application/json")));
    expect(error).toMatchObject({ message: `The server answered 422: ${words}` });
  });

  test("an event stream is one with any charset, and without a content type as well", async () => {
    for (const type of ["text/event-stream; charset=utf-8", "TEXT/EVENT-STREAM", undefined]) {
      const thread = new Thread();
      const { body } = response([`event: values\ndata: ${JSON.stringify({ messages: [Q] })}\n\n`]);
      await foldLangGraph(thread, new Response(body, type === undefined ? {} : { headers: { "content-type": type } }));
      expect(thread.getState().messages.length).toBe(1);
    }
  });

  test("a stream that was read before is INVALID_ARGUMENT", async () => {
    const used = response(["event: values\n\n"]);
    await used.text();
    expect(await reason(foldLangGraph(new Thread(), used))).toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("an invalid thread or stream is INVALID_ARGUMENT", () => {
  test.each([[undefined], [null], [5], [{}]])("a thread %j", async (thread) => {
    const error = await reason(foldLangGraph(thread as never, streamOf([])));
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test.each([[undefined], [null], [5], ["text"], [{}]])("a stream %j", async (stream) => {
    const error = await reason(foldLangGraph(new Thread(), stream as never));
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("a stream that is still to come is waited for", async () => {
    const thread = new Thread();
    await foldLangGraph(
      thread,
      Promise.resolve(response([`event: values\ndata: ${JSON.stringify({ messages: [Q] })}\n\n`])),
    );
    expect(thread.getState().messages.length).toBe(1);
    const failed = new TypeError("fetch failed");
    expect(await reason(foldLangGraph(thread, Promise.reject(failed)))).toBe(failed);
  });
});

/** A source that says these parts and then no more, without ending; notes that it was closed. */
class Stalled implements AsyncIterable<object> {
  closed = false;
  readonly #parts: Part[];
  readonly #atEnd: () => void;

  constructor(parts: Part[], atEnd = (): void => {}) {
    this.#parts = parts;
    this.#atEnd = atEnd;
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    const parts = this.#parts.values();
    return {
      next: () => {
        const { done, value } = parts.next();
        if (!done) return Promise.resolve({ done: false, value: structuredClone(value) as object });
        this.#atEnd();
        return new Promise(() => {});
      },
      return: () => {
        this.closed = true;
        // As a generator does whose own next part never comes.
        return new Promise(() => {});
      },
    };
  }
}

describe("the user's abort ends the reading at once", () => {
  const abortSoon = (): AbortSignal => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("Enough")), 5);
    return controller.signal;
  };
  const endless = (status: number, type: string): Response =>
    new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
      status,
      headers: { "content-type": type },
    });

  const SOURCES: Record<string, () => Source<object> | PromiseLike<Source<object>>> = {
    "of a stream that says no more": () => new Stalled(BEGIN),
    "of a promise that is never kept": () => new Promise(() => {}),
    "of a 500 whose body never ends": () => endless(500, "text/html"),
    "of a response whose body never ends": () => endless(200, "text/event-stream"),
  };

  test.each(Object.entries(SOURCES))("%s", async (_name, source) => {
    const signal = abortSoon();
    expect(await reason(foldLangGraph(new Thread(), source(), { signal }))).toBe(signal.reason);
  });

  test("and closes the source; one that comes too late is closed as it comes", async () => {
    const stalled = new Stalled(BEGIN);
    await reason(foldLangGraph(new Thread(), stalled, { signal: abortSoon() }));
    expect(stalled.closed).toBe(true);
    let arrive: (stream: Source<object>) => void = () => {};
    const late = new Stalled(BEGIN);
    await reason(
      foldLangGraph(new Thread(), new Promise<Source<object>>((resolve) => (arrive = resolve)), {
        signal: abortSoon(),
      }),
    );
    arrive(late);
    await expect.poll(() => late.closed).toBe(true);
  });

  test("before the first part nothing is read", async () => {
    const stalled = new Stalled(BEGIN, () => expect.fail("was read"));
    const signal = AbortSignal.abort(new Error("Before"));
    expect(await reason(foldLangGraph(new Thread(), stalled, { signal }))).toBe(signal.reason);
  });
});

describe("a listener that throws closes the source, and its error is the run's reader's", () => {
  const error = new ThreadfoldError("INVALID_ARGUMENT", "Mine");
  const fail = (): never => {
    throw error;
  };

  /** Throws for the part that has this. */
  const failsAt = (name: string) => ({
    onEvent: (part: LangGraphPart) => (JSON.stringify(part).includes(name) ? fail() : undefined),
  });

  test("of a part without state", async () => {
    const source = new Stalled([...BEGIN, { event: "custom", data: 1 }, { event: "custom", data: 2 }]);
    expect(await reason(foldLangGraph(new Thread(), source, failsAt("custom")))).toBe(error);
    expect(source.closed).toBe(true);
  });

  test("of an interrupt, after the part was folded", async () => {
    const source = new Stalled([
      ...BEGIN,
      { event: "values", data: { messages: [Q, ai("a", "May I?")], __interrupt__: [{ id: "i", value: 1 }] } },
    ]);
    const thread = new Thread();
    expect(await reason(foldLangGraph(thread, source, failsAt("__interrupt__")))).toBe(error);
    expect(source.closed).toBe(true);
    expect(thread.getState().messages.length).toBe(2);
  });
});

test("a thread that is given up in mid-stream settles the reading, and closes the source", async () => {
  for (const last of [
    chunk("a", "lo"),
    values(Q),
    metadata("r2"),
    { event: "error", data: {} },
    { event: "messages", data: [null] },
  ]) {
    const thread = new Thread();
    let freed = false;
    const source = new Stalled([
      ...BEGIN,
      chunk("a", "Hel"),
      { event: "custom", data: 0 },
      last,
      ...Array.from({ length: 3 }, () => chunk("a", "more")),
    ]);
    const onEvent = ({ event }: LangGraphPart): void => {
      if (event !== "custom") return;
      freed = true;
      thread.dispose();
    };
    expect(await reason(foldLangGraph(thread, source, { onEvent }))).toMatchObject({ code: "DISPOSED" });
    expect(freed && source.closed).toBe(true);
  }
});

describe("a connection that breaks leaves a run that may be joined", () => {
  const broken = new TypeError("terminated");
  async function* cut(parts: object[]): AsyncGenerator<object> {
    yield* streamOf(parts);
    throw broken;
  }

  test("disconnected, with the cause, and continues when joined", async () => {
    const thread = new Recorder();
    const parts = numbered([...BEGIN, chunk("a", "Hel"), chunk("a", "lo"), values(Q, ai("a", "Hello"))]);
    expect(await reason(foldLangGraph(thread, cut(parts.slice(0, 3))))).toBe(broken);
    expect(thread.sent("disconnected")).toEqual([{ type: "disconnected", error: broken }]);
    expect(thread.run).toMatchObject({
      status: "disconnected",
      error: { code: "NO_CONNECTION", cause: broken },
      lastEventId: "3",
    });
    await foldLangGraph(thread, streamOf(parts.slice(3)));
    expect(thread.run).toMatchObject({ status: "ready" });
    expect(thread.contents).toEqual(["Hi", "Hello"]);
  });

  test("as does a stream of protocol v2 that ends without a word of the run's end", async () => {
    const thread = new Recorder();
    await foldLangGraph(
      thread,
      streamOf([event("lifecycle", { event: "running" }), event("values", { messages: [Q] })]),
    );
    expect(thread.run).toMatchObject({ status: "disconnected" });
  });

  test("a run that was over is not", async () => {
    const thread = new Recorder();
    await reason(
      foldLangGraph(
        thread,
        cut([
          event("lifecycle", { event: "running" }),
          event("lifecycle", { event: "completed" }, { namespace: [] }, "end"),
        ]),
      ),
    );
    expect(thread.sent("disconnected")).toEqual([]);
    expect(thread.run?.status).toBe("ready");
  });
});
