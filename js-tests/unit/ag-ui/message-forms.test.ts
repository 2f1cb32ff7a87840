// One message, between AG-UI's form and LangChain's.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { toAgUi, toLangChain } from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** As it comes off the wire: fast-check makes some objects without a prototype. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const id = fc.constantFrom("1", "m-2", "__proto__");
const words = fc.constantFrom("", "hi", "two words", "é👋");
const bag = maybe(
  fc.constantFrom<object>(
    {},
    { a: 1 },
    { threadfold: "mine" },
    { "@ag-ui/client": { x: [1] } },
    { __openai_role__: "developer" },
  ),
);
const mimeType = fc.constantFrom("image/png", "audio/wav", "video/mp4", "application/pdf", "text/plain; charset=utf-8");

const source = fc
  .oneof(
    fc.record({ type: fc.constant("data"), value: fc.constantFrom("QUJD", "x"), mimeType }),
    fc.record({
      type: fc.constant("url"),
      value: fc.constantFrom("https://a/b.png", "data:image/png;base64,QQ=="),
      mimeType: maybe(mimeType),
    }),
    fc.record({
      type: fc.constant("file"),
      value: fc.constant("file-1"),
      provider: maybe(fc.constant("openai")),
      mimeType: maybe(mimeType),
    }),
  )
  .map(defined);
const part = fc
  .oneof(
    fc.record({ type: fc.constant("text"), text: words, id: maybe(fc.constant("p1")) }),
    fc.record({
      type: fc.constantFrom("image", "audio", "video", "document"),
      source,
      metadata: maybe(fc.constantFrom<unknown>({ filename: "f.png" }, { detail: "high" }, null)),
      id: maybe(fc.constant("p2")),
    }),
  )
  .map(defined);
const parts = fc.array(part, { maxLength: 3 });

const agUiCall = fc
  .record({
    id: fc.constantFrom("c1", "c2"),
    type: fc.constant("function"),
    function: fc.record({
      name: fc.constantFrom("search", ""),
      arguments: fc.constantFrom("", "{}", '{"a":1}', '{"a": 1, "b": [true]}', '{"a":', "[1]", "null"),
    }),
    encryptedValue: maybe(fc.constant("s")),
    metadata: bag,
  })
  .map(defined);

const common = {
  id,
  metadata: bag,
  subagentRunId: maybe(fc.constant("sub")),
  encryptedValue: maybe(fc.constant("s3")),
};
const name = maybe(fc.constantFrom("Ada", ""));
const agUi = fc
  .oneof(
    fc.record({ ...common, role: fc.constantFrom("system", "developer"), content: words, name }),
    fc.record({ ...common, role: fc.constant("user"), content: fc.oneof(words, parts), name }),
    fc.record({
      ...common,
      role: fc.constant("assistant"),
      content: maybe(words),
      name,
      toolCalls: maybe(fc.array(agUiCall, { maxLength: 2 })),
    }),
    fc.record({
      ...common,
      role: fc.constant("tool"),
      content: fc.oneof(words, parts),
      toolCallId: fc.constantFrom("c1", ""),
      error: maybe(fc.constantFrom("boom", "error", "")),
    }),
    fc.record({ ...common, role: fc.constant("reasoning"), content: words }),
    fc.record({
      id,
      metadata: bag,
      role: fc.constant("activity"),
      activityType: fc.constant("PLAN"),
      content: fc.constantFrom<object>({}, { steps: [1] }),
    }),
  )
  .map(sent);

const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: words }),
  fc.constantFrom<object | string>(
    "plain",
    { type: "image_url", image_url: { url: "https://a/b.png", detail: "high" } },
    { type: "image_url", image_url: "data:application/pdf;base64,QUJD" },
    { type: "audio", source_type: "base64", data: "QUJD", mime_type: "audio/wav" },
    { type: "file", base64: "QUJD", mime_type: "application/pdf", filename: "a.pdf" },
    { type: "video", source_type: "url", url: "https://a/v.mp4" },
    { type: "image", source_type: "id", id: "file-1" },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "T" }] },
    { type: "tool_use", id: "c1", name: "search", input: {} },
  ),
);
const content = fc.oneof(words, fc.array(block, { maxLength: 3 }));
const langChainCommon = {
  id,
  content,
  name: maybe(fc.constantFrom<string | null>("Ada", null)),
  additional_kwargs: bag,
  response_metadata: bag,
  example: maybe(fc.constant(false)),
};
const langChainCall = fc
  .record({
    name: fc.constantFrom("search", ""),
    args: fc.constantFrom({}, { a: 1 }, { deep: { er: [1] } }),
    id: maybe(fc.constantFrom<string | null>("c1", null)),
    type: maybe(fc.constant("tool_call")),
  })
  .map(defined);
const langChain = fc
  .oneof(
    fc.record({ ...langChainCommon, type: fc.constantFrom("human", "system", "AIMessageChunk", "function") }),
    fc.record({
      ...langChainCommon,
      type: fc.constant("ai"),
      tool_calls: maybe(fc.array(langChainCall, { maxLength: 2 })),
      invalid_tool_calls: maybe(
        fc.constantFrom<object[]>([], [{ name: "n", args: "{", id: "c9", error: "e", type: "invalid_tool_call" }]),
      ),
      usage_metadata: maybe(fc.constantFrom({ input_tokens: 1, output_tokens: 2, total_tokens: 3 }, null)),
    }),
    fc.record({
      ...langChainCommon,
      type: fc.constant("tool"),
      tool_call_id: fc.constant("c1"),
      status: maybe(fc.constantFrom("success", "error")),
      artifact: maybe(fc.constantFrom<unknown>(null, { rows: 2 })),
    }),
  )
  .map(sent);

const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

test("AG-UI's form to LangChain's and back is the same message", () => {
  fc.assert(
    fc.property(agUi, (message) => {
      const there = toLangChain(frozen(message));
      expect(there.id).toBe(message.id);
      expect(toAgUi(there)).toStrictEqual(message);
      expect(toAgUi(JSON.parse(JSON.stringify(there)) as object)).toStrictEqual(JSON.parse(JSON.stringify(message)));
    }),
    seeded("AG-UI and back", 4000),
  );
});

test("LangChain's form to AG-UI's and back is the same message", () => {
  fc.assert(
    fc.property(langChain, (message) => {
      const there = toAgUi(frozen(message));
      expect(there.id).toBe(message.id);
      expect(toLangChain(there)).toStrictEqual(message);
    }),
    seeded("LangChain and back", 4000),
  );
});

test("back and forth any number of times says the same", () => {
  fc.assert(
    fc.property(fc.oneof(agUi, langChain), (message) => {
      const [one, other] = "role" in message ? [toLangChain, toAgUi] : [toAgUi, toLangChain];
      const there = one(message);
      expect(one(other(there))).toStrictEqual(there);
    }),
    seeded("back and forth", 2000),
  );
});

test("messages already in the requested form are left alone", () => {
  const agUi = { id: "1", role: "user", content: "Q" };
  const dict = { id: "1", type: "human", content: "Q" };
  const instance = new HumanMessage({ id: "1", content: "Q" });
  expect(toAgUi(agUi)).toBe(agUi);
  expect(toLangChain(dict)).toBe(dict);
  expect(toLangChain(instance)).toBe(instance);
});

test("calls and results, as ag_ui_langgraph maps them", () => {
  const call = { id: "c1", type: "function", function: { name: "search", arguments: '{"q":"x"}' } };
  expect(toLangChain({ id: "a", role: "assistant", content: "Look", toolCalls: [call] })).toEqual({
    id: "a",
    type: "ai",
    content: "Look",
    tool_calls: [{ id: "c1", name: "search", args: { q: "x" }, type: "tool_call" }],
  });
  expect(toLangChain({ id: "t", role: "tool", toolCallId: "c1", content: "42" })).toEqual({
    id: "t",
    type: "tool",
    tool_call_id: "c1",
    content: "42",
    status: "success",
  });
  expect(toLangChain({ id: "t", role: "tool", toolCallId: "c1", content: "", error: "boom" })).toMatchObject({
    status: "error",
  });
  expect(toAgUi({ id: "t", type: "tool", tool_call_id: "c1", content: "x", status: "error" })).toEqual({
    id: "t",
    role: "tool",
    toolCallId: "c1",
    content: "x",
    error: "error",
  });
});

test("media, as ag_ui_langgraph maps them", () => {
  const parts = [
    { type: "text", text: "See" },
    { type: "image", source: { type: "data", value: "QQ==", mimeType: "image/png" } },
    { type: "image", source: { type: "url", value: "https://a/b.png" } },
    {
      type: "document",
      source: { type: "data", value: "QQ==", mimeType: "application/pdf" },
      metadata: { filename: "a.pdf" },
    },
    { type: "video", source: { type: "url", value: "https://a/v.mp4", mimeType: "video/mp4" } },
  ];
  expect(toLangChain({ id: "u", role: "user", content: parts }).content).toEqual([
    { type: "text", text: "See" },
    { type: "image_url", image_url: { url: "data:image/png;base64,QQ==" } },
    { type: "image_url", image_url: { url: "https://a/b.png" } },
    { type: "file", base64: "QQ==", mime_type: "application/pdf", filename: "a.pdf" },
    { type: "video", source_type: "url", url: "https://a/v.mp4", mime_type: "video/mp4" },
  ]);
});

test("the results of ag_ui_langgraph's own converters", () => {
  const recorded = new URL("recorded/ag-ui-langgraph-messages.json", import.meta.url);
  const rows = JSON.parse(readFileSync(recorded, "utf8")) as Record<
    "agUi" | "langChain" | "back",
    Record<string, unknown>
  >[];
  for (const { agUi, langChain, back } of rows) {
    const { additional_kwargs: _, ...ours } = toLangChain(agUi);
    // Theirs has every field of its class, also the empty ones.
    const { additional_kwargs: _a, response_metadata: _r, invalid_tool_calls: _i, ...theirs } = langChain;
    expect(ours).toEqual(theirs);
    const { metadata: _m, ...again } = toAgUi(langChain);
    // Python's JSON has spaces.
    const plain = JSON.parse(JSON.stringify(back).replaceAll('\\": \\"', '\\":\\"')) as object;
    expect(again).toEqual(plain);
  }
  expect(rows.length).toBeGreaterThan(5);
});

test("a developer message is a system message that says so", () => {
  const there = toLangChain({ id: "d", role: "developer", content: "Be brief" });
  expect(there).toEqual({
    id: "d",
    type: "system",
    content: "Be brief",
    additional_kwargs: { __openai_role__: "developer" },
  });
});

test("instances of @langchain/core's classes", () => {
  const ai = new AIMessage({
    id: "a",
    content: "Hi",
    tool_calls: [{ name: "n", args: { a: 1 }, id: "c1", type: "tool_call" }],
  });
  expect(toAgUi(ai)).toMatchObject({
    id: "a",
    role: "assistant",
    content: "Hi",
    toolCalls: [{ id: "c1", function: { arguments: '{"a":1}' } }],
  });
  const tool = new ToolMessage({ id: "t", content: "42", tool_call_id: "c1", status: "error" });
  expect(toAgUi(tool)).toMatchObject({ id: "t", role: "tool", toolCallId: "c1", error: "error" });
  expect(toLangChain(toAgUi(tool))).toMatchObject({ type: "tool", tool_call_id: "c1", status: "error", content: "42" });
});

test("changes made in between count", () => {
  const asked = {
    id: "a",
    type: "ai",
    content: [
      { type: "text", text: "ol" },
      { type: "text", text: "d" },
    ],
    usage_metadata: { total_tokens: 3 },
  };
  const there = toAgUi(asked);
  expect(there.content).toBe("old");
  expect(toLangChain({ ...there, content: "new" })).toEqual({
    id: "a",
    type: "ai",
    content: "new",
    usage_metadata: { total_tokens: 3 },
  });

  const call = { id: "c1", type: "function", function: { name: "n", arguments: '{ "a": 1 }' } };
  const dict = toLangChain({ id: "b", role: "assistant", content: "", toolCalls: [call] });
  const edited = { ...dict, tool_calls: [{ name: "n", args: { a: 2 }, id: "c1", type: "tool_call" }] };
  expect(toAgUi(edited).toolCalls).toEqual([{ ...call, function: { name: "n", arguments: '{"a":2}' } }]);
});

test.each([
  [null],
  [{}],
  [{ role: "user", content: "no id" }],
  [{ id: 1, role: "user" }],
  [{ type: "human", content: "no id" }],
  [{ id: "1", type: "remove" }],
  [{ id: "1", type: "constructor" }],
  [{ id: "1", type: {} }],
])("%j is no message of AG-UI", (value) => {
  expect(outcome(() => toAgUi(value as object))).toMatchObject({ error: { code: "INVALID_MESSAGE" } });
});

test.each([[null], ["text"], [{}], [{ id: "1", role: "constructor" }], [{ id: "1", role: "wizard" }]])(
  "%j is no message for LangChain",
  (value) => {
    expect(outcome(() => toLangChain(value as object))).toMatchObject({ error: { code: "INVALID_MESSAGE" } });
  },
);
