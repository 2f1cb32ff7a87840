// A run that asks. A state left by an interrupt does not remove the messages that it lacks, and the run's end has the
// interrupts.
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { readRecording, type Part as RecordedPart } from "../../peers/recorded/format.mjs";
import { Recorder } from "./recorder";
import { human, metadata, streamOf, values, type Message, type Part } from "./streams";

const ASKED = { id: "i1", value: "May I?" };
const SAID = "I would delete three files.";
const Q = human("q", "Tidy up");
const inner = (content: string, more: object = {}): Part => ({
  event: "messages|within:1",
  data: [{ type: "AIMessageChunk", id: "a", content, tool_call_chunks: [], ...more }, {}],
});
const asking = (...messages: Message[]): Part => ({ event: "values", data: { messages, __interrupt__: [ASKED] } });
const RUN = [
  metadata(),
  values(Q),
  inner("I would "),
  inner("delete three files.", { chunk_position: "last" }),
  asking(Q),
];

const turnsOf = (kind: string): { parts: RecordedPart[] }[] => readRecording(kind, "consent").turns;
const partialOf = (thread: Recorder): unknown[] =>
  thread.sent("values").map((event) => (event as { partial?: boolean }).partial);
/** Returns the views from the first one with the subgraph's whole text. */
const sinceSaid = (thread: Recorder): string[] => {
  const texts = thread.shown.map((messages) => JSON.stringify(messages));
  return texts.slice(texts.findIndex((text) => text.includes(SAID)));
};

describe("the events that a thread is sent", () => {
  test("mark a state that carries an interrupt as partial, and report the interrupts at the end", async () => {
    const thread = new Recorder();
    const { interrupts } = await foldLangGraph(thread, streamOf(RUN));
    expect(partialOf(thread)).toEqual([undefined, true]);
    expect(thread.sent("run-started")).toEqual([{ type: "run-started", runId: "r1", joined: true }]);
    expect(thread.sent("run-finished")).toEqual([{ type: "run-finished", interrupts: [{ ...ASKED, namespace: [] }] }]);
    expect(interrupts.map(({ raw }) => raw)).toEqual([{ ...ASKED, namespace: [] }]);
    // Nothing is taken away by the adapter itself.
    expect(thread.sent("update")).toEqual([]);
  });

  test("so do those of a run that is answered, for the state that it begins with", async () => {
    const thread = new Recorder();
    await foldLangGraph(thread, streamOf(RUN));
    await foldLangGraph(
      thread,
      streamOf([metadata("r2"), values(Q), values(Q, { type: "ai", id: "a", content: SAID })]),
    );
    expect(partialOf(thread)).toEqual([undefined, true, true, undefined]);
    expect(thread.sent("run-finished").at(-1)).toEqual({ type: "run-finished" });
    await foldLangGraph(thread, streamOf([metadata("r3"), values(Q)]));
    expect(partialOf(thread).at(-1)).toBeUndefined();
  });

  test.each(["langgraph", "langgraph-v2"])("of the real server's run, %s", async (kind) => {
    const thread = new Recorder();
    for (const { parts } of turnsOf(kind)) await foldLangGraph(thread, streamOf(parts as Part[]));
    expect(thread.errors).toEqual([]);
    expect(thread.sent("update").filter((event) => JSON.stringify(event).includes('"remove"'))).toEqual([]);
    // The question's last state or the one after it, and the one that the answer's run begins with.
    expect(partialOf(thread)).toEqual([undefined, true, true, undefined, undefined]);
    const [first, second] = thread.sent("run-finished") as { interrupts?: { value: unknown }[] }[];
    expect(first?.interrupts?.map(({ value }) => value)).toEqual(["May I?"]);
    expect(second).toEqual({ type: "run-finished" });
  });

  test("say of a run without a question that it has ended, and nothing else", async () => {
    const thread = new Recorder();
    await foldLangGraph(thread, streamOf([metadata(), values(Q)]));
    expect(thread.sent("run-finished")).toEqual([{ type: "run-finished" }]);
    expect(thread.sent("values")).toEqual([{ type: "values", values: { messages: [Q] } }]);
  });

  test("ask again when a run that asked is joined after its interrupt, also one whose parts were folded before", async () => {
    for (const [at, from] of [
      [5, 5],
      [5, 0],
      [4, 4],
    ] as const) {
      const thread = new Recorder();
      const parts = RUN.map((part, index) => ({ ...part, id: String(index + 1) }));
      await foldLangGraph(thread, cut(parts.slice(0, at))).catch(() => {});
      await foldLangGraph(thread, streamOf(parts.slice(from)));
      expect(thread.sent("run-finished").at(-1)).toMatchObject({ interrupts: [ASKED] });
    }
  });

  test("report an interrupt without its text, where the stream has no channel for it", async () => {
    const thread = new Recorder();
    const lifecycle = (event: string) => ({
      type: "event",
      event_id: `synth:r:lc||${event}`,
      seq: 1,
      method: "lifecycle",
      params: { namespace: [], data: { event } },
    });
    const { interrupts } = await foldLangGraph(thread, streamOf([lifecycle("running"), lifecycle("interrupted")]));
    expect(interrupts).toMatchObject([{ id: "#0", raw: { namespace: [] } }]);
    expect(thread.sent("run-finished")).toEqual([{ type: "run-finished", interrupts: [{ namespace: [] }] }]);
  });
});

describe("the text of a subgraph before it asked", () => {
  test.each(["langgraph", "langgraph-v2"])(
    "stays before the eyes of who is asked, and who answers, %s",
    async (kind) => {
      const thread = new Recorder();
      for (const { parts } of turnsOf(kind)) {
        await foldLangGraph(thread, streamOf(parts as Part[]));
        expect(sinceSaid(thread).every((text) => text.includes(SAID))).toBe(true);
      }
      expect(thread.getState().messages.length).toBe(4);
    },
  );

  test.each(["langgraph", "langgraph-v2"])("and the thread waits for the answer, %s", async (kind) => {
    const thread = new Recorder();
    const [asked, answered] = turnsOf(kind);
    await foldLangGraph(thread, streamOf(asked?.parts as Part[]));
    expect(thread.run).toMatchObject({ status: "interrupted", interrupts: [{ value: "May I?" }] });
    await foldLangGraph(thread, streamOf(answered?.parts as Part[]));
    expect(thread.run).toMatchObject({ status: "ready" });
  });
});

async function* cut(parts: Part[]): AsyncGenerator<object> {
  yield* streamOf(parts);
  throw new TypeError("terminated");
}
