// Streamed arguments with many keys are parsed only when they are read; readers see plain data.
import * as fc from "fast-check";
import { produce, setAutoFreeze } from "immer";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { seeded } from "../../support/seed.js";
import { chunk, metadata, streamOf } from "./streams.js";
import { concatChunk } from "threadfold/langgraph";

type Dict = Record<string, unknown>;
interface Call extends Dict {
  args: Dict;
}

const part = (args: string, at: number): Dict => ({
  type: "AIMessageChunk",
  id: "m",
  content: "",
  tool_call_chunks: [
    { name: at === 0 ? "t" : null, args, id: at === 0 ? "c" : null, index: 0, type: "tool_call_chunk" },
  ],
});

/** The call after each piece of its arguments, where it is one. Nobody has looked at any. */
function callsOf(pieces: readonly string[]): { call: Call; text: string }[] {
  let message: object | undefined;
  let text = "";
  return pieces.flatMap((piece, at) => {
    message = concatChunk(message, part(piece, at));
    text += piece;
    const [call] = (message as { tool_calls: Call[] }).tool_calls;
    return call ? [{ call, text }] : [];
  });
}

const onlyCall = (...pieces: string[]): Call => callsOf(pieces).at(-1)?.call as Call;
const argsOf = (text: string): Dict => onlyCall(text).args;

/** As many keys as make arguments wait for a look. */
const MANY = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key ${at}`, at]));

const JSON_TEXT = fc
  .tuple(
    fc.boolean(),
    fc.dictionary(
      fc.string({ maxLength: 3 }),
      fc.oneof({ arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 3 }, fc.array(fc.nat(), { minLength: 1 })),
      { minKeys: 1, maxKeys: 5 },
    ),
  )
  .map(([many, value]) => JSON.stringify(many ? { ...MANY, ...value } : value));

const PIECES = JSON_TEXT.chain((text) =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 20 }).map((places) => {
    const sorted = [0, ...places.sort((a, b) => a - b), text.length];
    return sorted.slice(1).map((end, at) => text.slice(sorted[at], end));
  }),
);

/** Which calls are looked at, and after how many more pieces. */
const DELAYS = fc.array(fc.nat({ max: 8 }), { minLength: 24, maxLength: 24 });

/** All parts alike of two values are one object. */
function expectShared(older: unknown, newer: unknown, path = ""): void {
  if (typeof older !== "object" || typeof newer !== "object" || older === null || newer === null) return;
  if (JSON.stringify(older) === JSON.stringify(newer))
    expect(older === newer, `one object at ${path || "the root"}`).toBe(true);
  else for (const key of Object.keys(older)) expectShared((older as Dict)[key], (newer as Dict)[key], `${path}/${key}`);
}

describe("arguments that are looked at at any time", () => {
  test("are what they were at their part, and stay so", () => {
    fc.assert(
      fc.property(PIECES, DELAYS, (pieces, delays) => {
        let message: object | undefined;
        let text = "";
        const due: { call: Call; text: string; at: number }[] = [];
        const seen: { args: Dict; text: string; json: string }[] = [];
        const look = ({ call, text }: { call: Call; text: string }) => {
          expect(call.args).toEqual(argsOf(text));
          // Reading one must not change another.
          seen.push({ args: frozen(call.args), text, json: JSON.stringify(call.args) });
        };
        for (const [at, piece] of pieces.entries()) {
          message = concatChunk(message, part(piece, at));
          text += piece;
          const [call] = (message as { tool_calls: Call[] }).tool_calls;
          if (call) due.push({ call, text, at: at + (delays[at] ?? 0) });
          for (const one of due.filter((one) => one.at === at)) look(one);
        }
        for (const one of due.filter((one) => one.at >= pieces.length)) look(one);
        for (const { args, json } of seen) expect(JSON.stringify(args)).toBe(json);
      }),
      seeded("looks at streamed arguments", 1_000),
    );
  });

  test("share what did not change, whichever is looked at first", () => {
    fc.assert(
      fc.property(PIECES, fc.infiniteStream(fc.nat()), (pieces, order) => {
        // The arguments of no text at all are an object of their own.
        const calls = callsOf(pieces).filter(({ text }) => text.length > 0);
        const ranks = calls.map((one) => ({ one, rank: order.next().value as number })).sort((a, b) => a.rank - b.rank);
        for (const { one } of ranks) expect(one.call.args).toBe(one.call.args);
        for (let at = 1; at < calls.length; at++) expectShared(calls[at - 1]?.call.args, calls[at]?.call.args);
      }),
      seeded("what streamed arguments share", 1_000),
    );
  });

  test("take the last value of a repeated key", () => {
    const many = JSON.stringify(MANY).slice(0, -1);
    const [first, ...rest] = callsOf([`${many}, "a": {"x": 1}, "b": [1]`, ', "a": {"y": 2', "}}"]);
    expect(rest.map(({ call }) => call.args)).toEqual([
      { ...MANY, a: { y: 2 }, b: [1] },
      { ...MANY, a: { y: 2 }, b: [1] },
    ]);
    expect(first?.call.args).toEqual({ ...MANY, a: { x: 1 }, b: [1] });
    expect(first?.call.args["b"]).toBe(rest[1]?.call.args["b"]);
  });

  test("may be nested as deep as they like", () => {
    const deep = `{"a": ${"[".repeat(20_000)}`;
    const whole = concatChunk(undefined, part(deep, 0)) as { tool_calls: Call[] };
    expect(Object.keys(whole.tool_calls[0]?.args ?? {})).toEqual(["a"]);
    const [first, next] = callsOf([deep, "1", ", 2"]);
    expect(Object.keys(next?.call.args ?? {})).toEqual(["a"]);
    const more = concatChunk(whole, part("1", 1)) as { tool_calls: Call[] };
    expect(Object.keys(more.tool_calls[0]?.args ?? {})).toEqual(["a"]);
    let node: unknown = first?.call.args["a"];
    let depth = 0;
    for (; Array.isArray(node); node = node[0] as unknown) depth++;
    expect(depth).toBe(20_000);
  });
});

const ARGS = { ...MANY, q: "x", n: [1] };
const [HEAD, TAIL] = [`${JSON.stringify(MANY).slice(0, -1)}, "q": "x`, '", "n": [1'];
const streamed = () => onlyCall(HEAD, TAIL);

describe("a streamed call is plain data to", () => {
  const looks: Record<string, (call: Call) => unknown> = {
    "a spread": (call) => ({ ...call }).args,
    "Object.assign": (call) => Object.assign({}, call).args,
    "Object.entries": (call) => Object.fromEntries(Object.entries(call))["args"],
    JSON: (call) => (JSON.parse(JSON.stringify(call)) as Call).args,
    structuredClone: (call) => structuredClone(call).args,
    "hasOwn and a key": (call) => Object.hasOwn(call, "args") && call["args"],
    "one who froze it": (call) => frozen(call).args,
    "one who froze it, twice": (call) =>
      [frozen(call).args, call.args].filter((args, at, all) => args === all[0] && at > 0)[0],
    immer: (call) => {
      setAutoFreeze(true);
      const next = produce({ calls: [call] }, (draft) => void ((draft.calls[0] as Call)["seen"] = true));
      expect(next.calls[0]).toEqual({ name: "t", args: ARGS, id: "c", type: "tool_call", seen: true });
      return next.calls[0]?.args;
    },
    "a draft of its arguments": (call) => {
      const next = produce(call, (draft) => void (draft.args["q"] = "y"));
      expect(next.args).toEqual({ ...ARGS, q: "y" });
      return call.args;
    },
  };
  for (const [who, look] of Object.entries(looks)) test(who, () => expect(look(streamed())).toEqual(ARGS));

  test("toStrictEqual, and to code that reads its keys", () => {
    expect(streamed()).toStrictEqual({ name: "t", args: ARGS, id: "c", type: "tool_call" });
    expect(Object.keys(streamed())).toEqual(["name", "args", "id", "type"]);
  });

  test("writing to it", () => {
    const call = streamed();
    call.args = { mine: true };
    expect(call).toStrictEqual({ name: "t", args: { mine: true }, id: "c", type: "tool_call" });
  });

  test("asking how it is made, once it was read, or when it has few keys", () => {
    const few = onlyCall('{"q": "x');
    expect(Object.getOwnPropertyDescriptor(few, "args")?.value).toEqual({ q: "x" });
    const call = streamed();
    expect(Object.getOwnPropertyDescriptor(call, "args")?.get).toBeTypeOf("function");
    const { args } = call;
    expect(Object.getOwnPropertyDescriptor(call, "args")).toEqual({
      value: args,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });
});

describe("the calls of a message that is whole are plain data", () => {
  const v2 = (data: object) => ({ type: "event", method: "messages", params: { namespace: [], timestamp: 0, data } });
  const delta = (args: string) =>
    v2({ event: "content-block-delta", index: 0, delta: { type: "tool-call-delta", args } });
  const chunks = (args: string, more: object) => ({
    tool_call_chunks: [{ args, index: 0, type: "tool_call_chunk", ...more }],
  });
  const STREAMS: Record<string, object[]> = {
    "of a stream of chunks": [
      metadata(),
      chunk("a", "", chunks(HEAD, { name: "t", id: "c" })),
      chunk("a", "", chunks(`${TAIL}]`, {})),
      chunk("a", "", { ...chunks("}", {}), chunk_position: "last" }),
    ],
    "of protocol v2": [
      v2({ event: "message-start", id: "a", role: "ai" }),
      v2({
        event: "content-block-start",
        index: 0,
        content: { type: "tool_call_chunk", name: "t", id: "c", args: HEAD },
      }),
      delta(`${TAIL}]`),
      delta("}"),
      v2({ event: "message-finish", reason: "stop" }),
    ],
  };
  for (const [name, parts] of Object.entries(STREAMS)) {
    test(name, async () => {
      const thread = new Thread();
      await foldLangGraph(thread, streamOf(parts));
      const [message] = thread.getState().messages as unknown as { tool_calls: Call[] }[];
      expect(message).not.toHaveProperty("tool_call_chunks");
      expect(Object.getOwnPropertyDescriptor(message?.tool_calls[0], "args")?.value).toEqual(ARGS);
    });
  }
});
