// The demo's deep agent: it gives two sub-agents a task each, side by side. Its models are scripts.
import { setTimeout as sleep } from "node:timers/promises";
import { createDeepAgent, createMiddleware } from "threadfold/agent";
import { TRIP } from "./script.mjs";

/** Says a text word by word, then the calls of tools in pieces that know no words: `tick` milliseconds apart. */
const scripted =
  (script, tick) =>
  async (messages, { signal, onToken, onToolCall }) => {
    const told = async (tell, piece) => {
      tell(piece);
      if (tick > 0) await sleep(tick, undefined, { signal });
    };
    const { text = "", calls = [] } = script(messages);
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/gu) ?? []) await told(onToken, word);
    const made = calls.map(([name, args]) => ({ id: crypto.randomUUID(), name, args }));
    for (const [index, { id, name, args }] of made.entries()) {
      for (const [at, piece] of (JSON.stringify(args).match(/.{1,9}/gsu) ?? []).entries())
        await told(onToolCall, at === 0 ? { index, id, name, args: piece } : { index, args: piece });
    }
    return { content: text, tool_calls: made };
  };

/** Replaces an agent's model by a script, at the pace that the run's context asks for. */
const follows = (script) =>
  createMiddleware({
    name: "Script",
    wrapModelCall: (request, ask) => ask({ ...request, model: scripted(script, request.runtime.context?.tick ?? 0) }),
  });

/** The results since the user's last message. */
const resultsIn = (messages) =>
  messages.slice(messages.findLastIndex(({ type }) => type === "human") + 1).filter(({ type }) => type === "tool");

/** The agent that the user talks to. */
function planTrip(messages) {
  const results = resultsIn(messages);
  if (results.length === 0) {
    const tasks = TRIP.helpers.map(({ name, task }) => ["task", { description: task, subagent_type: name }]);
    return { text: TRIP.begin, calls: tasks };
  }
  if (results.length === TRIP.helpers.length) return { calls: [["write_file", TRIP.plan]] };
  return { text: TRIP.end };
}

/** A sub-agent: it writes down what it found, and reports. */
const helper =
  ({ notes, report }) =>
  (messages) =>
    resultsIn(messages).length === 0 ? { text: TRIP.look, calls: [["write_file", notes]] } : { text: report };

const unasked = () => {
  throw new Error("A script replaces this model.");
};

/** Returns the agent: a node of the demo's graph, which keeps its threads. */
export const createTripAgent = () =>
  createDeepAgent({
    name: "trip",
    model: unasked,
    middleware: [follows(planTrip)],
    subagents: TRIP.helpers.map((one) => ({
      name: one.name,
      description: one.task,
      systemPrompt: "Write down what you find.",
      middleware: [follows(helper(one))],
    })),
  });
