// The plain agent and the folding one, on the same made server.
import { HttpAgent, type HttpAgentConfig } from "@ag-ui/client";
import { FoldHttpAgent } from "threadfold/ag-ui/client";

export type Event = { type: string } & Record<string, unknown>;

export const AGENTS = { plain: HttpAgent, folding: FoldHttpAgent };

/** A response that says these events, all at once or in parts of so many characters. */
export function response(events: readonly object[], partSize?: number): Response {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return textResponse(text, partSize);
}

export function textResponse(text: string, partSize = text.length || 1): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += partSize) controller.enqueue(bytes.slice(at, at + partSize));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** An agent of either kind whose server answers each run with the next of these. */
export function agentOf(
  kind: keyof typeof AGENTS,
  runs: (readonly object[] | Response)[],
  config: Partial<HttpAgentConfig> = {},
): HttpAgent {
  let at = 0;
  const fetch = async () => {
    const run = runs[at++];
    if (!run) throw new Error("The made server has no more runs.");
    return run instanceof Response ? run : response(run);
  };
  return new AGENTS[kind]({ url: "http://made", threadId: "t1", fetch, ...config });
}

export const started = (runId = "r1", more: object = {}): Event => ({
  type: "RUN_STARTED",
  threadId: "t1",
  runId,
  ...more,
});
export const finished = (runId = "r1", more: object = {}): Event => ({
  type: "RUN_FINISHED",
  threadId: "t1",
  runId,
  ...more,
});

/** A message that comes in these parts. */
export const text = (messageId: string, ...parts: string[]): Event[] => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  ...parts.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
  { type: "TEXT_MESSAGE_END", messageId },
];

export const toolCall = (toolCallId: string, parentMessageId: string, ...parts: string[]): Event[] => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName: "search", parentMessageId },
  ...parts.map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta })),
  { type: "TOOL_CALL_END", toolCallId },
];
