// Python's number, by the answers recorded from langchain-core (../../peers/conformance/python).
import { readFileSync } from "node:fs";
import { AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { toLangChain } from "threadfold";
import { countTokens, messageTokens, toolTokens } from "threadfold/context";
import { expect, test } from "vitest";
import { refusal, replay, type Recorded } from "../../peers/conformance/records.js";

type Message = Record<string, unknown>;

interface Given {
  /** A list, or the index of one of the recorded conversations. */
  messages: Message[] | number;
  options: Record<string, unknown>;
}

const conversations = JSON.parse(
  readFileSync(new URL("../../peers/conformance/records/context/conversations.json", import.meta.url), "utf8"),
) as Message[][];

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const optionsOf = (options: Given["options"]): NonNullable<Parameters<typeof countTokens>[1]> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));
const messagesOf = ({ messages }: Given) => (typeof messages === "number" ? (conversations[messages] ?? []) : messages);
const count = (messages: unknown, options?: NonNullable<Parameters<typeof countTokens>[1]>) =>
  countTokens(messages as never, options);

test("counts as Python does", () => {
  replay("context/count", (record: Recorded<Given, number>) => {
    const ours = () => count(messagesOf(record.in), optionsOf(record.in.options));
    if (record.out !== undefined) expect(ours()).toBe(record.out);
    else expect(refusal(ours).code).toMatch(/^INVALID_(MESSAGE|ARGUMENT)$/);
  });
});

test("the messages by themselves and the tools add up to the count", () => {
  for (const messages of conversations) {
    const tools = [{ name: "find", description: "é" }];
    const sum = messages.reduce((all, message) => all + messageTokens(message as never), toolTokens(tools));
    expect(count(messages, { tools })).toBe(sum);
  }
});

const calls = [{ name: "f", args: { x: 1 }, id: "c1", type: "tool_call" as const }];

test("counts a message alike in all its forms", () => {
  const forms: [number, ...unknown[]][] = [
    [6, "hello", ["user", "hello"], { type: "human", content: "hello" }, { role: "user", content: "hello" }],
    [6, { role: "user", id: "1", content: "hello" }, new HumanMessage("hello"), new HumanMessage("hello").toJSON()],
    [22, new AIMessage({ content: "", tool_calls: calls }), { type: "ai", content: "", tool_calls: calls }],
    [22, openAi({ tool_calls: [openAiCall] }), openAi({ id: "1", toolCalls: [openAiCall] })],
    [22, { type: "ai", content: "", additional_kwargs: { tool_calls: [openAiCall] } }],
    [6, new AIMessage({ content: [], tool_calls: calls }), { type: "ai", content: [], tool_calls: calls }],
    [6, { role: "tool", id: "1", toolCallId: "call_1", content: "ok" }, ["function", "hell"]],
    [6, new ToolMessage({ content: "ok", tool_call_id: "call_1" })],
    [7, { type: "tool", content: "ok", tool_call_id: "call_1", name: "f" }],
    [6, new SystemMessage("hello"), { type: "system", content: "hello" }],
    [7, { role: "developer", content: "hello" }, system("hello", "developer")],
    [9, new ChatMessage("x", "r".repeat(21)), { type: "chat", role: "r".repeat(21), content: "x" }],
    [0, { role: "activity", id: "1", activityType: "x", content: {} }, { role: "reasoning", id: "1", content: "hm" }],
  ];
  for (const [tokens, ...messages] of forms)
    for (const message of messages) expect([message, messageTokens(message as never)]).toEqual([message, tokens]);
});

const openAiCall = { id: "c1", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const openAi = (fields: object) => ({ role: "assistant", content: null, ...fields });
const system = (content: string, role: string) =>
  new SystemMessage({ content, additional_kwargs: { __openai_role__: role } });

test("counts AG-UI's media as the blocks that a server makes of them", () => {
  const parts = [
    { type: "text", text: "hi" },
    { type: "image", source: { type: "url", value: "https://example.org/a.png" } },
    { type: "document", source: { type: "data", value: "JVBERi0=", mimeType: "application/pdf" } },
  ];
  const message = { id: "1", role: "user" as const, content: parts };
  expect(count([message])).toBe(count([toLangChain(message)]));
  expect(count([message])).toBeGreaterThan(count([{ ...message, content: parts.slice(0, 2) }]));
  expect(count([{ ...message, content: parts.slice(0, 2) }])).toBe(90);
});

test("counts arguments that are still arriving as the text that they are", () => {
  const arriving = (text: string) =>
    openAi({ id: "1", toolCalls: [{ ...openAiCall, function: { name: "f", arguments: text } }] });
  expect(messageTokens(arriving('{"x":') as never)).toBe(22);
  expect(messageTokens(arriving('{"x":"a longer text') as never)).toBe(25);
});

test("counts as langchain's countTokensApproximately does, if asked to", () => {
  const js = (messages: unknown, tools?: object[]) => count(messages, { compat: "js", tools });
  expect(js([""])).toBe(0);
  expect(js(["hello"])).toBe(2);
  expect(js(["你好你好你好你好"])).toBe(2);
  // Once rounded, and a pair of surrogates is two.
  expect(js(["a", "b", "😀"])).toBe(1);
  const blocks = [
    { type: "text", text: "x" },
    { type: "image", url: "y" },
  ];
  expect(js([{ type: "ai", content: blocks, tool_calls: calls }])).toBe(
    Math.ceil((1 + JSON.stringify(calls).length) / 4),
  );
  expect(js([{ type: "tool", content: "ok", tool_call_id: "call_1" }])).toBe(2);
  expect(js([], [{ name: "f" }])).toBe(Math.ceil(JSON.stringify({ name: "f" }).length / 4));
});

test("counts a text as Python's repr writes it, in double quotes if it has a single one", () => {
  const textOf = (text: string) => [{ type: "human", content: [{ type: "custom", x: text }] }];
  for (const [text, tokens] of [
    ["'\u0000", 39],
    ["'\u0001", 39],
    ["\u0000\"'", 41],
  ] as const)
    expect([text, count(textOf(text), { charsPerToken: 1 })]).toEqual([text, tokens]);
});

test("counts a tool of LangChain's by its JSON schema", () => {
  const schema = { type: "object", title: "F", description: "twice", properties: { x: { type: "integer" } } };
  const tool = { name: "f", description: "dé 你", schema, invoke: () => 1 };
  const { title: _title, description: _description, ...parameters } = schema;
  expect(toolTokens([tool])).toBe(toolTokens([{ name: "f", description: "dé 你", parameters }]));
  expect(refusal(() => toolTokens([{ ...tool, schema: { parse: () => 1 } }])).code).toBe("INVALID_ARGUMENT");
});

test("counts a tool as Python's json.dumps writes it", () => {
  for (const [text, length] of [
    ["", 0],
    ['a"\\/', 6],
    ["\b\t\n\f\r", 10],
    ["\u0000\v\u001f\u007f", 24],
    ["é你\ud800", 18],
    ["😀", 12],
  ] as const)
    expect([text, toolTokens([{ d: text }], { charsPerToken: 1 })]).toEqual([text, '{"d": ""}'.length + length]);
  const numbers = [1, -0.5, 1e-7, true, null, [], { a: [1, 2] }];
  const written = '{"d": [1, -0.5, 1e-07, true, null, [], {"a": [1, 2]}]}';
  expect(toolTokens([{ d: numbers }], { charsPerToken: 1 })).toBe(written.length);
});

test("refuses numbers that Python cannot divide by or add", () => {
  for (const [name, value] of [
    ["charsPerToken", 0],
    ["charsPerToken", -1],
    ["charsPerToken", "4"],
    ["extraTokensPerMessage", Number.NaN],
    ["tokensPerImage", Number.POSITIVE_INFINITY],
    ["countName", 1],
    ["tools", 5],
    ["compat", "python"],
  ] as const) {
    const error = refusal(() => count(["a"], { [name]: value }));
    expect([name, error.code]).toEqual([name, "INVALID_ARGUMENT"]);
    expect(error.message).toContain(name);
  }
});

test("says which message it cannot count", () => {
  const remove = { type: "remove", id: "1" };
  expect(refusal(() => count(["a", remove])).message).toMatch(/^messages\[1\]\.type should be human, /);
  expect(refusal(() => count(["a", { type: "tool", content: "" }])).message).toMatch(/^messages\[1\]\.tool_call_id /);
  const text = [{ type: "text", text: null }];
  expect(refusal(() => count([{ type: "human", content: text }])).message).toMatch(
    /^messages\[0\]\.content\[0\]\.text /,
  );
});
