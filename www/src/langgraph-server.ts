// A LangGraph deployment, over its REST API.
import { createParser } from "eventsource-parser";
import { foldRun } from "threadfold/langgraph/events";
import { accepted, lastHeard, Refusal, type AgentServer } from "./servers";

const JSON_TYPE = { "content-type": "application/json" };

export function langGraphServer(address: string, assistant: string): AgentServer {
  const base = new URL(address).href.replace(/\/$/, "");
  let known: string | undefined;

  return {
    message: (id, text) => ({ type: "human", id, content: text }),
    run(thread, messages, _, signal) {
      const threadId = thread.threadId ?? "";
      const runs = `${base}/threads/${threadId}/runs`;
      let runId: string | undefined;
      return {
        async start() {
          if (known !== threadId) {
            const body = JSON.stringify({ thread_id: threadId, if_exists: "do_nothing" });
            await accepted(await fetch(`${base}/threads`, { method: "POST", headers: JSON_TYPE, body, signal }));
            known = threadId;
          }
          const body = JSON.stringify({
            assistant_id: assistant,
            input: { messages },
            stream_mode: ["values", "messages-tuple", "custom"],
            stream_resumable: true,
            on_disconnect: "continue",
          });
          const response = await accepted(
            await fetch(`${runs}/stream`, { method: "POST", headers: JSON_TYPE, body, signal }),
          );
          runId = /runs\/([^/]+)/.exec(response.headers.get("content-location") ?? "")?.[1];
          await foldRun(thread, parts(response), { signal });
          return true;
        },
        async join(how) {
          if (!runId) throw new Refusal("The run had not begun.");
          const after = (how === "resume" ? lastHeard(thread, runId) : undefined) ?? "-1";
          const response = await fetch(`${runs}/${runId}/stream`, { headers: { "last-event-id": after }, signal });
          await foldRun(thread, parts(await accepted(response)), { signal });
          return true;
        },
      };
    },
  };
}

/** The parts of a stream as LangGraph's own SDK hands them out. */
async function* parts(response: Response): AsyncGenerator<{ id?: string; event: string; data: unknown }> {
  const ready: { id?: string; event: string; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => {
      if (data) ready.push({ ...(id === undefined ? {} : { id }), event, data: JSON.parse(data) as unknown });
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (value !== undefined) parser.feed(value);
    yield* ready.splice(0);
    if (done) return;
  }
}
