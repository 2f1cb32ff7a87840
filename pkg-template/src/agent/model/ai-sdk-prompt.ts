// Messages as a prompt of the AI SDK, in the form of a version of its specification.
import { textOf } from "../../state/message-content.js";
import { toLangChain } from "../../state/message-forms.js";
import type { LangChainMessage } from "../../state/messages.js";
import { callsOf, type Fields } from "../message.js";
import { base64Of } from "./ai-sdk-message.js";

/** A version of the AI SDK's model specification. */
export type Specification = "v2" | "v3" | "v4";

/** Returns messages as the AI SDK's prompt. */
export function promptOf(messages: readonly LangChainMessage[], version: Specification): object[] {
  const called: Called = new Map();
  const prompt: { role: string; content: unknown }[] = [];
  for (const given of messages) {
    const message = toLangChain(given);
    const { content } = message as { content: unknown };
    if (message.type === "system") prompt.push({ role: "system", content: textOf(message) });
    else if (message.type === "human") prompt.push({ role: "user", content: partsOf(content, version) });
    else if (message.type === "ai") prompt.push({ role: "assistant", content: answerOf(message, called, version) });
    else if (message.type === "tool") {
      const { tool_call_id: toolCallId, name } = message;
      const { toolName = name ?? "unknown", options } = called.get(toolCallId) ?? {};
      const part = { type: "tool-result", toolCallId, toolName, output: resultOf(message, version), ...options };
      // The results of one turn are one message.
      const last = prompt.at(-1);
      if (last?.role === "tool") (last.content as object[]).push(part);
      else prompt.push({ role: "tool", content: [part] });
    }
  }
  return prompt;
}

/** The calls so far, by id: a result has the name and the options of its call. */
type Called = Map<unknown, { readonly toolName: string; readonly options: object }>;

/** A model's message: its blocks, and its calls where the model wrote them, or else after the blocks. */
function answerOf(
  message: Extract<LangChainMessage, { type: "ai" }>,
  called: Called,
  version: Specification,
): object[] {
  const calls = new Map<unknown, object>();
  const invalid = (message.invalid_tool_calls ?? []) as readonly Fields[];
  for (const call of [...callsOf(message), ...invalid.map((one) => ({ ...one, args: {} }))] as Fields[]) {
    const { id, name, args, providerMetadata } = call;
    const [toolName, options] = [name as string, optionsOf(providerMetadata)];
    called.set(id, { toolName, options });
    calls.set(id, { type: "tool-call", toolCallId: id, toolName, input: args, ...options });
  }
  const content: unknown = message.content;
  if (!Array.isArray(content)) return [...partsOf(content, version), ...calls.values()];
  const parts = (content as unknown[]).flatMap((block) => {
    const { type, id } = Object(block) as Fields;
    if (type !== "tool_call") return partsOf([block], version);
    const call = calls.get(id);
    calls.delete(id);
    return call ?? [];
  });
  return [...parts, ...calls.values()];
}

/** The metadata of an answer's part, as the options by which its provider gets them back. */
const optionsOf = (metadata: unknown): object => (metadata === undefined ? {} : { providerOptions: metadata });

/** The text and the media of a message. */
function partsOf(content: unknown, version: Specification): object[] {
  if (!Array.isArray(content)) return content === "" ? [] : [{ type: "text", text: String(content ?? "") }];
  return (content as unknown[]).flatMap((block) =>
    typeof block === "string" ? { type: "text", text: block } : partOf(Object(block) as Fields, version),
  );
}

function partOf(block: Fields, version: Specification): object | object[] {
  const { type, text, reasoning, providerMetadata } = block;
  const options = optionsOf(providerMetadata);
  if (type === "text") return text === "" && !providerMetadata ? [] : { type, text, ...options };
  if (type === "reasoning") return { type, text: reasoning ?? text, ...options };
  if (type === "custom") return { type, kind: block["kind"], ...options };
  const { name: toolName } = block;
  if (type === "server_tool_call")
    return {
      type: "tool-call",
      toolCallId: block["id"],
      toolName,
      input: block["args"],
      providerExecuted: true,
      ...options,
    };
  if (type === "server_tool_call_result") {
    const value = block["output"];
    const form = typeof value === "string" ? "text" : "json";
    const output = { type: block["status"] === "error" ? `error-${form}` : form, value };
    return { type: "tool-result", toolCallId: block["toolCallId"], toolName, output, ...options };
  }
  // No provider expects its sources back.
  const media = type === "source" ? undefined : mediaOf(block);
  if (!media) return [];
  const { mediaType, filename } = media;
  const kind = type === "reasoning-file" ? type : "file";
  return { type: kind, mediaType, data: dataOf(media, version), ...(filename && { filename }), ...options };
}

interface Media {
  readonly mediaType: string;
  readonly filename?: string | undefined;
  /** Where the media are not in the block. */
  readonly url?: string | undefined;
  readonly base64?: string | undefined;
}

/** The media of a block; undefined if it has none. */
function mediaOf({ type, image_url, url, data, base64, mime_type, mimeType, filename }: Fields): Media | undefined {
  const mediaType = (mime_type ??
    mimeType ??
    (type === "image" || type === "image_url" ? "image/*" : "application/octet-stream")) as string;
  const named = typeof filename === "string" ? { filename } : {};
  const inline = data ?? base64;
  if (inline instanceof Uint8Array) return { mediaType, base64: base64Of(inline), ...named };
  const source = inline ?? url ?? (typeof image_url === "object" ? (image_url as Fields | null)?.["url"] : image_url);
  if (typeof source !== "string") return undefined;
  const found = /^data:([^;,]+);base64,(.*)$/s.exec(source);
  if (found) return { mediaType: found[1] as string, base64: found[2], ...named };
  return { mediaType, ...(inline === undefined ? { url: source } : { base64: source }), ...named };
}

/** Media as the data of a file part. */
function dataOf({ url, base64 }: Media, version: Specification): unknown {
  const value = url === undefined ? base64 : new URL(url);
  if (version !== "v4") return value;
  return url === undefined ? { type: "data", data: value } : { type: "url", url: value };
}

/** The result of a tool. It is a text unless it has media. */
function resultOf(message: Extract<LangChainMessage, { type: "tool" }>, version: Specification): object {
  const { content, status } = message as { content: unknown; status?: unknown };
  if (status === "error") return { type: "error-text", value: textOf(message) };
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  if (blocks.every((block) => typeof block === "string" || (block as Fields | null)?.["type"] === "text"))
    return { type: "text", value: textOf(message) };
  return { type: "content", value: blocks.map((block) => resultPartOf(block, version)) };
}

function resultPartOf(block: unknown, version: Specification): object {
  const { type, text } = Object(block) as Fields;
  if (typeof block === "string" || type === "text") return { type: "text", text: text ?? block };
  const media = mediaOf(Object(block) as Fields);
  if (!media) return { type: "text", text: JSON.stringify(block) };
  const { mediaType, url, base64 } = media;
  if (version === "v4") return { type: "file", mediaType, data: dataOf(media, version) };
  // Version 2 has no URLs in results.
  if (version === "v2")
    return url === undefined ? { type: "media", mediaType, data: base64 } : { type: "text", text: url };
  const kind = mediaType.startsWith("image/") ? "image" : "file";
  return url === undefined
    ? { type: `${kind}-data`, data: base64, mediaType }
    : { type: `${kind}-url`, url, ...(kind === "file" && { mediaType }) };
}
