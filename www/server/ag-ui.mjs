// The agent over AG-UI:
//
//   POST   /agent              a RunAgentInput starts a run and is answered by its events. A run id that is known is the
//                              same run once more: from its start, or from behind Last-Event-ID.
//   GET    /agent/runs/ID      the same run, joined again, likewise
//   DELETE /agent/runs/ID      stops it
//   GET    /agent/threads/ID   what the server has: { messages, state }
import { Run } from "./run.mjs";
import { json, readBody, stream } from "./http.mjs";

/** @param {import("./memory.mjs").Memory} memory */
export function agUi({ runs, start, threads }) {
  return async (request, response, [kind, id], { faults }) => {
    const { method } = request;
    const run = kind === "runs" ? runs.get(id) : undefined;
    if (method === "POST" && kind === undefined) {
      const input = readInput(await readBody(request));
      const run = start(input, (thread) => new Run(input, thread, faults, tell));
      if (run) return stream(request, response, run, faults);
      return json(response, 409, { error: `The thread ${input.threadId} has a run that goes on.` });
    }
    if (method === "GET" && run) return stream(request, response, run, faults);
    if (method === "DELETE" && run) {
      await run.cancel();
      return json(response, 200, {});
    }
    if (method === "GET" && kind === "threads" && threads.has(id)) {
      const { messages, state } = threads.get(id).conversation;
      return json(response, 200, { messages, state });
    }
    return json(response, 404, { error: `There is no ${method} ${request.url}` });
  };
}

const tell = (event) => [`data: ${JSON.stringify(event)}`];

function readInput(input) {
  for (const key of ["threadId", "runId"]) {
    if (typeof input?.[key] !== "string" || !input[key]) throw new RangeError(`${key}: a string is needed`);
  }
  if (
    !Array.isArray(input.messages) ||
    !input.messages.every((message) => typeof message?.id === "string" && typeof message.role === "string")
  ) {
    throw new RangeError("messages: a list of messages with id and role is needed");
  }
  const { threadId, runId, messages, resume } = input;
  const [decision] = Array.isArray(resume) ? resume : [];
  const approved = decision && decision.status === "resolved" && decision.payload?.approved === true;
  return { threadId, runId, messages, approved };
}
