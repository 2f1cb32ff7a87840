// `node js-tests/bench/langgraph-turns.mjs [URL [GRAPH]]`: the bytes and milliseconds of a turn over LangGraph's API, by the length
// of the thread: states, and updates alone. With a URL, a graph of its server, "chat" by default; else `serveLangGraph`. Run
// `npm run build` first.
import { Thread, defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";

const [server, assistantId = "chat"] = process.argv.slice(2);

/** A message of some 430 characters, and a turn of 10 super-steps. */
const TEXT = "x".repeat(400);
const STEPS = 10;

function ownServer() {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("step", ({ messages }) => ({ messages: [{ type: "ai", id: `a${messages.length}`, content: TEXT }] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length % (STEPS + 1) === 0 ? END : "step"))
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph({ chat: graph });
  return { url: "http://page", ask: (url, init) => handler(new Request(url, init)) };
}

const { url, ask } = server ? { url: server, ask: fetch } : ownServer();

const json = async (path, body) =>
  (
    await ask(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
  ).json();

async function seeded(length) {
  const { thread_id: threadId } = await json("/threads", {});
  // The graph of `serveLangGraph` answers until there are so many.
  const whole = length - (length % (STEPS + 1)) + 1;
  const messages = Array.from({ length: whole }, (_, at) => ({
    type: at % (STEPS + 1) ? "ai" : "human",
    id: `m${at}`,
    content: TEXT,
  }));
  await json(`/threads/${threadId}/runs/wait`, { assistant_id: assistantId, input: { messages } });
  return threadId;
}

/** The second turn of a page that has loaded the thread. */
async function measured(threadId, wire) {
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
  return { bytes, ms, states: asked.filter((path) => /state|search/.test(path)).length };
}

for (const length of [100, 1_000, 10_000])
  for (const wire of ["values", "quiet"]) {
    const { bytes, ms, states } = await measured(await seeded(length), wire);
    console.log(`${length} messages, ${wire}: ${bytes} B, ${ms.toFixed(0)} ms, asked for the state ${states} times`);
  }
