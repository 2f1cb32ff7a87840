// A context of a thread: its history is the full track, and it keeps the record.
import { Thread } from "threadfold";
import { Context, contextMessages, fullMessages } from "threadfold/context";
import { expect, test } from "vitest";
import { present } from "../../support/present.js";

const message = (at: number) => ({
  type: at % 2 ? ("ai" as const) : ("human" as const),
  id: `m${at}`,
  content: `${at}`,
});
const context = new Context({ trigger: { messages: 6 }, keep: { messages: 2 } });
const ids = (messages: readonly object[]) => messages.map((one) => (one as { id?: string }).id);

test("a thread keeps a compaction's record, and shows everything all the same", () => {
  const thread = new Thread();
  for (let at = 0; at < 6; at++) thread.update({ messages: [message(at)] });
  const view = context.of(thread);
  expect(context.of(thread)).toBe(view);
  expect(ids(present(view.due).messages)).toEqual(["m0", "m1", "m2", "m3"]);
  thread.compact(view.due, "They counted to three.");
  const shown = context.of(thread);
  expect(ids(shown.messages)).toEqual([undefined, "m4", "m5"]);
  expect([shown.due, shown.conversation_summary, shown.compression_applied]).toEqual([
    null,
    "They counted to three.",
    true,
  ]);
  expect(ids(fullMessages(thread))).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
  expect(thread.getState().messages.length).toBe(6);
  // A message in front goes: the cut is where it was.
  thread.update({ messages: [{ type: "remove", id: "m0" }] });
  expect(ids(context.of(thread).messages)).toEqual([undefined, "m4", "m5"]);
  // A reload.
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as never);
  expect(contextMessages(again)).toEqual(context.of(thread).messages);
});

test("a thread that keeps the full history of a server that summarizes is sent what the server sends", () => {
  const thread = new Thread({ history: "full" });
  thread.receive({ type: "values", values: { messages: [0, 1, 2, 3].map(message) } } as never);
  const summary = { type: "human", id: "s", content: "So far.", additional_kwargs: { lc_source: "summarization" } };
  thread.receive({ type: "values", values: { messages: [summary, message(2), message(3), message(4)] } } as never);
  expect(ids(fullMessages(thread))).toEqual(["m0", "m1", "m2", "m3", "m4"]);
  expect(contextMessages(thread)).toEqual(thread.getState().messages);
});
