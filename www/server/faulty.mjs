// A run's events on their way to a client, at the pace and with the faults that were asked for.
import { setTimeout as sleep } from "node:timers/promises";
import { toAgUi } from "threadfold";

/** In the middle of an answer: a late snapshot comes after so many of its parts. */
const MIDDLE = 3;

const FAILURE = { code: "SCRIPTED", message: "The model did not answer. (You asked for this.)" };

/** Makes an error of either protocol. */
export const agUiFailure = { type: "RUN_ERROR", ...FAILURE };
export const langGraphFailure = { event: "error", data: { error: FAILURE.code, message: FAILURE.message } };

/**
 * Tells a run's events or parts at a pace, and has it fail where it is to.
 *
 * @param {AsyncIterable<object>} told
 * @param {import("./faults.mjs").Faults} faults
 * @param {{ graph: object, threadId: string, failure: object }} run
 */
export async function* faulty(told, { latency, tick, fail }, { graph, threadId, failure }) {
  const before = await stateOf(graph, threadId);
  await sleep(latency);
  const end = fail === undefined ? Infinity : Math.max(1, fail);
  let count = 0;
  let last = -Infinity;
  for await (const event of told) {
    if (count === end) break;
    const wait = last + tick - performance.now();
    if (wait > 0) await sleep(wait);
    last = performance.now();
    yield event;
    count++;
  }
  if (count !== end) return;
  await forget(graph, threadId, before);
  yield failure;
}

/**
 * Changes AG-UI's events as servers with two minds do: results go by their call's id while they stream, and snapshots
 * come late.
 */
export async function* asServersDo(told, { lag }, { graph, threadId }) {
  let late = lag === 2 ? await messagesOf(graph, threadId) : undefined;
  const parts = new Map();
  for await (const event of told) {
    const { type, messageId, toolCallId, subagentRunId } = event;
    yield type === "TOOL_CALL_RESULT" ? { ...event, messageId: toolCallId } : event;
    if (type !== "TEXT_MESSAGE_CONTENT" || lag === 0 || subagentRunId) continue;
    parts.set(messageId, (parts.get(messageId) ?? 0) + 1);
    if (parts.get(messageId) !== MIDDLE) continue;
    // A checkpoint does not have the message in flight, but the graph may be ahead of the stream. With lag 2 the
    // snapshot does not know of the run either, at first.
    const messages = late ?? (await messagesOf(graph, threadId));
    const inFlight = messages.findIndex(({ id }) => id === messageId);
    yield { type: "MESSAGES_SNAPSHOT", messages: inFlight < 0 ? messages : messages.slice(0, inFlight) };
    late = undefined;
  }
}

const stateOf = (graph, threadId) => graph.getState({ threadId });

const messagesOf = async (graph, threadId) => ((await stateOf(graph, threadId)).values.messages ?? []).map(toAgUi);

/** Has the thread as it was: its state then is written once more, as the latest. */
async function forget(graph, threadId, { config }) {
  if (config?.configurable?.checkpoint_id === undefined) return graph.checkpointer.deleteThread(threadId);
  await graph.updateState(config, null, "__copy__");
}
