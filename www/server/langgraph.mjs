// The same agent as a LangGraph deployment has it, as much of its REST API as a chat needs:
//
//   POST /langgraph/threads                          { thread_id }
//   POST /langgraph/threads/ID/runs/stream           starts a run, with `input`, or with `command: { resume }`
//   GET  /langgraph/threads/ID/runs/RUN/stream       joins it, from behind Last-Event-ID
//   POST /langgraph/threads/ID/runs/RUN/cancel       stops it
//   GET  /langgraph/threads/ID/state                 { values }
import { randomUUID } from "node:crypto";
import { Run } from "./run.mjs";
import { json, readBody, stream } from "./http.mjs";

/** @param {import("./memory.mjs").Memory} memory */
export function langGraph({ runs, start, threads }) {
  return async (request, response, [, threadId, kind, runId, what], { faults }) => {
    const { method } = request;
    const run = runs.get(runId);
    if (method === "POST" && threadId === undefined) return json(response, 200, { thread_id: randomUUID() });
    if (method === "POST" && kind === "runs" && runId === "stream") {
      const asked = readRun(await readBody(request), threadId);
      const run = start(asked, (thread) => new Run(asked, thread, faults, tell));
      if (!run) return json(response, 409, { detail: `The thread ${threadId} has a run that goes on.` });
      response.setHeader("content-location", `/threads/${threadId}/runs/${asked.runId}`);
      return stream(request, response, run, faults);
    }
    if (method === "GET" && run && what === "stream") return stream(request, response, run, faults);
    if (method === "POST" && run && what === "cancel") {
      await run.cancel();
      return json(response, 200, {});
    }
    if (method === "GET" && kind === "state" && threads.has(threadId)) {
      return json(response, 200, { values: valuesOf(threads.get(threadId).conversation) });
    }
    return json(response, 404, { detail: `There is no ${method} ${request.url}` });
  };
}

function readRun({ input, command }, threadId) {
  const messages = [input?.messages ?? []].flat().map(({ id, content }) => ({ id, role: "user", content }));
  if (!messages.every(({ id }) => typeof id === "string")) throw new RangeError("input: messages need ids");
  const approved = command && command.resume?.approved === true;
  return { threadId, runId: randomUUID(), messages, approved };
}

/** What a deployment streams for an event, in the modes values and messages-tuple. */
function tell(event, conversation) {
  switch (event.type) {
    case "RUN_STARTED":
      return [part("metadata", { run_id: event.runId, attempt: 1 })];
    case "TEXT_MESSAGE_CONTENT":
      return [chunk(event.messageId, { content: event.delta })];
    case "TOOL_CALL_START": {
      const { id, index } = placeOf(event, conversation);
      return [chunk(id, { tool_call_chunks: [{ id: event.toolCallId, name: event.toolCallName, args: "", index }] })];
    }
    case "TOOL_CALL_ARGS": {
      const { id, index } = placeOf(event, conversation);
      return [chunk(id, { tool_call_chunks: [{ id: null, name: null, args: event.delta, index }] })];
    }
    case "TOOL_CALL_RESULT":
    case "STATE_SNAPSHOT":
    case "STATE_DELTA":
      return [part("values", valuesOf(conversation))];
    case "RUN_FINISHED": {
      const { id, message, toolCallId } = event.outcome?.interrupts[0] ?? {};
      const asked = id && { __interrupt__: [{ id, value: { message, tool_call_id: toolCallId } }] };
      return [part("values", { ...valuesOf(conversation), ...asked })];
    }
    case "RUN_ERROR":
      return [part("error", { error: event.code ?? "Error", message: event.message })];
    default:
      return [];
  }
}

const part = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}`;

const chunk = (id, fields) =>
  part("messages", [
    { type: "AIMessageChunk", id, content: "", tool_call_chunks: [], ...fields },
    { langgraph_node: "agent", langgraph_checkpoint_ns: "agent:1" },
  ]);

/** The message that a call is in, and the how manieth of it. */
function placeOf({ toolCallId }, { messages }) {
  const isIt = ({ id }) => id === toolCallId;
  const { id, toolCalls } = messages.findLast(({ toolCalls }) => toolCalls?.some(isIt));
  return { id, index: toolCalls.findIndex(isIt) };
}

const valuesOf = ({ messages, state }) => ({ messages: messages.map(toLangChain), ...state });

function toLangChain({ id, role, content, toolCalls = [], toolCallId }) {
  if (role === "user") return { type: "human", id, content };
  if (role === "tool") return { type: "tool", id, content, tool_call_id: toolCallId };
  const calls = toolCalls.map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    args: JSON.parse(args || "{}"),
    type: "tool_call",
  }));
  return { type: "ai", id, content, tool_calls: calls };
}
