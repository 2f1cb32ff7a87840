// Counts tokens as LangChain's `count_tokens_approximately` does, to the number. src/context/count.rs is the same in
// Rust.
import type { MessageLike } from "../state/messages.js";
import { answeredId, callsOf, type MessageParts, readParts, refused } from "./message-parts.js";
import { checkOptions } from "../shared/options.js";
import { flagOr, listed, optionsOf, reading, wrong } from "./options.js";
import { isDict } from "../shared/dict.js";
import { codePoints, jsonLength, jsonText, reprLength } from "./python-text.js";
import { factorOf, scaledBy, UNSCALED, usageOf } from "./usage-scale.js";

/** How a message is counted; by default as Python counts it by default. */
export interface CountOptions {
  /** Characters of a token: 4. */
  readonly charsPerToken?: number | undefined;
  /** The fixed cost of each message: 3. */
  readonly extraTokensPerMessage?: number | undefined;
  /** Whether a message's name counts: true. */
  readonly countName?: boolean | undefined;
  /** The cost of an image: 85, which is OpenAI's price of one in low resolution. */
  readonly tokensPerImage?: number | undefined;
}

/** How a list of messages is counted. */
export interface CountTokensOptions extends CountOptions {
  /** The tools that the model is sent: their JSON, or LangChain's instances with a JSON schema. */
  readonly tools?: readonly object[] | null | undefined;
  /** Whether to scale by the real usage of the last answer with `usage_metadata`, if all have one provider: false. */
  readonly useUsageMetadataScaling?: boolean | undefined;
  /** `"js"` counts as `countTokensApproximately` of the npm package `langchain`, which takes no option but `tools`. */
  readonly compat?: "js" | undefined;
}

/** The parts of a message that count. */
export interface MessageSize {
  /** In code points; with what Python writes around tool calls and unknown blocks. */
  readonly chars: number;
  readonly images: number;
}

/**
 * Counts the tokens of messages approximately: the number that Python's `count_tokens_approximately` (langchain-core
 * 1.7) returns for them. A page and a Python server thus decide alike. Accepts every form of a message that
 * `addMessages` accepts. AG-UI's messages count as the LangChain messages that a server makes of them. Its activities
 * and reasoning are not sent to a model and cost nothing.
 *
 * The count may differ by some characters in the arguments of tool calls and in blocks other than text. JavaScript does
 * not distinguish `1.0` from `1`, and Python 3.11 treats the characters of Unicode 15 as unprintable.
 *
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for a value that is not a message for a model, such as a removal;
 *   `INVALID_ARGUMENT` for messages that are not a list, or an option of the wrong kind; `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { countTokens } from "threadfold/context";
 *
 * const messages = [
 *   { type: "human", content: "What is 6 × 7?" },
 *   { type: "ai", content: "", tool_calls: [{ name: "multiply", args: { a: 6, b: 7 }, id: "c1" }] },
 *   { type: "tool", content: "42", tool_call_id: "c1" },
 * ];
 * console.log(countTokens(messages)); // 39
 * console.log(countTokens(messages, { charsPerToken: 3.3, extraTokensPerMessage: 0 })); // 37
 * ```
 */
export function countTokens(messages: readonly MessageLike[], options?: CountTokensOptions): number {
  return reading(() => {
    listed(messages);
    const rule = ruleOf("countTokens", options);
    const { tools, compat } = rule;
    const isScaled = flagOr(rule.useUsageMetadataScaling, false, "useUsageMetadataScaling");
    if (compat === "js") return countAsJs(messages, tools);
    if (compat !== undefined && compat !== null) throw wrong("compat", '"js", or none');
    let scale = UNSCALED;
    // Added in Python's order: with a fraction for each message, another order may round to another number.
    let total = tools === undefined ? 0 : Math.ceil(toolChars(tools) / rule.charsPerToken);
    let counted = 0;
    for (let at = 0; at < messages.length; at++) {
      const parts = readParts(messages[at], at);
      if (!parts) continue;
      counted++;
      total = added(total, sizeOf(parts, rule.countName, at), rule);
      if (isScaled && parts.kind === "ai") scale = scaledBy(scale, usageOf(parts), total);
    }
    // Not -0, for a negative number of tokens.
    return Math.ceil(total * factorOf(scale, 0, counted)) + 0;
  });
}

/**
 * Counts one message, as {@link countTokens} adds it up: without tools, and without scaling. A fraction stays one, if
 * the options have one.
 *
 * @throws {@link ThreadfoldError} The errors of {@link countTokens}.
 *
 * @example
 * ```ts
 * import { messageTokens } from "threadfold/context";
 *
 * console.log(messageTokens({ type: "human", content: "hello" })); // 6
 * console.log(messageTokens({ type: "tool", content: "ok", tool_call_id: "call_1" }, { extraTokensPerMessage: 0.5 })); // 3.5
 * ```
 */
export function messageTokens(message: MessageLike, options?: CountOptions): number {
  return reading(() => {
    const rule = options === undefined ? (usual ??= ruleOf("", undefined)) : ruleOf("messageTokens", options);
    const parts = readParts(message);
    return parts ? added(0, sizeOf(parts, rule.countName), rule) : 0;
  });
}

/** Counts the characters of a message, and as such all else that it costs by default: four are a token. */
export function unitsOf(message: unknown): number {
  const parts = readParts(message);
  if (!parts) return 0;
  const { chars, images } = sizeOf(parts, true);
  return chars + 4 * (images * 85 + 3);
}

/**
 * Counts the tools that a model is sent, as {@link countTokens} does: once, rounded up by themselves.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a value that is not JSON; the errors of {@link countTokens}.
 *
 * @example
 * ```ts
 * import { toolTokens } from "threadfold/context";
 *
 * console.log(toolTokens([{ name: "search", description: "Searches the web", parameters: {} }])); // 18
 * ```
 */
export function toolTokens(tools: readonly object[], options?: Pick<CountOptions, "charsPerToken">): number {
  return reading(() => Math.ceil(toolChars(tools) / ruleOf("toolTokens", options).charsPerToken));
}

/** The options of one message, filled in. */
interface Rule extends CountTokensOptions {
  readonly charsPerToken: number;
  readonly extraTokensPerMessage: number;
  readonly countName: boolean;
  readonly tokensPerImage: number;
}

/** Without options. */
let usual: Rule | undefined;

function ruleOf(call: string, given: CountTokensOptions | null | undefined): Rule {
  const {
    charsPerToken = 4,
    extraTokensPerMessage = 3,
    countName,
    tokensPerImage = 85,
    tools,
    useUsageMetadataScaling,
    compat,
  } = optionsOf(given);
  checkOptions(call, optionsOf(given), [
    "charsPerToken",
    "extraTokensPerMessage",
    "countName",
    "tokensPerImage",
    "tools",
    "useUsageMetadataScaling",
    "compat",
  ]);
  for (const [key, value] of Object.entries({ charsPerToken, extraTokensPerMessage, tokensPerImage }))
    if (!Number.isFinite(value)) throw wrong(key, "a number");
  if (charsPerToken <= 0) throw wrong("charsPerToken", "a number above 0");
  return {
    charsPerToken,
    extraTokensPerMessage,
    countName: flagOr(countName, true, "countName"),
    tokensPerImage,
    tools,
    useUsageMetadataScaling,
    compat,
  };
}

function added(total: number, { chars, images }: MessageSize, rule: Rule): number {
  for (let image = 0; image < images; image++) total += rule.tokensPerImage;
  return total + Math.ceil(chars / rule.charsPerToken) + rule.extraTokensPerMessage;
}

/** The size that {@link messageTokens} counts for a message that {@link readParts} read. */
export function sizeOf(parts: MessageParts, countName: boolean, at?: number): MessageSize {
  const { kind, content, fields, role } = parts;
  let chars = codePoints(role);
  let images = 0;
  if (typeof content === "string") {
    chars += codePoints(content);
  } else if (Array.isArray(content)) {
    for (let index = 0; index < content.length; index++) {
      const block: unknown = content[index];
      if (isDict(block) && (block["type"] === "image" || block["type"] === "image_url")) images++;
      else chars += blockChars(block, kind, index, at);
    }
  } else if (kind === "tool") {
    chars += reprLength(content);
  } else {
    throw refused(at, ".content", "text or a list of blocks");
  }
  // A list of blocks has the calls in it: so it is with Anthropic.
  if (kind === "ai" && !Array.isArray(content)) chars += callChars(parts, at);
  if (kind === "tool") chars += codePoints(answeredId(parts, at));
  const name = countName ? fields["name"] : undefined;
  if (typeof name === "string") chars += codePoints(name);
  return { chars, images };
}

function blockChars(block: unknown, kind: string, index: number, at: number | undefined): number {
  if (typeof block === "string") return codePoints(block);
  if (isDict(block) && block["type"] === "text") {
    const text = block["text"] === undefined ? "" : block["text"];
    if (typeof text === "string") return codePoints(text);
    // Python asks for the length of whatever there is.
    if (Array.isArray(text)) return text.length;
    if (!isDict(text)) throw refused(at, `.content[${index}].text`, "a string");
    return Object.keys(text).length;
  }
  // A tool result that is not a block becomes its `str`.
  if (!isDict(block) && kind !== "tool") throw refused(at, `.content[${index}]`, "text or a block");
  return reprLength(block);
}

const CALL = "{'name': , 'args': , 'id': , 'type': 'tool_call'}".length;

function callChars(parts: MessageParts, at: number | undefined): number {
  const calls = callsOf(parts, at);
  if (calls.length === 0) return 0;
  // The ", " after each call, or the brackets for the last one.
  return calls.reduce(
    (chars, { name, args, id }) => chars + CALL + 2 + reprLength(name) + reprLength(args) + reprLength(id),
    0,
  );
}

function toolChars(tools: readonly object[] | null): number {
  if (tools === null) return 0;
  if (!Array.isArray(tools)) throw wrong("tools", "a list");
  return (tools as unknown[]).reduce<number>((chars, tool, at) => chars + jsonLength(toolJson(tool, at)), 0);
}

/** A tool as LangChain's Python counts it: a dict as it is, a tool of its own as name, description and schema. */
function toolJson(tool: unknown, at: number): object {
  if (!isDict(tool)) throw wrong(`tools[${at}]`, "an object");
  if (typeof tool["invoke"] !== "function") return tool;
  const { name, description, schema } = tool;
  if (!isDict(schema) || typeof schema["type"] !== "string" || "parse" in schema)
    throw wrong(`tools[${at}].schema`, "a JSON schema: of zod's make one by z.toJSONSchema");
  const { title: _title, description: _description, ...parameters } = schema;
  return { name, description, parameters };
}

/** The result of `countTokensApproximately` of the npm package `langchain`. */
function countAsJs(messages: readonly unknown[], tools: readonly object[] | null | undefined): number {
  let chars = 0;
  if (Array.isArray(tools)) for (const [at, tool] of tools.entries()) chars += jsonText(openAiTool(tool, at)).length;
  for (const [at, message] of messages.entries()) {
    const parts = readParts(message, at);
    if (!parts) continue;
    const { kind, content, fields } = parts;
    if (typeof content === "string") chars += content.length;
    else if (Array.isArray(content)) chars += content.map(jsBlockText).join("").length;
    const calls = fields["tool_calls"];
    if (kind === "ai" && Array.isArray(calls) && calls.length > 0) chars += jsonText(calls).length;
    if (kind === "tool") chars += answeredId(parts, at).length;
  }
  return Math.ceil(chars / 4);
}

function jsBlockText(block: unknown): string {
  if (typeof block === "string") return block;
  const text = isDict(block) && block["type"] === "text" ? block["text"] : "";
  return typeof text === "string" ? text : "";
}

function openAiTool(tool: unknown, at: number): object {
  const json = toolJson(tool, at);
  return json === tool ? json : { type: "function", function: json };
}
