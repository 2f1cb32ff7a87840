// Language models of the AI SDK: its specification's versions 2 and 3.
import { toLangChain } from "../../state/message-forms.js";
import { textOf } from "../../state/message-content.js";
import type { LangChainMessage } from "../../state/messages.js";
import { newId } from "../../shared/new-id.js";
import { type AiMessage, callsOf, checkedAnswer, type Fields } from "../message.js";
import { chunkOf, type ModelCall } from "./model-call.js";
import { ownSignal } from "../runtime-config.js";
import { isProviderTool } from "../tools/tools.js";
import type { AiSdkModel } from "../types.js";

/** Calls a model of the AI SDK. */
export async function callAiSdk(model: AiSdkModel, call: ModelCall): Promise<AiMessage> {
  const { tools, toolChoice = "auto", settings, runtime, onChunk } = call;
  const { signal } = ownSignal(runtime);
  const choice = toolChoice === "any" ? "required" : toolChoice;
  const options = {
    ...settings,
    prompt: promptOf(call.messages),
    ...(signal && { abortSignal: signal }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => {
        const { source, name, description } = tool;
        return isProviderTool(source) ? source : { type: "function", name, description, inputSchema: tool.parameters };
      }),
      toolChoice:
        typeof choice === "object"
          ? { type: "tool", toolName: ("name" in choice ? choice : choice.function).name }
          : { type: choice },
    }),
  };
  const id = newId();
  if (!onChunk || !model.doStream)
    return messageOf(id, checkedAnswer((await model.doGenerate(options)) as Fields), model);
  const { stream } = (await model.doStream(options)) as { stream: ReadableStream<Fields> };
  return messageOf(id, await gathered(stream, id, onChunk), model);
}

/** Reads a stream of parts to its end, as what `doGenerate` would have answered. */
async function gathered(stream: ReadableStream<Fields>, id: string, onChunk: (chunk: object) => void): Promise<Fields> {
  const content: Fields[] = [];
  const open = new Map<unknown, number>();
  let end: Fields = {};
  let reasons = false;
  const reader = stream.getReader();
  for (let calls = -1; ;) {
    const { value: part, done } = await reader.read();
    if (done) return { content, ...end };
    const { type, delta } = part as { type: string; delta?: string };
    if (type === "text-delta" || type === "reasoning-delta") {
      let index = open.get(part["id"]);
      if (index === undefined) {
        index = content.push({ type: type.slice(0, -6), text: "" }) - 1;
        open.set(part["id"], index);
      }
      const block = content[index] as Fields;
      block["text"] = `${block["text"] as string}${delta}`;
      // A text alone stays a text. Beside reasoning, blocks are distinguished by their positions.
      reasons ||= block["type"] === "reasoning";
      const said = { type: block["type"], [block["type"] as string]: delta, index };
      onChunk(chunkOf(id, reasons ? [said] : (delta as string)));
    } else if (type === "tool-input-start") {
      onChunk(chunkOf(id, "", [{ index: ++calls, id: part["id"], name: part["toolName"], args: "" }]));
    } else if (type === "tool-input-delta") {
      onChunk(chunkOf(id, "", [{ index: calls, args: delta }]));
    } else if (type === "tool-call" || type === "file" || type === "source") content.push(part);
    else if (type === "finish") end = part;
    else if (type === "error") throw part["error"];
  }
}

const count = (tokens: unknown): number => {
  const all = typeof tokens === "object" && tokens !== null ? (tokens as Fields)["total"] : tokens;
  return typeof all === "number" ? all : 0;
};

/** The message of what a model answered. */
function messageOf(id: string, answer: Fields, { provider, modelId }: AiSdkModel): AiMessage {
  const parts = (answer["content"] ?? []) as Fields[];
  const blocks: Fields[] = [];
  const calls: Fields[] = [];
  const invalid: Fields[] = [];
  for (const { type, text, ...part } of parts) {
    if (type === "text") blocks.push({ type, text });
    else if (type === "reasoning") blocks.push({ type, reasoning: text, ...part });
    else if (type === "tool-call" && !part["providerExecuted"]) {
      const { toolCallId, toolName: name, input } = part;
      const call = { name, id: toolCallId };
      try {
        const args: unknown = typeof input === "string" ? JSON.parse(input || "{}") : input;
        calls.push({ ...call, args, type: "tool_call" });
      } catch {
        invalid.push({ ...call, args: input, type: "invalid_tool_call" });
      }
    }
  }
  const usage = (answer["usage"] ?? {}) as Fields;
  const [input, output] = [count(usage["inputTokens"]), count(usage["outputTokens"])];
  const reason = answer["finishReason"] as string | { unified?: string } | undefined;
  return {
    type: "ai",
    id,
    content: blocks.some(({ type }) => type !== "text") ? blocks : blocks.map(({ text }) => text).join(""),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(invalid.length > 0 && { invalid_tool_calls: invalid }),
    ...(input + output > 0 && {
      usage_metadata: {
        input_tokens: input,
        output_tokens: output,
        total_tokens: count(usage["totalTokens"]) || input + output,
      },
    }),
    response_metadata: {
      finish_reason: typeof reason === "object" ? reason?.unified : reason,
      model_provider: provider,
      model_name: modelId,
    },
  } as object as AiMessage;
}

/** Messages as the AI SDK's prompt. */
function promptOf(messages: readonly LangChainMessage[]): object[] {
  const names = new Map<unknown, string>();
  const prompt: { role: string; content: unknown }[] = [];
  for (const given of messages) {
    const message = toLangChain(given);
    const { content } = message as { content: unknown };
    if (message.type === "system") prompt.push({ role: "system", content: textOf(message) });
    else if (message.type === "human") prompt.push({ role: "user", content: partsOf(content) });
    else if (message.type === "ai") {
      const calls = callsOf(message).map(({ id, name, args }) => {
        names.set(id, name);
        return { type: "tool-call", toolCallId: id, toolName: name, input: args };
      });
      prompt.push({ role: "assistant", content: [...partsOf(content), ...calls] });
    } else if (message.type === "tool") {
      const { tool_call_id: toolCallId, name, status } = message;
      const toolName = names.get(toolCallId) ?? name ?? "unknown";
      const output = { type: status === "error" ? "error-text" : "text", value: textOf(message) };
      const part = { type: "tool-result", toolCallId, toolName, output };
      // The results of one turn are one message.
      const last = prompt.at(-1);
      if (last?.role === "tool") (last.content as object[]).push(part);
      else prompt.push({ role: "tool", content: [part] });
    }
  }
  return prompt;
}

/** The text and the media of a message. */
function partsOf(content: unknown): object[] {
  if (!Array.isArray(content)) return content === "" ? [] : [{ type: "text", text: String(content ?? "") }];
  return (content as unknown[]).flatMap((block): object[] => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    const { type, text, reasoning, image_url, url, data, mime_type, mimeType } = block as Fields;
    if (type === "text") return text === "" ? [] : [{ type, text }];
    if (type === "reasoning") return [{ type, text: reasoning ?? text }];
    const media = mime_type ?? mimeType;
    const source = data ?? url ?? (typeof image_url === "object" ? (image_url as Fields | null)?.["url"] : image_url);
    if (typeof source !== "string") return [];
    const inline = /^data:([^;,]+);base64,(.*)$/s.exec(source);
    if (inline) return [{ type: "file", mediaType: inline[1], data: inline[2] }];
    const mediaType = media ?? (type === "image" || type === "image_url" ? "image/*" : "application/octet-stream");
    return [{ type: "file", mediaType, data: data === undefined ? new URL(source) : source }];
  });
}
