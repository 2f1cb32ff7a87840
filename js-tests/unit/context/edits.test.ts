// Clearing, truncating and offloading: cases that the recorded answers leave out. The inputs are frozen.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createHash } from "node:crypto";
import { clearToolUses, estimateMessageTokens, messageTokens, truncateToolArgs } from "threadfold/context";
import { offload } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { runs } from "../../support/seed.js";
import { present } from "../../support/present.js";
import { ai, Dice, human, KINDS, type Message, tool } from "./conversations.js";

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}

const cleared = (messages: readonly object[]) => messages.map((one) => (one as Message).content === "[cleared]");

test("a result is cleared if the message before it has its call", () => {
  const list = frozen([human(), ai("a"), tool("a"), ai("b"), tool("b"), tool("nobody"), ai("c"), tool("c")]);
  const of = (options: object) =>
    cleared(clearToolUses(list, { trigger: 1, ...options })).flatMap((is, at) => (is ? at : []));
  expect(of({ keep: 0 })).toEqual([2, 4, 7]);
  expect(of({ keep: 1 })).toEqual([2, 4]);
  expect(of({ keep: 3 })).toEqual([2]);
  expect(of({ keep: 0, clearAtLeast: 1, placeholder: "" })).toEqual([]);
  expect(clearToolUses(list, { keep: 0 })).toBe(list);
  expect(clearToolUses(list, { keep: 0 }, 1_000_000)).not.toBe(list);
  expect(clearToolUses(list, { keep: 0, trigger: 1, excludeTools: ["f"] })).toBe(list);
});

test("before a boundary that stays, the context only grows at its end", () => {
  const dice = new Dice(1);
  for (let round = runs(400); round > 0; round--) {
    const long = dice
      .one(Object.values(KINDS))(dice)
      .map((one, at) => ({ ...one, id: `${at}` }));
    for (const message of long)
      for (const call of message.tool_calls ?? [])
        Object.assign(call, { name: "write_file", args: { text: "x".repeat(dice.below(60)) } });
    const list = frozen(long);
    const at = dice.below(list.length + 1);
    for (const editedBefore of [at, `${at}`]) {
      const edits = [
        (some: Message[]) => clearToolUses(some, { editedBefore, clearToolInputs: dice.chance(0.5) && false }),
        (some: Message[]) =>
          clearToolUses(some, { editedBefore, clearToolInputs: true, trigger: 0, keep: 0, clearAtLeast: 1 }),
        (some: Message[]) => truncateToolArgs(some, { editedBefore, maxLength: 30, trigger: null }),
      ];
      for (const edit of edits) {
        const whole = edit(list);
        whole.forEach((message, index) => index >= at && expect(message).toBe(list[index]));
        for (let end = at + 1; end <= list.length; end++) expect(edit(list.slice(0, end))).toEqual(whole.slice(0, end));
      }
      const results = whole(list, at).filter(({ type }) => type === "tool");
      expect(results.every(({ content }) => ["[cleared]", "r"].includes(content))).toBe(true);
    }
  }
});

const whole = (list: Message[], editedBefore: number) => clearToolUses(list, { editedBefore });

test("an id that no message has edits nothing", () => {
  const list = frozen([ai("a"), tool("a"), human()]);
  expect(clearToolUses(list, { editedBefore: "x" })).toBe(list);
  expect(truncateToolArgs(list, { editedBefore: "x", maxLength: 0 })).toBe(list);
});

test("AG-UI's results and arguments are in fields of their own", () => {
  const call = {
    id: "c",
    type: "function",
    function: { name: "write_file", arguments: '{"path":"/a","text":"0123456789"}' },
  };
  const list = frozen([
    { id: "1", role: "assistant", toolCalls: [call] },
    { id: "2", role: "tool", toolCallId: "c", content: "r", metadata: { a: 1 } },
    { id: "3", role: "user", content: "x" },
  ]);
  const [asked, result] = clearToolUses(list, { editedBefore: "3", clearToolInputs: true }) as unknown as {
    toolCalls: (typeof call)[];
    metadata: object;
  }[];
  expect(result).toEqual({
    ...list[1],
    content: "[cleared]",
    metadata: { a: 1, context_editing: { cleared: true, strategy: "clear_tool_uses" } },
  });
  expect(asked?.toolCalls[0]?.function).toEqual({ name: "write_file", arguments: "{}" });
  expect(asked?.metadata).toEqual({ context_editing: { cleared_tool_inputs: ["c"] } });
  const [short] = truncateToolArgs(list, { editedBefore: 1, maxLength: 5 }) as unknown as {
    toolCalls: (typeof call)[];
    metadata: object;
  }[];
  expect(JSON.parse(short?.toolCalls[0]?.function.arguments ?? "")).toEqual({
    path: "/a",
    text: "0123456789...(argument truncated)",
  });
  const arriving = frozen([
    { id: "1", role: "assistant", toolCalls: [{ ...call, function: { name: "write_file", arguments: '{"a":"' } }] },
  ]);
  expect(truncateToolArgs(arriving, { editedBefore: 1, maxLength: 0 })).toBe(arriving);
});

test("instances keep their class and their fields", () => {
  const list = [
    new AIMessage({
      id: "1",
      content: "",
      tool_calls: [{ name: "write_file", args: { text: "x".repeat(99) }, id: "c" }],
    }),
    new ToolMessage({ id: "2", content: "r", tool_call_id: "c", status: "error", artifact: 5 }),
    new HumanMessage({ id: "3", content: "y".repeat(99) }),
  ];
  const before = JSON.stringify(list);
  const [asked, result] = clearToolUses(list, { editedBefore: 2, clearToolInputs: true });
  expect(asked).toBeInstanceOf(AIMessage);
  expect((asked as AIMessage).tool_calls?.[0]?.args).toEqual({});
  expect(result).toBeInstanceOf(ToolMessage);
  expect(result).toMatchObject({ id: "2", content: "[cleared]", status: "error", artifact: null, tool_call_id: "c" });
  const { messages, tagged } = offload(list, { humanTokens: 5 });
  expect(messages[2]).toBeInstanceOf(HumanMessage);
  expect(tagged[0]).toMatchObject({
    id: "3",
    content: "y".repeat(99),
    additional_kwargs: { lc_evicted_to: "/conversation_history/3.md" },
  });
  expect(JSON.stringify(list)).toBe(before);
});

test("truncation keeps twenty characters, however many there are", () => {
  const list = frozen([
    {
      ...ai(),
      tool_calls: [
        { id: "c", name: "write_file", args: { text: "0123456789", "10": "😀".repeat(6), __proto__: null } },
      ],
    },
  ]);
  const [short] = truncateToolArgs(list, { editedBefore: 1, maxLength: 5 });
  expect(short?.tool_calls[0]?.args).toEqual({
    text: "0123456789...(argument truncated)",
    "10": `${"😀".repeat(6)}...(argument truncated)`,
  });
  expect(truncateToolArgs(list, { editedBefore: 1, maxLength: 10 })).toBe(list);
  // Short arguments stay as they are.
  const again = frozen(truncateToolArgs(list, { editedBefore: 1, maxLength: 5 }));
  expect(truncateToolArgs(again, { editedBefore: 1, maxLength: 33 })).toBe(again);
  const once = frozen([{ ...ai(), tool_calls: [{ id: "c", name: "edit_file", args: { text: "x".repeat(99) } }] }]);
  const twice = frozen(truncateToolArgs(once, { editedBefore: 1, maxLength: 5 }));
  expect(truncateToolArgs(twice, { editedBefore: 1, maxLength: 5 })).toBe(twice);
});

test("a file is named by its call; by a hash where its name would be too long", () => {
  const dice = new Dice(3);
  for (const length of [1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 129, 200, 1000]) {
    const id = Array.from({ length }, () => dice.one(["a", "é", "日", "😀", "/"])).join("");
    const { files, messages } = offload(frozen([{ ...tool(id), content: "x".repeat(9) }]), { toolTokens: 2 });
    const isLong = Buffer.byteLength(id) > 128;
    const name = isLong ? `call-${createHash("sha256").update(id).digest("hex")}` : id.replaceAll("/", "_");
    expect(files).toEqual({ [`/large_tool_results/${name}`]: "x".repeat(9) });
    expect(messages[0]?.content).toContain(`/large_tool_results/${name}\n`);
  }
});

test("content other than text stays, and so do short texts", () => {
  const image = { type: "image_url", image_url: { url: "u" } };
  const list = frozen([
    { ...tool("c"), content: [{ type: "text", text: "x".repeat(5) }, image, "y".repeat(5)] },
    human("z".repeat(8)),
  ]);
  const { files, messages, tagged } = offload(list as never[], { toolTokens: 2, humanTokens: 2, root: "/w/" });
  expect(files).toEqual({ "/w/large_tool_results/c": "xxxxx\nyyyyy" });
  expect((messages[0] as unknown as { content: unknown[] }).content).toEqual([
    { type: "text", text: expect.stringContaining("too large") },
    image,
  ]);
  expect([messages[1], tagged]).toEqual([list[1], []]);
  for (const options of [{ toolTokens: null, humanTokens: 2 }, { excludeTools: ["f"], toolTokens: 2 }, {}]) {
    const all = frozen([ai("c"), ...list]);
    expect(offload(all as never[], options).messages).toBe(all);
  }
});

test("clearing up to a token count is the same, whether calls are counted one by one or all each time", () => {
  const args = [{}, { q: "x".repeat(9) }, { q: "long ".repeat(20), n: [1, 2, 3] }, { e: "é\n你" }];
  const contents = [
    "",
    "word ".repeat(9),
    [],
    [{ type: "text", text: "block" }],
    [{ type: "tool_use", id: "c0" }],
    null,
  ];
  let [stopped, compared] = [0, 0];
  for (let seed = 0; seed < 60; seed++) {
    const dice = new Dice(seed);
    const list: object[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const ids = Array.from({ length: 1 + dice.below(6) }, () => `c${dice.below(8)}`);
      const [content, kind] = [dice.one(contents), dice.below(3)];
      const openAi = (id: string) => ({ id, function: { name: "f", arguments: JSON.stringify(dice.one(args)) } });
      const asks = [
        { type: "ai", content, tool_calls: ids.map((id) => ({ id, name: "f", args: dice.one(args) })) },
        { role: "assistant", content, tool_calls: ids.map(openAi) },
        { role: "assistant", id: `m${turn}`, content, toolCalls: ids.map(openAi) },
      ];
      list.push(present(asks[kind]), ...dice.shuffled(ids).map((id) => tool(id)), human());
    }
    for (const [name, count] of [
      ["approximate", messageTokens],
      ["estimate", estimateMessageTokens],
    ] as const)
      for (const clearAtLeast of [1, 5, 10, 20, 40, 80, 500]) {
        const options = { trigger: 0, keep: dice.below(2), clearToolInputs: true, clearAtLeast };
        const allEachTime = (some: readonly object[]) => some.reduce((sum, one) => sum + count(one as never), 0);
        const made = clearToolUses(list, { ...options, tokenCounter: name });
        expect(made).toEqual(clearToolUses(list, { ...options, tokenCounter: allEachTime }));
        compared++;
        if (JSON.stringify(made) !== JSON.stringify(clearToolUses(list, { ...options, clearAtLeast: Infinity })))
          stopped++;
      }
  }
  expect([compared, stopped > 200]).toEqual([840, true]);
});
