// A model's answer in the AI SDK's form, as a LangChain message.
import { type AiMessage, type Fields } from "../message.js";
import type { AiSdkModel } from "../types.js";

/** Returns the message of a model's answer. The AI SDK's parts without a LangChain name keep their own. */
export function messageOf(id: string, answer: Fields, { provider, modelId }: AiSdkModel): AiMessage {
  const parts = ((answer["content"] ?? []) as Fields[]).filter(isKept);
  const lastBlock = parts.map(isOwnCall).lastIndexOf(false);
  const blocks: Fields[] = [];
  const calls: Fields[] = [];
  const invalid: Fields[] = [];
  parts.forEach((part, at) => {
    if (!isOwnCall(part)) {
      blocks.push(blockOf(part));
      return;
    }
    const call = callOf(part);
    (call["type"] === "tool_call" ? calls : invalid).push(call);
    // Calls come after all blocks, unless the model wrote them before.
    if (at < lastBlock) blocks.push({ type: "tool_call", id: call["id"] });
  });
  const isText = blocks.every((block) => block["type"] === "text" && Object.keys(block).length === 2);
  const reason = answer["finishReason"] as string | { unified?: string } | undefined;
  const usage = usageOf((answer["usage"] ?? {}) as Fields);
  return {
    type: "ai",
    id,
    content: isText ? blocks.map(({ text }) => text).join("") : blocks,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(invalid.length > 0 && { invalid_tool_calls: invalid }),
    ...(usage && { usage_metadata: usage }),
    response_metadata: {
      finish_reason: typeof reason === "object" ? reason?.unified : reason,
      model_provider: provider,
      model_name: modelId,
    },
  } as object as AiMessage;
}

/** An empty text carries only its metadata; a preliminary result is followed by the result. */
const isKept = ({ type, text, providerMetadata, preliminary }: Fields) =>
  !(type === "text" && text === "" && !providerMetadata) && !preliminary;

/** Whether the agent runs this call; the provider runs the others. */
const isOwnCall = ({ type, providerExecuted }: Fields) => type === "tool-call" && !providerExecuted;

function callOf({ toolCallId: id, toolName: name, input, providerMetadata }: Fields): Fields {
  const call = { name, id, ...(providerMetadata !== undefined && { providerMetadata }) };
  try {
    const args: unknown = typeof input === "string" ? JSON.parse(input || "{}") : input;
    return { ...call, args, type: "tool_call" };
  } catch {
    return { ...call, args: input, type: "invalid_tool_call" };
  }
}

const MEDIA: ReadonlySet<string> = new Set(["image", "audio", "video"]);

/** A part as a block of LangChain's. `ai-sdk-prompt.ts` reads it back. */
function blockOf(part: Fields): Fields {
  const { type, ...rest } = part;
  if (type === "reasoning") {
    const { text, ...more } = rest;
    return { type, reasoning: text, ...more };
  }
  if (type === "file" || type === "reasoning-file") {
    const { mediaType, data, ...more } = rest as { mediaType: string; data: unknown };
    const kind = mediaType.split("/", 1)[0] as string;
    const name = type === "file" && MEDIA.has(kind) ? kind : type;
    return { type: name, ...sourceOf(data), mime_type: mediaType, ...more };
  }
  if (type === "tool-call") {
    const { toolCallId: id, toolName: name, input, providerExecuted: _, ...more } = rest;
    return { type: "server_tool_call", id, name, args: parsed(input), ...more };
  }
  if (type === "tool-result") {
    const { toolName: name, result: output, isError, providerExecuted: _, ...more } = rest;
    return { type: "server_tool_call_result", name, status: isError ? "error" : "success", output, ...more };
  }
  return part;
}

/** The data of a generated file: base64, bytes, or tagged as one of them or as a URL. */
function sourceOf(data: unknown): Fields {
  if (data instanceof Uint8Array) return { base64: base64Of(data) };
  if (typeof data === "string") return { base64: data };
  const tagged = data as Fields;
  return tagged["type"] === "url" ? { url: String(tagged["url"]) } : sourceOf(tagged["data"]);
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

function parsed(input: unknown): unknown {
  try {
    return typeof input === "string" ? JSON.parse(input || "{}") : input;
  } catch {
    return input;
  }
}

/** Counts of tokens: numbers in v2, objects with a total later. */
function usageOf(usage: Fields): Fields | undefined {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = usage;
  const [input, output] = [countsOf(inputTokens), countsOf(outputTokens)];
  const [inputs, outputs] = [count(input["total"]), count(output["total"])];
  if (inputs + outputs === 0) return undefined;
  const read = details({ cache_read: input["cacheRead"] ?? cachedInputTokens, cache_creation: input["cacheWrite"] });
  const thought = details({ reasoning: output["reasoning"] ?? reasoningTokens });
  return {
    input_tokens: inputs,
    output_tokens: outputs,
    total_tokens: count(totalTokens) || inputs + outputs,
    ...(read && { input_token_details: read }),
    ...(thought && { output_token_details: thought }),
  };
}

const countsOf = (tokens: unknown): Fields =>
  typeof tokens === "object" && tokens !== null ? (tokens as Fields) : { total: tokens };
const count = (tokens: unknown): number => (typeof tokens === "number" ? tokens : 0);

/** The counts above zero; undefined if there are none. */
function details(counts: Fields): Fields | undefined {
  const known = Object.entries(counts).filter(([, tokens]) => count(tokens) > 0);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
