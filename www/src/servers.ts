// The servers that the chat can talk to, and what it asks of each.
import { foldAgUi, runInput } from "threadfold/ag-ui/events";
import type { Faults } from "./fault-controls";
import { read } from "./message";
import type { ChatThread } from "./session";

/**
 * One run: `start` begins it, `join` takes it up again after the connection broke. Both settle when nothing more comes,
 * and say whether the run is over.
 */
export interface ServerRun {
  start(): Promise<boolean>;
  /** Undefined where the server cannot be joined again. */
  readonly join: ((how: "resume" | "replay") => Promise<boolean>) | undefined;
}

export interface AgentServer {
  /** A user's message in the form that the server speaks. */
  message(id: string, text: string): object;
  run(thread: ChatThread, messages: readonly object[], faults: Faults, signal: AbortSignal): ServerRun;
}

/** The server's no. There is no use in asking again by oneself. */
export class Refusal extends Error {}

/** The response, or a Refusal in the server's own words. */
export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = (await response.text()).slice(0, 300);
  throw new Refusal(`${new URL(response.url).host} answered ${response.status}${text ? `: ${text}` : ""}`);
}

const JSON_TYPE = { "content-type": "application/json" };

/** Where to go on in a run that broke; undefined is its start, also when nothing of it was heard. */
export function lastHeard(thread: ChatThread, runId: string | undefined): string | undefined {
  return thread.run.id === runId ? thread.run.lastEventId : undefined;
}

/** Any AG-UI server. Ours takes faults, and lets a run be joined again. */
export function agUiServer(address: string, ours: boolean): AgentServer {
  return {
    message: (id, text) => ({ id, role: "user", content: text }),
    run(thread, messages, faults, signal) {
      const runId = crypto.randomUUID();
      const url = new URL(address);
      if (ours) url.search = faultQuery(faults);
      const fold = async (request: Promise<Response>) => {
        const { status } = await foldAgUi(thread, await accepted(await request), { signal });
        return status !== "cut";
      };
      return {
        start() {
          const input = runInput(thread, { runId });
          // What failed earlier is on the page, but not in this run.
          const going = new Set([...thread.confirmed.messages, ...messages].map((message) => read(message).id));
          const body = JSON.stringify({
            ...input,
            messages: input.messages.filter((message) => going.has(read(message).id)),
          });
          return fold(
            fetch(url, { method: "POST", headers: { ...JSON_TYPE, accept: "text/event-stream" }, body, signal }),
          );
        },
        join: ours
          ? (how) => {
              const after = how === "resume" ? lastHeard(thread, runId) : undefined;
              const headers: HeadersInit = after === undefined ? {} : { "last-event-id": after };
              return fold(fetch(`${url.origin}${url.pathname}/runs/${runId}`, { headers, signal }));
            }
          : undefined,
      };
    },
  };
}

function faultQuery({ latency, cut, fail, lag, rewrite, tick }: Faults): string {
  const wanted = { latency, tick, cut, fail, lag: lag ? 2 : undefined, rewrite: rewrite ? 1 : undefined };
  const set = Object.entries(wanted).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
}
