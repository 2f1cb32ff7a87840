// An AG-UI agent in 40 lines of Node, without a model: `node server.mjs` answers POST http://localhost:8000.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
const failed = new Set();

const text = (content) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));

function* say(messageId, answer) {
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
  for (const delta of answer.split(/(?<= )/)) yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
  yield { type: "TEXT_MESSAGE_END", messageId };
}

/** The events of one run. The page sends the whole conversation, so the server keeps nothing. */
function* run({ threadId, runId, messages, resume }) {
  const question = text(messages.findLast(({ role }) => role === "user").content);
  const [id, toolCallId] = [`${runId}-answer`, `${runId}-call`];
  yield { type: "RUN_STARTED", threadId, runId };
  if (/weather/i.test(question)) {
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "get_weather", parentMessageId: `${runId}-tools` };
    for (const delta of ['{"city":', '"Rome"}']) yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
    yield { type: "TOOL_CALL_END", toolCallId };
    yield { type: "TOOL_CALL_RESULT", toolCallId, messageId: `${runId}-result`, content: "21 °C, sunny" };
    yield* say(id, "It is 21 °C and sunny in Rome.");
  } else if (/book/i.test(question) && !resume) {
    const interrupt = { id: `${runId}-ask`, reason: "confirmation", message: "Book the table for two?" };
    return yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts: [interrupt] } };
  } else if (resume) yield* say(id, resume[0].payload?.approved ? "Your table is booked." : "I booked nothing.");
  else yield* say(id, `You said: ${question}`);
  yield { type: "RUN_FINISHED", threadId, runId };
}

createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(204, CORS).end();
  const input = await json(request);
  // "fail" fails once, for the page's retry.
  if (/fail/i.test(text(input.messages.at(-1)?.content ?? "")) && !failed.has(input.messages.at(-1).id)) {
    failed.add(input.messages.at(-1).id);
    return response.writeHead(503, CORS).end("The agent is busy.");
  }
  response.writeHead(200, { ...CORS, "content-type": "text/event-stream" });
  for (const event of run(input)) {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    await sleep(30);
  }
  response.end();
}).listen(Number(process.env.PORT ?? 8000));
