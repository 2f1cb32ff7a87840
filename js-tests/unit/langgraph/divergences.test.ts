// The table of SEMANTICS §8: where the LangGraph SDK ends up, and where it is right to end up. Each row on a made
// stream; the SDK's StreamManager beside the thread wherever it is the one to blame.
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Witness } from "../../peers/recorded/witness";
import { Sdk } from "./stream-manager";
import { byPart } from "../../support/by-part.js";
import {
  ai,
  chunk,
  error,
  human,
  metadata,
  numbered,
  remove,
  said,
  streamOf,
  tool,
  values,
  type Message,
  type Part,
} from "./streams";

const contents = (messages: readonly object[] | undefined) =>
  messages?.map((message) => (message as Message | undefined)?.["content"]);
const ids = (messages: readonly object[] | undefined) =>
  messages?.map((message) => (message as Message | undefined)?.["id"]);

/** A thread that folds runs, and its views on the way. */
class Ours {
  readonly thread = new Thread();
  readonly witness = new Witness(this.thread);
  readonly told: (readonly object[])[] = [];

  constructor() {
    byPart(this.thread).subscribe(({ messages }) => this.told.push(messages));
  }

  get messages(): readonly object[] {
    return this.thread.getState().messages;
  }

  async fold(parts: Part[]): Promise<void> {
    await foldLangGraph(this.thread, streamOf(parts));
    const { drifts, errors } = this.witness.see();
    expect({ drifts, errors }).toEqual({ drifts: [], errors: [] });
  }
}

let ours: Ours;
let sdk: Sdk;

beforeEach(() => {
  ours = new Ours();
  sdk = new Sdk();
  // The SDK prints the errors of a run.
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function both(...runs: Part[][]): Promise<void> {
  for (const parts of runs) {
    await ours.fold(parts);
    await sdk.fold(parts);
  }
}

const Q = human("q", "Hi");

test("the server replaces a message's content under the same id: the server's", async () => {
  await ours.fold([
    metadata(),
    values(Q),
    chunk("a", "My number is 12345", { chunk_position: "last" }),
    values(Q, ai("a", "My number is 12345")),
    values(human("q", "█"), ai("a", "My number is █")),
  ]);
  expect(contents(ours.messages)).toEqual(["█", "My number is █"]);
});

test.each([
  ["a beginning of it", "My number is "],
  ["nothing", ""],
])("the server leaves %s of what was streamed: the server's, also where no part ends the message", async (_, left) => {
  const streamed = [metadata(), values(Q), chunk("a", "My number is "), chunk("a", "12345")];
  await ours.fold([...streamed, values(Q, ai("a", "My number is 12345")), values(Q, ai("a", left))]);
  expect(contents(ours.messages)).toEqual(["Hi", left]);
  // And where the node that streams it returns no more of it.
  const other = new Ours();
  await other.fold([...streamed, values(Q, ai("a", left))]);
  expect(contents(other.messages)).toEqual(["Hi", left]);
});

test("a part that comes after the state that has it: once, when the run has ended", async () => {
  const ab = values(Q, ai("a", "ab"));
  await ours.fold([metadata(), values(Q), chunk("a", "a"), ab, chunk("a", "b"), ab]);
  expect(contents(ours.messages)).toEqual(["Hi", "ab"]);
});

test("the server removes all messages: none", async () => {
  await ours.fold([metadata(), values(Q, ai("a", "Hello")), chunk("b", "Bye", { chunk_position: "last" }), values()]);
  expect(ours.messages).toEqual([]);
});

test("a removal in the stream of messages, of one that was not streamed before: removed", async () => {
  const parts = [metadata(), values(Q, ai("a", "Hello"), ai("b", "World")), remove("a")];
  await both(parts);
  // Up to 1.9 the SDK kept it.
  expect(ids(sdk.values?.messages)).toEqual(["q", "b"]);
  expect(ids(ours.messages)).toEqual(["q", "b"]);
});

test("the same for all: removed", async () => {
  await ours.fold([metadata(), values(Q, ai("a", "Hello")), remove("__remove_all__")]);
  expect(ours.messages).toEqual([]);
});

describe("a state in mid-stream: its order, and the message in flight", () => {
  test("that is shorter", async () => {
    await both([
      metadata(),
      values(Q, ai("a", "One"), ai("b", "Two")),
      chunk("c", "Th"),
      values(ai("b", "Two")),
      chunk("c", "ree"),
    ]);
    // Up to 1.9 the SDK left a hole where the message was that the state no longer has.
    expect(ids(sdk.values?.messages)).toEqual(["b", "c"]);
    expect(contents(ours.messages)).toEqual(["Two", "Three"]);
  });

  test("that has one more before it", async () => {
    await both([metadata(), values(Q), chunk("a", "Hel"), values(Q, tool("t", "c", "found")), chunk("a", "lo")]);
    // Up to 1.9 the SDK overwrote the tool's message.
    expect(ids(sdk.values?.messages)).toEqual(["q", "t", "a"]);
    expect(ids(ours.messages)).toEqual(["q", "t", "a"]);
    expect(contents(ours.messages)).toEqual(["Hi", "found", "Hello"]);
  });
});

test("a state lacks the message in flight: it stays", async () => {
  await both([metadata(), values(Q), chunk("a", "Hel"), values(Q), chunk("a", "lo")]);
  const lengths = (told: (readonly object[] | undefined)[]) => told.map((messages) => messages?.length ?? 0);
  const gone = (all: number[]) => all.some((length, at) => length < (all[at - 1] ?? 0));
  expect(gone(lengths(sdk.told.map((state) => state?.messages)))).toBe(true);
  expect(gone(lengths(ours.told))).toBe(false);
  expect(contents(ours.messages)).toEqual(["Hi", "Hello"]);
});

test.each([
  ["without ids", (parts: Part[]) => parts],
  ["with ids", numbered],
])("a rejoin tells parts again, %s: said once", async (_name, made) => {
  const parts = made([metadata(), values(Q), chunk("a", "Hel"), chunk("a", "lo")]);
  await both(parts, parts);
  expect(contents(sdk.values?.messages)).toEqual(["Hi", "HelloHello"]);
  expect(contents(ours.messages)).toEqual(["Hi", "Hello"]);
  expect(ours.told.every((messages) => "Hi|Hello".startsWith(contents(messages)?.join("|") ?? ""))).toBe(true);
});

test("parts, then the same id as a whole message: once", async () => {
  await both([metadata(), values(Q), chunk("a", "Hel"), chunk("a", "lo"), said(ai("a", "Hello"))]);
  expect(contents(sdk.values?.messages)).toEqual(["Hi", "HelloHello"]);
  expect(contents(ours.messages)).toEqual(["Hi", "Hello"]);
});

test("optimistic values, then an error: failed, kept for a retry, and a rollback leaves no trace", async () => {
  const before = ours.thread.getState();
  const op = ours.thread.optimistic({ messages: [Q], todos: [{ content: "x", status: "pending" }] });
  sdk.optimistic({ messages: [Q] });
  await both([metadata(), error("broken")]);
  expect(ids(sdk.values?.messages)).toEqual(["q"]);
  expect(op.status).toBe("failed");
  expect(ids(ours.messages)).toEqual(["q"]);
  op.retry();
  expect(op.status).toBe("pending");
  op.rollback();
  expect(ours.thread.getState()).toEqual(before);
  expect(ours.thread.pending).toEqual([]);
});

describe("optimistic values, then a first state without them", () => {
  const old = [human("o", "Old"), ai("p", "Answer")];
  const gone = (told: (readonly object[] | undefined)[]) =>
    told.some((messages) => messages && !ids(messages)?.includes("q"));

  test("they stay shown until the server has them", async () => {
    await both([metadata("r0"), values(...old)]);
    ours.thread.optimistic({ messages: [Q] });
    sdk.optimistic({ messages: [...old, Q] });
    const [before, sdkBefore] = [ours.told.length, sdk.told.length];
    await both([metadata(), values(...old), chunk("a", "Hello"), values(...old, Q, ai("a", "Hello"))]);
    expect(gone(sdk.told.slice(sdkBefore).map((state) => state?.messages))).toBe(true);
    expect(gone(ours.told.slice(before))).toBe(false);
    expect(ids(ours.messages)).toEqual(["o", "p", "q", "a"]);
    expect(ours.thread.pending).toEqual([]);
  });

  test("or until the run has ended well: then the server's value stands, and the difference is reported", async () => {
    await ours.fold([metadata("r0"), values(...old)]);
    const op = ours.thread.optimistic({ messages: [Q] });
    let shown: unknown;
    await foldLangGraph(
      ours.thread,
      (async function* () {
        yield* streamOf([metadata(), values(...old)]);
        shown = ids(ours.messages);
      })(),
    );
    expect(shown).toEqual(["o", "p", "q"]);
    expect(ids(ours.messages)).toEqual(["o", "p"]);
    expect(op.status).toBe("done");
    expect(ours.witness.see()).toMatchObject({
      drifts: [expect.stringMatching(/^run-finished: .*remove/)],
      errors: [],
    });
  });

  test("or until the run has failed: then they wait for a retry", async () => {
    await ours.fold([metadata("r0"), values(...old)]);
    const op = ours.thread.optimistic({ messages: [Q] });
    await ours.fold([metadata(), values(...old), error("broken")]);
    expect(ids(ours.messages)).toEqual(["o", "p", "q"]);
    expect(op.status).toBe("failed");
  });
});

test("the server gives an optimistic message an id of its own: one message", async () => {
  ours.thread.optimistic({ messages: [Q] });
  await ours.fold([
    metadata(),
    values(human("server-1", "Hi")),
    chunk("a", "Hello", { chunk_position: "last" }),
    values(human("server-1", "Hi"), ai("a", "Hello")),
  ]);
  expect(contents(ours.messages)).toEqual(["Hi", "Hello"]);
  expect(
    ours.told.every((messages) => messages.filter((message) => (message as Message)["type"] === "human").length === 1),
  ).toBe(true);
  expect(ours.thread.pending).toEqual([]);
});

describe("an older state that arrives late", () => {
  const newer = [Q, ai("a", "Hello"), human("r", "More")];

  test("and is known to be older: ignored", async () => {
    const at = (ms: number, part: Part): Part => ({ ...part, id: `${ms}-0` });
    await ours.fold([
      at(1_795_252_264_000, metadata()),
      at(1_795_252_264_020, values(...newer)),
      at(1_795_252_264_010, values(Q, ai("a", "Hel"))),
    ]);
    expect(contents(ours.messages)).toEqual(["Hi", "Hello", "More"]);
  });

  test("and is not: the state, and messages in flight still after it", async () => {
    await ours.fold([metadata(), values(...newer), chunk("b", "Ans"), values(Q, ai("a", "Hello"))]);
    expect(contents(ours.messages)).toEqual(["Hi", "Hello", "Ans"]);
  });
});

test("equal states: the same objects", async () => {
  const state = (): Part => ({
    event: "values",
    data: { messages: [human("q", "Hi"), ai("a", "Hello")], todos: [{ content: "x", status: "pending" }] },
  });
  await both([metadata(), state()]);
  const [own, theirs] = [ours.thread.getState(), sdk.values];
  await both([state()]);
  expect(sdk.values?.messages?.[0]).not.toBe(theirs?.messages?.[0]);
  expect(ours.thread.getState()).toBe(own);
});
