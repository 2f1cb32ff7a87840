// A token of text: the events to the thread, and the reads from it.
import { Observable } from "rxjs";
import type { Source } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { Recorder } from "./recorder";
import { ai, chunk, human, metadata, streamOf, values } from "./streams";

class Asked extends Recorder {
  readonly asked: string[] = [];

  override getConfirmedMessage(id: string): ReturnType<Recorder["getConfirmedMessage"]> {
    this.asked.push(id);
    return super.getConfirmedMessage(id);
  }
}

const BEGIN = [metadata(), values(human("q", "Hi"))];
const block = (text: string, index = 0) => [{ type: "text", text, index }];
const model = { response_metadata: { model_provider: "m" }, additional_kwargs: {} };

describe("a token sends its text and asks the thread nothing", () => {
  const TOKENS: Record<string, (text: string) => object> = {
    "a text": (text) => chunk("a", text),
    "a text with the model's name each time": (text) => chunk("a", text, model),
    "a block of text": (text) => chunk("a", block(text) as never, model),
  };

  test.each(Object.entries(TOKENS))("%s", async (_, token) => {
    const thread = new Asked();
    const asked: number[] = [];
    async function* parts(): AsyncGenerator<object> {
      yield* streamOf(BEGIN);
      for (const text of ["a", "b", "c"]) {
        yield structuredClone(token(text));
        asked.push(thread.asked.length);
      }
    }
    await foldLangGraph(thread, parts());
    expect(thread.sent("text")).toEqual(["b", "c"].map((text) => ({ type: "text", messageId: "a", text })));
    expect(asked.at(-1)).toBe(asked[0]);
    const content = thread.contents.at(-1);
    expect(content).toEqual(typeof content === "string" ? "abc" : block("abc"));
  });

  test("protocol v2, whose finished block stays the same object", async () => {
    const thread = new Asked();
    let nth = 0;
    const event = (method: string, data: object) => ({
      type: "event",
      event_id: `e${++nth}`,
      method,
      params: { namespace: [], data },
    });
    const delta = (text: string) =>
      event("messages", { event: "content-block-delta", index: 0, delta: { type: "text-delta", text } });
    const blocks = () => (thread.getConfirmedMessage("a") as { content: readonly object[] }).content;
    const seen: object[] = [];
    async function* parts(): AsyncGenerator<object> {
      yield event("lifecycle", { event: "running" });
      yield event("messages", { event: "message-start", role: "ai", id: "a" });
      yield event("messages", { event: "content-block-start", index: 0, content: { type: "text", text: "" } });
      const before = thread.asked.length;
      for (const text of ["a", "b", "c"]) yield delta(text);
      expect(thread.asked.length).toBe(before);
      seen.push(blocks()[0] as object);
      yield event("messages", { event: "content-block-finish", index: 0, content: { type: "text", text: "abc" } });
      seen.push(blocks()[0] as object);
      yield event("messages", { event: "content-block-start", index: 1, content: { type: "text", text: "d" } });
      seen.push(blocks()[0] as object);
      yield event("messages", { event: "message-finish" });
      seen.push(blocks()[0] as object);
      yield event("lifecycle", { event: "completed" });
    }
    await foldLangGraph(thread, parts());
    expect(thread.sent("text").length).toBe(3);
    expect(seen.every((one) => one === seen[0])).toBe(true);
    expect(blocks()).toEqual([
      { type: "text", text: "abc" },
      { type: "text", text: "d" },
    ]);
  });
});

describe("more than text of the same block is joined", () => {
  const MORE: [string, object[], unknown][] = [
    [
      "another block",
      [chunk("a", block("a") as never), chunk("a", block("b", 1) as never)],
      [...block("a"), ...block("b", 1)],
    ],
    [
      "a block without an index",
      [chunk("a", block("a") as never), chunk("a", [{ type: "text", text: "b" }] as never)],
      [...block("a"), { type: "text", text: "b" }],
    ],
    [
      "a field of the block",
      [chunk("a", block("a") as never), chunk("a", [{ ...block("b")[0], annotations: [1] }] as never)],
      [{ ...block("ab")[0], annotations: [1] }],
    ],
    ["metadata that is new", [chunk("a", "a"), chunk("a", "b", model)], "ab"],
    ["the last part", [chunk("a", "a"), chunk("a", "b", { chunk_position: "last" })], "ab"],
  ];

  test.each(MORE)("%s", async (_, parts, content) => {
    const thread = new Recorder();
    await foldLangGraph(thread, streamOf([...BEGIN, ...parts]));
    expect(thread.sent("text")).toEqual([]);
    expect(thread.getConfirmedMessage("a")).toMatchObject({ content });
  });
});

test("a run is read from a list, an Observable and a stream of its parts, too", async () => {
  const parts = [...BEGIN, chunk("a", "Hel"), chunk("a", "lo"), values(human("q", "Hi"), ai("a", "Hello"))];
  const sources: Source<object>[] = [
    parts,
    new Observable<object>((all) => (parts.forEach((one) => all.next(one)), all.complete())),
    new ReadableStream({ start: (all) => (parts.forEach((one) => all.enqueue(one)), all.close()) }),
  ];
  for (const source of sources) {
    const thread = new Recorder();
    await foldLangGraph(thread, source);
    expect([thread.contents, thread.errors]).toEqual([["Hi", "Hello"], []]);
  }
});
