// The full track: `history: "full"` keeps messages that a summarizing server removes from its list. Compactions look as
// LangChain's middlewares write them, with the summary first. In Python the summary has an id of its own, in JavaScript
// that of a message that it stands for.
import { Thread, ThreadfoldError, type ThreadOptions, type ThreadState } from "threadfold";
import { contextMessages } from "threadfold/context";
import { describe, expect, test } from "vitest";
import type { ContextRecord } from "threadfold";

type Message = ThreadState["messages"][number];

const human = (id: string): Message => ({ type: "human", id, content: `asked ${id}` });
const ai = (id: string): Message => ({ type: "ai", id, content: `answered ${id}` });
const summary = (id: string, of = "it"): Message => ({
  type: "human",
  id,
  content: `Here is a summary of the conversation to date:\n\n${of}`,
  additional_kwargs: { lc_source: "summarization" },
});
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

/** A thread that has had two turns, and a list of its drifts. */
function talked(options: ThreadOptions<ThreadState> = { history: "full" }) {
  const thread = new Thread(options);
  const drifts: unknown[] = [];
  thread.on("drift", (drift) => drifts.push(drift));
  thread.on("error", (error) => {
    throw error;
  });
  run(thread, "r1", [human("h1"), ai("a1"), human("h2"), ai("a2")]);
  return { thread, drifts };
}

/** A run that ends with these messages. */
function run(thread: Thread, runId: string, messages: Message[]) {
  thread.receive({ type: "run-started", runId });
  thread.receive({ type: "values", values: { messages } });
  thread.receive({ type: "run-finished" });
}

describe("a server that summarizes", () => {
  test.each([
    ["under an id of the summary's own", "s1"],
    ["under the id of the first message", "h1"],
  ])("a snapshot that begins with the summary, %s, takes nothing from the history", (_, id) => {
    const { thread, drifts } = talked();
    thread.optimistic({ messages: [human("h3")] });
    run(thread, "r2", [summary(id), ai("a2"), human("h3"), ai("a3")]);
    expect(ids(thread.getState().messages)).toEqual([id, "a2", "h3", "a3"]);
    expect(thread.history).toEqual([human("h1"), ai("a1"), human("h2"), ai("a2"), human("h3"), ai("a3")]);
    expect(thread.context).toEqual({
      cutoff_index: 3,
      cutoff_id: "a2",
      summarized_id: "h2",
      summary_message: summary(id),
      file_path: null,
    } satisfies ContextRecord);
    expect(drifts).toEqual([]);
    expect(thread.pending).toEqual([]);
  });

  test("stands for the same messages when the first that it kept is gone", () => {
    const { thread } = talked();
    run(thread, "r2", [summary("s1"), ai("a2")]);
    run(thread, "r3", [summary("s1"), ai("a3")]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a3"]);
    expect(ids(contextMessages(thread))).toEqual(["s1", "a3"]);
  });

  test("so does an update that clears the list first", () => {
    const { thread } = talked();
    thread.receive({ type: "run-started", runId: "r2" });
    const update = { messages: [{ type: "remove", id: "__remove_all__" }, summary("s1"), ai("a2")] };
    thread.receive({ type: "update", update });
    expect(ids(thread.getState().messages)).toEqual(["s1", "a2"]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2"]);
  });

  test.each(["s", "h1"])("a second summary stands for the first, too (ids %s)", (id) => {
    const { thread } = talked();
    run(thread, "r2", [summary(id === "s" ? "s1" : id, "two"), ai("a2"), human("h3"), ai("a3")]);
    run(thread, "r3", [summary(id === "s" ? "s2" : id, "four"), ai("a3"), human("h4"), ai("a4")]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "h3", "a3", "h4", "a4"]);
    expect(thread.context).toMatchObject({ cutoff_index: 5, cutoff_id: "a3" });
    expect(thread.context?.summary_message).toMatchObject({ content: expect.stringContaining("four") as string });
  });

  test("a system message in front of the summary stays where it is", () => {
    const { thread } = talked();
    const system: Message = { type: "system", id: "sys", content: "Be kind." };
    run(thread, "r2", [system, summary("s1"), ai("a2")]);
    expect(ids(thread.history)).toEqual(["sys", "h1", "a1", "h2", "a2"]);
    expect(thread.context).toMatchObject({ cutoff_id: "a2" });
  });

  test("the same state again changes nothing", () => {
    const { thread } = talked();
    const after = () => [summary("s1"), ai("a2")];
    run(thread, "r2", after());
    const [history, context] = [thread.history, thread.context];
    run(thread, "r3", after());
    expect(thread.history).toBe(history);
    expect(thread.context).toBe(context);
  });

  test("messages removed otherwise are removed", () => {
    const { thread } = talked();
    run(thread, "r2", [human("h1"), ai("a1"), ai("a2")]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "a2"]);
    run(thread, "r3", [summary("s1"), ai("a2")]);
    run(thread, "r4", []);
    expect(thread.history).toEqual([]);
  });

  test("a run that is joined again from its start compacts once", () => {
    const { thread } = talked();
    run(thread, "r2", [summary("s1"), ai("a2"), human("h3"), ai("a3")]);
    const third = () => {
      thread.receive({
        type: "values",
        values: { messages: [summary("s1"), ai("a2"), human("h3"), ai("a3"), human("h4")] },
      });
      thread.receive({ type: "values", values: { messages: [summary("s2"), human("h4")] } });
    };
    thread.receive({ type: "run-started", runId: "r3" });
    third();
    thread.receive({ type: "disconnected", error: new Error("cut") });
    thread.receive({ type: "run-started", runId: "r3" });
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "h3", "a3"]);
    third();
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "h3", "a3", "h4"]);
  });

  test("a reload keeps it, and continues with it", () => {
    const { thread } = talked();
    run(thread, "r2", [summary("s1"), ai("a2"), human("h3"), ai("a3")]);
    const again = Thread.fromJSON<ThreadState>(JSON.parse(JSON.stringify(thread)) as object);
    expect(again.history).toEqual(thread.history);
    expect(again.context).toEqual(thread.context);
    run(again, "r3", [summary("s2"), human("h4"), ai("a4")]);
    expect(ids(again.history)).toEqual(["h1", "a1", "h2", "a2", "h3", "a3", "h4", "a4"]);
  });

  test("updates that the server lacks are there once, also once rolled back", () => {
    const { thread } = talked();
    const op = thread.optimistic({ messages: [human("q")] });
    op.fail(new Error("503"));
    thread.optimistic({ messages: [human("waits")] });
    run(thread, "r2", [human("h1"), ai("a1"), human("h2"), ai("a2"), human("h3")]);
    run(thread, "r3", [summary("s1"), human("h3"), ai("a3")]);
    expect(ids(thread.history).toSorted()).toEqual(["a1", "a2", "a3", "h1", "h2", "h3", "q"].toSorted());
    op.rollback();
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "h3", "a3"]);
  });

  test.each(["a run that clears it", "the user"])("%s clears the history, too", (who) => {
    const { thread } = talked();
    run(thread, "r2", [summary("s1"), ai("a2")]);
    const cleared = { messages: [{ type: "remove" as const, id: "__remove_all__" }] };
    if (who === "the user") thread.update(cleared);
    else {
      thread.receive({ type: "run-started", runId: "r3" });
      thread.receive({ type: "update", update: cleared });
      thread.receive({ type: "run-finished" });
    }
    expect(thread.history).toEqual([]);
    expect(thread.context).toBeUndefined();
  });

  test("a summary of unseen messages takes their place", () => {
    const thread = new Thread({ history: "full" });
    run(thread, "r1", [summary("s1"), ai("a2")]);
    expect(ids(thread.history)).toEqual(["s1", "a2"]);
    run(thread, "r2", [summary("s2"), human("h3")]);
    expect(ids(thread.history)).toEqual(["s1", "a2", "h3"]);
  });

  test("a record of a thread without it gets it from here on", () => {
    const { thread } = talked({});
    const again = Thread.fromJSON<ThreadState>(JSON.parse(JSON.stringify(thread)) as object, { history: "full" });
    run(again, "r2", [summary("s1"), ai("a2")]);
    expect(ids(again.history)).toEqual(["h1", "a1", "h2", "a2"]);
  });

  test("pending messages are in the history, last", () => {
    const { thread } = talked();
    run(thread, "r2", [summary("s1"), ai("a2")]);
    thread.optimistic({ messages: [human("h3")] });
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "h3"]);
  });

  test("of untouched messages it has the same objects, and it is the same list until one changes", () => {
    const { thread } = talked();
    const before = thread.getState().messages;
    run(thread, "r2", [summary("s1"), ai("a2"), human("h3")]);
    const history = thread.history;
    expect(history.slice(0, 4).every((message, at) => message === before[at])).toBe(true);
    expect(thread.history).toBe(history);
    thread.receive({ type: "text", messageId: "a2", text: "!" });
    expect(thread.history).not.toBe(history);
    expect(thread.history[0]).toBe(history[0]);
  });
});

test("without the option the history is the server's list", () => {
  const { thread } = talked({});
  run(thread, "r2", [summary("s1"), ai("a2")]);
  expect(thread.history).toBe(thread.getState().messages);
  expect(thread.context).toBeUndefined();
  expect(() => new Thread({ history: "all" as "full" })).toThrow(ThreadfoldError);
});

describe("a compaction made here", () => {
  const record = { cutoff_index: 2, cutoff_id: "h2", summary_message: summary("s1"), file_path: null };
  const due = { toRecord: (said: unknown) => ({ ...record, summary_message: said === null ? null : summary("s1") }) };

  test("is the thread's context, reported to its listeners, and outlives a reload", () => {
    const { thread } = talked({});
    let told = 0;
    thread.subscribe(() => told++);
    thread.compact(due, "said so far");
    expect(thread.context).toEqual(record);
    expect(told).toBe(1);
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2"]);
    expect(Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object).context).toEqual(record);
    thread.compact(due, null);
    expect(thread.context?.summary_message).toBeNull();
  });

  test("when nothing is due is refused", () => {
    const { thread } = talked({});
    for (const wrong of [null, undefined, {}, 1]) {
      expect(() => thread.compact(wrong as never, "said")).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error,
      );
    }
    thread.dispose();
    expect(() => thread.compact(due, "said")).toThrow(expect.objectContaining({ code: "DISPOSED" }) as Error);
  });
});

describe("a record", () => {
  test("is not changed by what the thread does later", () => {
    const { thread } = talked();
    const first = thread.toJSON();
    const before = JSON.stringify(first);
    run(thread, "r2", [summary("s1"), ai("a2")]);
    const second = thread.toJSON();
    const between = JSON.stringify(second);
    run(thread, "r3", [summary("s2"), ai("a3")]);
    expect([JSON.stringify(first), JSON.stringify(second)]).toEqual([before, between]);
    expect(ids(Thread.fromJSON(second, { history: "full" }).history as Message[])).toEqual(["h1", "a1", "h2", "a2"]);
  });
});

describe("a compaction with new ids in the same snapshot", () => {
  test("a message that the server renames is there once", () => {
    const { thread } = talked();
    thread.optimistic({ messages: [{ type: "human", id: "h3", content: "Next" }] });
    run(thread, "r2", [summary("s1"), ai("a2"), { type: "human", id: "server", content: "Next" }]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "h2", "a2", "server"]);
    expect(thread.context).toMatchObject({ cutoff_index: 3, cutoff_id: "a2", summarized_id: "h2" });
  });

  test("a tool's result under another id is there once", () => {
    const thread = new Thread({ history: "full" });
    const asks: Message = { type: "ai", id: "a", content: "", tool_calls: [{ id: "c", name: "f", args: {} }] };
    const result = (id: string): Message => ({ type: "tool", id, tool_call_id: "c", content: "r" });
    run(thread, "r1", [human("h1"), asks, result("t1")]);
    run(thread, "r2", [summary("s1"), asks, result("t2")]);
    expect(ids(thread.history)).toEqual(["h1", "a", "t2"]);
  });

  test("a removal that waits takes its message out of the history, compacted or not", () => {
    const { thread } = talked();
    thread.optimistic({ messages: [{ type: "remove", id: "h2" }] as never });
    run(thread, "r2", [summary("s1"), ai("a2")]);
    expect(ids(thread.history)).toEqual(["h1", "a1", "a2"]);
  });
});

test("system messages alone come before the history", () => {
  const { thread } = talked();
  thread.receive({ type: "update", update: { messages: [{ type: "remove", id: "__remove_all__" }] as never } });
  thread.optimistic({ messages: ["s1", "s2"].map((id) => ({ type: "system" as const, id, content: id })) });
  expect(ids(thread.history)).toEqual(["s1", "s2", "h1", "a1", "h2", "a2"]);
});
