// Drives a server over protocol v2, and brings its events into a form in which two servers can be compared.
import { randomUUID } from "node:crypto";

const CHANNELS = ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"];
const ENDS = ["completed", "failed", "interrupted"];
const human = (content) => ({ messages: [{ type: "human", id: `q-${content}`, content }] });

/** The turns of each graph: what is sent, by what the events so far say. */
export const SCENARIOS = {
  chat: [() => start("chat", "Hi"), () => start("chat", "Again")],
  weather: [() => start("weather", "Rome?")],
  approval: [
    () => start("approval", "Mail"),
    (events) => {
      const { interrupt_id } = events.find(({ method }) => method === "input.requested").params.data;
      return { method: "input.respond", params: { namespace: [], interrupt_id, response: "yes" } };
    },
  ],
  subgraph: [() => start("subgraph", "Look")],
  fail: [() => start("fail", "Oh")],
};

const start = (assistant_id, text) => ({ method: "run.start", params: { assistant_id, input: human(text) } });

/** Runs a scenario; returns the answers to its commands and all its events. */
export async function drive(name, url, fetch = globalThis.fetch) {
  const thread = `${url}/threads/${randomUUID()}`;
  const post = (path, body, signal) =>
    fetch(`${thread}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  const stop = new AbortController();
  const response = await post("/stream/events", { channels: CHANNELS }, stop.signal);
  const events = [];
  let wake = () => {};
  const reading = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data) events.push(JSON.parse(data));
      }
      wake();
    }
  })().catch(() => {});
  const answers = [];
  for (const [turn, command] of SCENARIOS[name].entries()) {
    answers.push(await (await post("/commands", { id: turn + 1, ...command(events) })).json());
    const ends = () => events.filter(isEnd).length > turn;
    while (!ends()) await new Promise((resolve) => (wake = resolve));
  }
  stop.abort();
  await reading;
  return { answers, events };
}

const isEnd = ({ method, params }) =>
  method === "lifecycle" && params.namespace.length === 0 && ENDS.includes(params.data.event);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|\bid-\d+\b/g;

/** Numbers ids in the order in which they come, and leaves out what differs from run to run. */
export function comparable(value) {
  const ids = new Map();
  const text = JSON.stringify(value, (key, inner) =>
    ["timestamp", "seq", "event_id", "applied_through_seq"].includes(key) ? undefined : inner,
  );
  const named = text.replace(UUID, (id) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
    return ids.get(id);
  });
  return JSON.parse(named);
}
