// The two servers through plain fetch: the traffic, and the server's state afterwards.
import { parts } from "./sse.mjs";

const post = (url, body, init = {}) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), ...init });

async function answer(response) {
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}: ${await response.text()}`);
  return response.json();
}

/** A server that cannot fold its own graph's writes answers 400, and that answer counts as its state. */
const stateOrRefusal = async (response) =>
  response.status === 400 ? { refused: (await response.json()).detail } : answer(response);

const json = async function* (stream) {
  for await (const { data, ...part } of stream) yield { ...part, data: JSON.parse(data) };
};

/** @typedef {{ id?: string, event?: string, data: any }} Part */

/** The requests of a run to the AG-UI server. */
export const agUi = {
  /** @returns {AsyncGenerator<Part>} */
  run: async function* (url, graph, input, init) {
    yield* json(parts(await post(`${url}/${graph}`, input, init)));
  },
  /** The graph's own state: `values` in LangChain's form, `messages` in AG-UI's. */
  state: async (url, graph, thread) => stateOrRefusal(await fetch(`${url}/${graph}/state/${thread}`)),
};

export const ALL_MODES = ["values", "updates", "messages-tuple", "custom"];
export const TWO_MODES = ["messages-tuple", "values"];

export const langGraph = {
  /** @returns {Promise<string>} */
  newThread: async (url) => (await answer(await post(`${url}/threads`, {}))).thread_id,

  request: (graph, turn, messageId, modes = ALL_MODES) => ({
    assistant_id: graph,
    ...("say" in turn
      ? { input: { messages: [{ type: "human", id: messageId, content: turn.say }] } }
      : { command: { resume: turn.resume } }),
    stream_mode: modes,
    stream_subgraphs: true,
    stream_resumable: true,
  }),

  /** @returns {AsyncGenerator<Part>} */
  run: async function* (url, thread, request, init) {
    yield* json(parts(await post(`${url}/threads/${thread}/runs/stream`, request, init)));
  },

  /** Reads a run's parts after this id, or all of them. */
  join: async function* (url, thread, run, lastEventId = "-1", init = {}) {
    const headers = { "last-event-id": lastEventId };
    yield* json(parts(await fetch(`${url}/threads/${thread}/runs/${run}/stream`, { headers, ...init })));
  },

  /** Reads the server's state. */
  state: async (url, thread) => {
    const { values, next, interrupts, ...rest } = await stateOrRefusal(await fetch(`${url}/threads/${thread}/state`));
    return "refused" in rest ? rest : { values, next, interrupts };
  },
};

const CHANNELS = ["values", "updates", "messages", "tools", "custom", "lifecycle", "input"];

/** Protocol v2 of the LangGraph server. */
export const langGraphV2 = {
  command: async (url, thread, command) => {
    const result = await answer(await post(`${url}/threads/${thread}/commands`, command));
    if (result.type !== "success") throw new Error(`${command.method} is refused: ${JSON.stringify(result)}`);
    return result.result;
  },

  request: (id, graph, turn, messageId, interrupt) =>
    "say" in turn
      ? {
          id,
          method: "run.start",
          params: { assistant_id: graph, input: { messages: [{ type: "human", id: messageId, content: turn.say }] } },
        }
      : {
          id,
          method: "input.respond",
          params: { assistant_id: graph, namespace: [], interrupt_id: interrupt, response: turn.resume },
        },

  /** All events of a thread so far and from now on: it does not end by itself. */
  events: async function* (url, thread, init) {
    yield* json(parts(await post(`${url}/threads/${thread}/stream/events`, { channels: CHANNELS }, init)));
  },
};

/** Whether a part of protocol v2 is the end of a run. */
export const endsRun = ({ data: { method, params } }) =>
  method === "lifecycle" &&
  params.namespace.length === 0 &&
  ["completed", "failed", "interrupted"].includes(params.data.event);
