import { ThreadfoldError } from "threadfold";
import {
  countTokens,
  estimateMessageTokens,
  estimateTokens,
  messageTokens,
  scanMessage,
  scanTokens,
  toolTokens,
} from "threadfold/context";
import { expect, test } from "vitest";
import { garbage } from "../../properties/garbage/values.js";
import { outcome } from "../../support/errors.js";

const OPTIONS = [
  "charsPerToken",
  "extraTokensPerMessage",
  "countName",
  "tokensPerImage",
  "useUsageMetadataScaling",
  "tools",
  "compat",
];
const FIELDS = [
  "type",
  "role",
  "id",
  "content",
  "name",
  "tool_calls",
  "toolCalls",
  "invalid_tool_calls",
  "tool_call_id",
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "lc",
  "kwargs",
  "getType",
];

/** A message with this value in every place of it, one at a time. */
function messagesWith(value: unknown): unknown[] {
  const call = { id: "c", name: "f", args: {} };
  const good = { type: "ai", content: "a", name: "n", tool_calls: [call] };
  return [
    value,
    ["user", value],
    [value, "a"],
    ...FIELDS.map((field) => ({ ...good, [field]: value })),
    ...["content", "toolCallId", "additional_kwargs"].map((field) => ({
      type: "tool",
      tool_call_id: "c",
      [field]: value,
    })),
    { type: "system", content: "", additional_kwargs: { __openai_role__: value } },
    { type: "human", content: [value] },
    { type: "tool", tool_call_id: "c", content: [value] },
    { type: "human", content: [{ type: "text", text: value }] },
    { type: "human", content: [{ type: value, data: value }] },
    { role: "user", id: "1", content: [{ type: "document", source: value, metadata: value }] },
    { type: "ai", content: "", tool_calls: [value] },
    ...["id", "name", "args", "function"].map((field) => ({
      type: "ai",
      content: "",
      tool_calls: [{ ...call, [field]: value }],
    })),
    { type: "ai", content: "", tool_calls: [{ function: { name: "f", arguments: value } }] },
    { type: "ai", content: "", additional_kwargs: { tool_calls: [value, { function: value }] } },
    { type: "ai", content: "", response_metadata: { model_provider: value }, usage_metadata: { total_tokens: value } },
  ];
}

/** Freezes plain objects and arrays, so that a write to them throws. */
function freeze(value: unknown, depth = 5): void {
  if (typeof value !== "object" || value === null || depth === 0) return;
  try {
    if (![Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) return;
    for (const key of Reflect.ownKeys(Object.freeze(value)))
      freeze(Object.getOwnPropertyDescriptor(value, key)?.value, depth - 1);
  } catch {
    // A proxy that will not have it.
  }
}

const isOurs = (error: unknown) => typeof error === "object" && error !== null && error instanceof ThreadfoldError;

/** Whether it is an engine's error for a write to a frozen object. Anything can be thrown, and reading it may throw. */
function isWrite(cause: unknown): boolean {
  const came = outcome(() => cause instanceof TypeError && /^Cannot (assign|add|delete|define)/.test(cause.message));
  return "answer" in came && came.answer;
}

/** Returns the fault of the answer, if any: it must be a number, or a ThreadfoldError with a sentence. */
function complaint(call: () => unknown): string | undefined {
  const came = outcome(call);
  if ("error" in came) {
    if (!isOurs(came.error)) return "another error";
    const { message, cause } = came.error as ThreadfoldError;
    if (isWrite(cause)) return "wrote to its input";
    return /^\S.*\.$/.test(message) ? undefined : `no sentence: ${message}`;
  }
  const answers = typeof came.answer === "object" ? Object.values(came.answer ?? {}) : [came.answer];
  return answers.length > 0 && answers.every(Number.isFinite) ? undefined : `answers ${String(answers)}`;
}

test("answers garbage in every place, or refuses it in a sentence", () => {
  const complaints = new Set<string>();
  let asked = 0;
  const tell = (where: string, call: () => unknown) => {
    asked++;
    const said = complaint(call);
    if (said) complaints.add(`${where}: ${said}`);
  };
  for (const [name, make] of Object.entries(garbage)) {
    const value = make() as never;
    freeze(value);
    tell(`estimateTokens(${name})`, () => estimateTokens(value));
    tell(`scanTokens("a", ${name})`, () => scanTokens("a", value));
    tell(`countTokens(${name})`, () => countTokens(value));
    tell(`countTokens([], ${name})`, () => countTokens(["a"], value));
    tell(`toolTokens(${name})`, () => toolTokens(value));
    tell(`toolTokens([${name}])`, () => toolTokens([value]));
    tell(`toolTokens of a tool with ${name}`, () => toolTokens([{ name: "f", schema: value, invoke: () => 1 }]));
    tell(`scanMessage("a", ${name})`, () => scanMessage("a", value));
    for (const option of OPTIONS) {
      tell(`${option}: ${name}`, () => countTokens(["a"], { [option]: value }));
      tell(`${option}: ${name}, of a message`, () => messageTokens("a", { [option]: value }));
      tell(`${option}: ${name}, of an estimate`, () => scanMessage("a", { [option]: value }));
    }
    for (const [at, message] of messagesWith(value).entries()) {
      freeze(message);
      const where = `${name} in message ${at}`;
      tell(where, () => countTokens([message as never, "a"], { useUsageMetadataScaling: true }));
      tell(`${where}, as JavaScript counts`, () => countTokens([message as never], { compat: "js" }));
      tell(`${where}, estimated`, () => estimateMessageTokens(message as never));
    }
  }
  expect([...complaints].slice(0, 10), `${complaints.size} of ${asked} calls`).toEqual([]);
  expect(asked).toBeGreaterThan(5_000);
});
