// The boundary before which messages are edited: its savings, its place when messages go, and the files.
import { Context, estimateMessageTokens } from "threadfold/context";
import type { ContextRecord } from "threadfold";
import { offloading } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { present } from "../../support/present.js";

const call = (id: string, args: object = {}) => ({ id, name: "f", args });
const asks = (id: string, ...calls: object[]) => ({ id, type: "ai", content: "", tool_calls: calls });
const result = (of: string, content: string) => ({ id: `r${of}`, type: "tool", tool_call_id: of, content });
const human = (id: string) => ({ id, type: "human", content: id });
const LONG = "a long result ".repeat(50);

const turns = () =>
  frozen(["1", "2", "3", "4"].flatMap((at) => [asks(`a${at}`, call(at)), result(at, LONG), human(`h${at}`)]));
const OPTIONS = { trigger: { tokens: 600 }, keep: { tokens: 500 }, clearToolUses: { keep: 2 } } as const;
const contents = (messages: readonly object[]) => messages.map((message) => (message as { content?: string }).content);
const cleared = (messages: readonly object[]) => contents(messages).filter((content) => content === "[cleared]").length;

test("the edits stay where the message goes that they end before, the one in front of it, or both of another place", () => {
  const context = new Context(OPTIONS);
  const due = present(context.of(turns()).due);
  expect([due.summarize, due.editedBefore]).toEqual([false, "r3"]);
  const record = context.compact(due, null);
  expect(record).toMatchObject({ edited_before: "r3", edited_id: "a3" });
  for (const gone of [[], ["r3"], ["a3"], ["h1"], ["h1", "r3"], ["a1", "r1", "a3"]]) {
    const left = frozen(turns().filter(({ id }) => !gone.includes(id)));
    // JSON as the object; a context that saw the list before as one that did not.
    for (const one of [record, JSON.parse(JSON.stringify(record)) as ContextRecord])
      for (const looks of [context, new Context(OPTIONS)])
        expect(cleared(looks.of(left, one).messages), `without ${gone.join()}`).toBe(gone.includes("r1") ? 1 : 2);
  }
  // A conversation that is rewound to before both is as it was.
  expect(cleared(context.of(turns().slice(0, 5), record).messages)).toBe(0);
});

test("a boundary after the last message stays after it", () => {
  const context = new Context({ ...OPTIONS, clearToolUses: { keep: 0 } });
  const record = context.compact(present(context.of(turns()).due), null);
  expect(record).toMatchObject({ edited_before: 12, edited_id: "h4" });
  const more = [...turns(), asks("a5", call("5")), result("5", LONG)];
  expect(cleared(context.of(more, record).messages)).toBe(4);
  // An index alone would reach into later messages.
  expect(cleared(context.of(more.slice(3), record).messages)).toBe(3);
});

test("arguments save nothing as long as the result of their call stays", () => {
  // One message asks for both, and the second result stays: so do its arguments.
  const list = frozen([
    human("h0"),
    asks("a1", call("1"), call("2", { text: LONG.repeat(4) })),
    result("1", LONG),
    result("2", LONG),
    human("h1"),
  ]);
  const sum = (messages: readonly object[]) =>
    messages.reduce((all, message) => all + estimateMessageTokens(message as never), 0);
  const tokens = sum(list);
  const context = new Context({
    trigger: { tokens: tokens - 200 },
    keep: { tokens: 10 },
    clearToolUses: { keep: 1, clearToolInputs: true },
  });
  const due = present(context.of(list).due);
  // Clearing is not enough, and not taken for it.
  expect(due.summarize).toBe(true);
  const after = new Context({
    trigger: { tokens: tokens - 100 },
    keep: { tokens: 10 },
    clearToolUses: { keep: 1, clearToolInputs: true },
  });
  const view = after.of(list, after.compact(present(after.of(list).due), null));
  expect(view.due).toBeNull();
});

test("when only edits are due, nothing after them is", () => {
  let edits = 0;
  for (let keep = 0; keep < 4; keep++) {
    for (const clearToolInputs of [false, true]) {
      for (let trigger = 200; trigger < 1200; trigger += 25) {
        const context = new Context({ trigger: { tokens: trigger }, clearToolUses: { keep, clearToolInputs } });
        const list = turns().map((one) =>
          "tool_calls" in one ? { ...one, tool_calls: [call(one.id.slice(1), { q: LONG })] } : one,
        );
        const { due } = context.of(list);
        if (!due || due.summarize) continue;
        edits++;
        expect(context.of(list, context.compact(due, null)).due).toBeNull();
      }
    }
  }
  expect(edits).toBeGreaterThan(20);
});

test("due.files names what is moved, and the context has where it is", () => {
  const context = new Context({
    trigger: { tokens: 4000 },
    keep: { tokens: 3000 },
    offload: offloading({ toolTokens: 50 }),
  });
  const list = turns();
  const huge = frozen(list.map((one) => (one.type === "tool" ? { ...one, content: LONG.repeat(20) } : one)));
  const moved = present(context.of(huge).due);
  expect([moved.summarize, moved.messages]).toEqual([false, []]);
  const all = [1, 2, 3, 4].map((at) => [`/large_tool_results/${at}`, LONG.repeat(20)]);
  expect(moved.files).toEqual(Object.fromEntries(all));
  expect(moved.files).toBe(moved.files);
  expect(present(new Context({ trigger: { messages: 3 } }).of(huge).due).files).toEqual({});
  // Notes longer than the text they replace save nothing.
  const small = new Context({ trigger: { tokens: 600 }, offload: offloading({ toolTokens: 50 }) });
  expect(present(small.of(list).due).files).toEqual({});
  const record = context.compact(moved, null);
  const view = context.of(huge, record);
  for (const message of view.messages.filter((one) => one.type === "tool"))
    expect(message.content).toMatch(/^Tool result too large, .* at this path: \/large_tool_results\/\d\n/);
  // Later results stay whole until something is due again, and only the results due then are in the files.
  const more = frozen([...huge, asks("a5", call("5")), result("5", LONG.repeat(20)), human("h5")]);
  const later = context.of(more, record);
  expect(contents(later.messages)).toContain(LONG.repeat(20));
  expect(Object.keys(present(later.due).files)).toEqual(["/large_tool_results/5"]);
});

test("files hold the results that clearing leaves, and user messages, too", () => {
  const options = { trigger: { tokens: 600 }, keep: { tokens: 100 } };
  const long = { id: "long", type: "human", content: LONG.repeat(9) };
  const list = frozen([...turns(), long, human("end")]);
  const offload = offloading({ toolTokens: 50, humanTokens: 60 });
  const both = present(new Context({ ...options, clearToolUses: { keep: 2 }, offload }).of(list).due);
  expect(both.files).toEqual({});
  const all = present(new Context({ ...options, offload }).of(list).due);
  expect(Object.keys(all.files)).toEqual(
    [1, 2, 3, 4].map((at) => `/large_tool_results/${at}`).concat("/conversation_history/long.md"),
  );
});

test("a moved text is not moved again, and has one name without an id, too", () => {
  const offload = offloading({ toolTokens: 20, humanTokens: 20 });
  const list = frozen(
    [human("x".repeat(999)), asks("a1", call("1")), result("1", LONG.repeat(9))].map(({ id: _id, ...one }) => one),
  );
  const once = offload(list);
  const twice = offload(once.messages);
  expect(twice.messages).toBe(once.messages);
  expect([twice.files, twice.tagged]).toEqual([{}, []]);
  expect(Object.keys(offload([human("a"), ...list]).files)).toEqual(Object.keys(once.files));
});
