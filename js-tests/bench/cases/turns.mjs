// The bytes and milliseconds of a turn of ten super-steps over LangGraph's API: states, and updates alone.
import { Thread, defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";

/** A message of some 430 characters, and a turn of 10 super-steps. */
const TEXT = "x".repeat(400);
const STEPS = 10;

/** `serveLangGraph` with a graph of ten super-steps. */
export function ownServer() {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("step", ({ messages }) => ({ messages: [{ type: "ai", id: `a${messages.length}`, content: TEXT }] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length % (STEPS + 1) === 0 ? END : "step"))
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph({ chat: graph });
  return { url: "http://page", assistantId: "chat", ask: (url, init) => handler(new Request(url, init)) };
}

const asking =
  ({ url, ask }) =>
  async (path, body) =>
    (
      await ask(`${url}${path}`, {
        method: body ? "POST" : "GET",
        headers: { "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json();

async function seeded(server, length) {
  const json = asking(server);
  const { thread_id: threadId } = await json("/threads", {});
  // The graph of `serveLangGraph` answers until there are so many.
  const whole = length - (length % (STEPS + 1)) + 1;
  const messages = Array.from({ length: whole }, (_, at) => ({
    type: at % (STEPS + 1) ? "ai" : "human",
    id: `m${at}`,
    content: TEXT,
  }));
  await json(`/threads/${threadId}/runs/wait`, { assistant_id: server.assistantId, input: { messages } });
  return threadId;
}

/** The second turn of a page that has loaded a thread of that length. */
export async function turn(server, length, wire) {
  const { url, ask, assistantId } = server;
  const json = asking(server);
  const threadId = await seeded(server, length);
  let bytes = 0;
  const asked = [];
  const counted = async (address, init) => {
    const response = await ask(address, init);
    asked.push(String(address).replace(url, "").replaceAll(threadId, "ID"));
    bytes += init?.body?.length ?? 0;
    const counting = new TransformStream({
      transform(part, controller) {
        bytes += part.length;
        controller.enqueue(part);
      },
    });
    return new Response(response.body?.pipeThrough(counting), response);
  };
  const thread = new Thread({ threadId });
  const runner = new LangGraphRunner(thread, { apiUrl: url, assistantId, wire, fetch: counted });
  await runner.load();
  await runner.sendMessage(TEXT);
  bytes = 0;
  asked.length = 0;
  const began = performance.now();
  const { status } = await runner.sendMessage(TEXT);
  const ms = performance.now() - began;
  const { values } = await json(`/threads/${threadId}/state`);
  const idsOf = (messages) => JSON.stringify(messages.map(({ id, content }) => [id, content]));
  if (status !== "finished" || thread.doubts.length > 0 || idsOf(values.messages) !== idsOf(thread.getState().messages))
    throw new Error(`The thread is not as the server has it: ${status}.`);
  return { bytes, ms, states: asked.filter((path) => path.endsWith("state")).length };
}

/** The bytes of a turn on this project's own server. */
export async function turnCosts(lengths) {
  const results = [];
  for (const n of lengths) {
    const server = ownServer();
    const states = await turn(server, n, "values");
    const updates = await turn(server, n, "quiet");
    results.push({
      name: "LangGraph, a turn of ten super-steps, bytes",
      n,
      unit: "B",
      us: { threadfold: updates.bytes, "with states": states.bytes },
    });
  }
  return results;
}
