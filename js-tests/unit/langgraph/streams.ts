// Made streams of a LangGraph server, in as few words as a test needs.
import { readFileSync } from "node:fs";

export interface Part {
  id?: string;
  event: string;
  data: unknown;
}

export type Message = Record<string, unknown> & { readonly type: string; readonly content: unknown };

export const human = (id: string, content: string): Message => ({ type: "human", id, content });
export const ai = (id: string, content: string, more: object = {}): Message => ({ type: "ai", id, content, ...more });
export const tool = (id: string, callId: string, content: string): Message => ({
  type: "tool",
  id,
  tool_call_id: callId,
  content,
});

export const metadata = (runId = "r1"): Part => ({ event: "metadata", data: { run_id: runId, attempt: 1 } });
export const values = (...messages: object[]): Part => ({ event: "values", data: { messages } });
export const said = (message: object): Part => ({
  event: "messages",
  data: [message, { langgraph_checkpoint_ns: "model:1" }],
});
/** A part of a message. */
export const chunk = (id: string, content: string, more: object = {}): Part =>
  said({ type: "AIMessageChunk", id, content, tool_call_chunks: [], ...more });
export const remove = (id: string): Part => said({ type: "remove", id, content: "" });
export const error = (message: string): Part => ({ event: "error", data: { error: "ValueError", message } });

/** The parts with ids, in order. */
export const numbered = (parts: Part[]): Part[] => parts.map((part, at) => ({ ...part, id: String(at + 1) }));

export async function* streamOf(parts: Iterable<object>): AsyncGenerator<object> {
  // Each reader gets its own copy, in case it changes the part.
  for (const part of parts) yield structuredClone(part);
}

export const fixture = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");

/** A server's answer, whose text comes in these pieces. */
export function response(pieces: Iterable<string | Uint8Array>, status = 200): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
      controller.close();
    },
  });
  return new Response(body, { status, headers: { "content-type": "text/event-stream" } });
}
