// `node js-tests/bench/ag-ui-turns.mjs`: the bytes and milliseconds of a turn over AG-UI, by the length of the thread. Beside
// it, the same server without its capabilities: it is sent all, and sends all. Run `npm run build` first.
import { Thread, defineSchema, field } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";

/** A message of some 430 characters, and a turn of 10 super-steps. */
const TEXT = "x".repeat(400);
const STEPS = 10;
const URL = "http://page/agent";

/** Fields that only a model's message has: no event of AG-UI contains them. */
const METADATA = { response_metadata: { model: "m" }, usage_metadata: { input_tokens: 1, output_tokens: 2 } };

async function served(length, more) {
  const turn = STEPS + 1;
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("step", ({ messages }, ctx) => {
      const id = `a${messages.length}`;
      ctx.message({ type: "AIMessageChunk", id, content: TEXT });
      return { messages: [{ type: "ai", id, content: TEXT, ...more }] };
    })
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length % turn === 0 ? END : "step"))
    .compile({ checkpointer: new MemorySaver() });
  const messages = Array.from({ length: length - (length % turn) }, (_, at) => ({
    type: at % turn ? "ai" : "human",
    id: `m${at}`,
    content: TEXT,
  }));
  await graph.updateState({ threadId: "t" }, { messages }, "step");
  return serveAgUi(graph, { resumable: true });
}

/** The third turn of a page that has loaded the thread. */
async function measured(handler, declares) {
  let sent = 0;
  let received = 0;
  const fetch = async (url, init) => {
    if (!declares && String(url).endsWith("/capabilities")) return new Response("", { status: 404 });
    sent += init?.body?.length ?? 0;
    const response = await handler(new Request(url, init));
    const counted = new TransformStream({
      transform(part, controller) {
        received += part.length;
        controller.enqueue(part);
      },
    });
    return new Response(response.body?.pipeThrough(counted), response);
  };
  const runner = new AgUiRunner(new Thread({ threadId: "t" }), { url: URL, resumable: true, fetch });
  await runner.load();
  for (let turn = 1; turn < 3; turn++) await runner.sendMessage(TEXT);
  sent = received = 0;
  const began = performance.now();
  const { status } = await runner.sendMessage(TEXT);
  const ms = performance.now() - began;
  const { messages } = await (await handler(new Request(`${URL}/threads/t`))).json();
  const isEqual = JSON.stringify(messages) === JSON.stringify(runner.thread.getState().messages);
  if (status !== "finished" || !isEqual) throw new Error(`The thread is not as the server has it: ${status}.`);
  return { sent, received, ms };
}

for (const [name, more] of [
  ["plain messages", {}],
  ["a model's messages, with metadata", METADATA],
])
  for (const length of [100, 1_000, 10_000])
    for (const declares of [false, true]) {
      const { sent, received, ms } = await measured(await served(length, more), declares);
      const way = declares ? "what the other side lacks" : "all";
      console.log(`${name}, ${length}: ${way}: ${sent} B sent, ${received} B received, ${ms.toFixed(0)} ms`);
    }
