// Messages in the forms in which lists come: LangChain's serialised one, and AG-UI messages that are only for the
// screen.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import {
  clearToolUses,
  Context,
  contextMessages,
  countTokens,
  fullMessages,
  repairToolCalls,
  trimMessages,
  truncateToolArgs,
} from "threadfold/context";
import { offload } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { present } from "../../support/present.js";

interface Serialised {
  lc: number;
  type: string;
  id: string[];
  kwargs: Record<string, unknown>;
}

const instances = () => [
  new SystemMessage({ id: "m0", content: "Be brief." }),
  new AIMessage({
    id: "m1",
    content: [{ type: "thinking", thinking: "…" } as never, { type: "text", text: "I write." }],
    tool_calls: [{ id: "c1", name: "write_file", args: { text: "x".repeat(3000) } }],
  }),
  new ToolMessage({ id: "m2", content: "r".repeat(400), tool_call_id: "c1", name: "write_file", artifact: { a: 1 } }),
  new HumanMessage({ id: "m3", content: "a\nbb" }),
  new HumanMessage({ id: "m4", content: "Go on." }),
];
const serialised = () => frozen(JSON.parse(JSON.stringify(instances())) as Serialised[]);
/** The fields of a message in either form, as JSON. */
const fields = (message: object): unknown =>
  JSON.parse(
    JSON.stringify("kwargs" in message ? message.kwargs : (JSON.parse(JSON.stringify(message)) as Serialised).kwargs),
  );

const EDITS: Record<string, (list: object[]) => readonly object[]> = {
  clearToolUses: (list) => clearToolUses(list, { editedBefore: "m3", clearToolInputs: true }),
  "clearToolUses, but for a tool": (list) => clearToolUses(list, { editedBefore: "m3", excludeTools: ["write_file"] }),
  truncateToolArgs: (list) => truncateToolArgs(list, { editedBefore: "m3", maxLength: 5 }),
  offload: (list) => offload(list, { toolTokens: 20, humanTokens: 1, excludeTools: [] }).messages,
  trimMessages: (list) => trimMessages(list, { maxTokens: 5, strategy: "first", allowPartial: true }),
  "trimMessages to a part": (list) => trimMessages(list.slice(3, 4), { maxTokens: 5, allowPartial: true }),
};

for (const [name, edit] of Object.entries(EDITS)) {
  test(`${name}: a serialised message is edited like its instance, and stays serialised`, () => {
    const [list, all] = [serialised(), instances()];
    const made = edit(list);
    // An instance has empty lists of its own for missing fields.
    for (const message of made) expect(Object.keys(message)).toEqual(["lc", "type", "id", "kwargs"]);
    const wanted = edit(all).map((message) => ({ ...message }) as Record<string, unknown>);
    expect(made.length).toBe(wanted.length);
    for (const [at, message] of made.entries()) {
      const own = fields(message) as Record<string, unknown>;
      for (const key of ["id", "content", "tool_calls", "artifact", "additional_kwargs"])
        if (own[key] !== undefined) expect(own[key], `${key} of ${at}`).toEqual(plain(wanted[at]?.[key]));
      if (own["tool_calls"] === undefined) continue;
      expect(countTokens([message] as never)).toBe(countTokens([edit(all)[at]] as never));
    }
    if (name !== "clearToolUses, but for a tool") expect(made).not.toEqual(list);
  });
}

const plain = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

test("a record of serialised messages goes by their ids", () => {
  const context = new Context({ trigger: { messages: 4 }, keep: { messages: 2 }, clearToolUses: { keep: 0 } });
  const record = present(context.of(serialised()).due).toRecord("S");
  expect(record).toMatchObject({ cutoff_index: 3, cutoff_id: "m3", summarized_id: "m2", edited_id: "m4" });
  // One that is in front goes: an index would be wrong now.
  const { messages } = context.of(serialised().slice(1), record);
  expect(messages.map((message) => (message as Serialised).kwargs?.["id"])).toEqual([undefined, "m3", "m4"]);
  // Reasoning that is bound to earlier messages goes, too.
  const kept = context.of(serialised(), { ...record, cutoff_index: 1, cutoff_id: "m1", created_at_index: 5 })
    .messages[2];
  expect((kept as Serialised).kwargs["content"]).toEqual([{ type: "text", text: "I write." }]);
});

const said = (id: string, role: string, more: object = {}) => ({ id, role, content: id, ...more });
const thought = (id: string) => said(id, "reasoning");
const shown = (id: string) => ({ id, role: "activity", activityType: "PLAN", content: { steps: ["a"] } });

/** A conversation as AG-UI has it. */
const agUi = () => [
  thought("r0"),
  said("m0", "user"),
  thought("r1"),
  said("m1", "assistant", { toolCalls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }] }),
  shown("a1"),
  said("m2", "tool", { toolCallId: "c1" }),
  thought("r2"),
  said("m3", "assistant"),
  shown("a2"),
  said("m4", "user"),
  thought("r3"),
];
const forModels = () => agUi().filter(({ role }) => role !== "reasoning" && role !== "activity");
const ids = (messages: readonly object[]) => messages.map((message) => (message as { id?: string }).id);

test("a model is not sent what is only for the screen, and it is not counted", () => {
  for (const options of [{ trigger: { messages: 6 } }, { trigger: { messages: 5 }, keep: { messages: 2 } }]) {
    const context = new Context(options);
    const [view, without] = [context.of(frozen(agUi())), new Context(options).of(forModels())];
    expect(ids(view.messages)).toEqual(["m0", "m1", "m2", "m3", "m4"]);
    expect([view.tokens, view.due?.messages.length]).toEqual([without.tokens, without.due?.messages.length]);
    expect(ids(view.due?.kept ?? [])).toEqual(ids(without.due?.kept ?? []));
  }
  expect(ids(contextMessages(agUi()))).toEqual(["m0", "m1", "m2", "m3", "m4"]);
  // The full track has all of it.
  expect(fullMessages(agUi())).toHaveLength(11);
});

test("a record says positions of the full track, also where some of it is only for the screen", () => {
  const context = new Context({ trigger: { messages: 5 }, keep: { messages: 2 }, clearToolUses: { keep: 0 } });
  const record = present(context.of(agUi()).due).toRecord("S");
  expect(record).toMatchObject({ cutoff_index: 7, cutoff_id: "m3", summarized_id: "m2", created_at_index: 11 });
  // By the index as by the ids, and as the list grows.
  const { cutoff_id: _cutoff, summarized_id: _last, ...byIndex } = record;
  for (const one of [record, byIndex]) {
    const list: object[] = agUi();
    for (const more of [thought("r4"), said("m5", "assistant"), shown("a3"), said("m6", "user")]) {
      list.push(more);
      const wanted = ["m3", "m4", ...["m5", "m6"].filter((id) => ids(list).includes(id))];
      expect(ids(context.of(list, one).messages).slice(1)).toEqual(wanted);
      expect(ids(new Context().of(list, one).messages).slice(1)).toEqual(wanted);
    }
    // A message goes from the middle: the rest moves up.
    expect(
      ids(
        context.of(
          list.filter((_, at) => at !== 8),
          record,
        ).messages,
      ).slice(1),
    ).toEqual(["m3", "m4", "m5", "m6"]);
  }
});

test("a meter does not count messages for the screen, nor text added to them", () => {
  for (const tokenCounter of ["estimate", "approximate", (messages: readonly object[]) => messages.length] as const) {
    const context = new Context({ trigger: { messages: 6, tokens: 1 }, tokenCounter });
    const meter = context.meter(agUi());
    const before = meter.tokens;
    meter.push(thought("r4"));
    meter.text("a long thought of many words");
    expect([meter.tokens, meter.isDue]).toEqual([before, false]);
    meter.push(said("m5", "assistant"));
    expect([meter.tokens > before, meter.isDue]).toEqual([true, true]);
  }
});

test("a repaired list keeps it, where it was", () => {
  const list = frozen([said("m0", "user"), shown("a1"), said("m1", "assistant")]);
  expect(repairToolCalls(list as never)).toBe(list);
});
