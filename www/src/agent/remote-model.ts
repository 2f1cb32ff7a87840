// Any model with OpenAI's chat completions API: a provider's with a key, or a local one, such as Ollama's.
import { createParser } from "eventsource-parser";
import { concatChunk } from "threadfold/langgraph";
import type { NodeContext } from "threadfold/graph";
import { TOOLS } from "./graph";
import type { Message, Model } from "./message";

export interface Remote {
  /** The start of the paths: http://localhost:11434/v1 */
  readonly address: string;
  readonly model: string;
  readonly key: string;
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

/** The key stays in this page's memory, and goes to the address alone. */
export function remoteModel({ address, model, key }: Remote): Model {
  return async (messages, ctx) => {
    const response = await fetch(`${address.replace(/\/$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, stream: true, messages: messages.map(sent), tools: tools() }),
      signal: ctx.signal,
    });
    if (!response.ok || !response.body)
      throw new Error(`The model answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
    return answered(response.body, ctx);
  };
}

async function answered(body: ReadableStream<Uint8Array>, ctx: NodeContext): Promise<Message> {
  const id = `answer-${crypto.randomUUID()}`;
  let whole: object = concatChunk(undefined, { type: "AIMessageChunk", id, content: "", tool_call_chunks: [] });
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") return;
      const { choices = [] } = JSON.parse(data) as { choices?: readonly { delta?: Delta }[] };
      const { content, tool_calls = [] } = choices[0]?.delta ?? {};
      const chunk = {
        type: "AIMessageChunk",
        id,
        content: content ?? "",
        tool_call_chunks: tool_calls.map(({ index, id: call, function: made }) => ({
          index,
          id: call,
          name: made?.name,
          args: made?.arguments ?? "",
          type: "tool_call_chunk",
        })),
      };
      whole = concatChunk(whole, chunk);
      ctx.message(chunk);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parser.feed(decoder.decode(part.value, { stream: true }));
  const { content, tool_calls } = whole as Message;
  return {
    type: "ai",
    id,
    content,
    tool_calls: (tool_calls ?? []).map(({ id: call, name, args }) => ({ id: call, name, args: { ...args } })),
  };
}

/** A message in OpenAI's form. */
function sent({ type, content, tool_calls = [], tool_call_id }: Message): object {
  if (type === "tool") return { role: "tool", tool_call_id, content };
  if (type === "human") return { role: "user", content };
  const calls = tool_calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}

const tools = () =>
  Object.entries(TOOLS).map(([name, { description, parameters }]) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: { type: "object", properties: parameters, required: Object.keys(parameters) },
    },
  }));
