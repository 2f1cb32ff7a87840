// The events of a run that another instance takes over.
import type { ServedEvent } from "../../ag-ui/graph/graph-event.js";
import {
  checkpointOf,
  runConfig,
  servedEvents,
  threadState,
  type ServedOptions,
} from "../../ag-ui/graph/graph-events.js";
import { isUnfinished } from "../../ag-ui/graph/graph-input.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import { textOf } from "../run-stores/run-store.js";
import type { WorkedRun } from "../run-stores/worked-run.js";
import { savedAnswers } from "../saved-answers.js";
import type { CarriedOn } from "./about.js";
import { answersOfInput } from "./input-answers.js";
import type { SentEvents } from "./sent-events.js";
import type { ServeAgUiOptions } from "./serve-options.js";
import { shownThread } from "./thread.js";

/**
 * The events of a run from where its last instance left it: what is open is closed, then snapshots follow.
 *
 * @param sent - Is given what that instance has sent.
 */
export async function* continuedEvents(
  graph: RunnableGraph,
  options: ServeAgUiOptions,
  run: WorkedRun,
  carriedOn: CarriedOn | undefined,
  sent: SentEvents,
): AsyncGenerator<ServedEvent> {
  const { threadId, id: runId } = run;
  const { signal } = run.stop;
  const { last = 0 } = run.lease ?? {};
  if (last > 0)
    for await (const [at, part] of run.follow(0)) {
      sent.add(textOf(part));
      if (at >= last) break;
    }
  if (sent.hasFinished) return;
  yield* sent.closing();
  if (!carriedOn)
    return yield { type: "RUN_ERROR", message: "The instance that ran it is gone, and its config cannot be kept." };
  const { input, client, changes, from, answers } = carriedOn;
  const { config: own, interrupts, subagents } = options;
  const config = (typeof own === "function" ? carriedOn.config : own) as ServedOptions["config"];
  const known = await threadState(graph, runConfig(config as object, threadId));
  const { messages, state } = shownThread(graph, known);
  const isNew = ({ id }: { id?: unknown }) => !messages.some((message) => message.id === id);
  // Half an answer of the node that runs again goes.
  if (sent.hasStarted) {
    yield { type: "STATE_SNAPSHOT", snapshot: state };
    yield { type: "MESSAGES_SNAPSHOT", messages: [...messages, ...input.messages.filter(isNew)] };
  }
  const isTaken = answers !== (answersOfInput(input) && (await savedAnswers(graph, threadId)));
  const isBegun = known !== undefined && (checkpointOf(known) !== from || isTaken);
  if (isBegun && !isUnfinished(known)) return yield { type: "RUN_FINISHED", threadId, runId };
  const rest = isBegun ? { threadId, runId, messages: [], tools: input.tools } : input;
  const more = { ...(!isBegun && { client, changes }), inbox: run.inbox, isJoinable: true };
  for await (const event of servedEvents(graph, rest, { config, interrupts, subagents, ...more, signal }))
    if (event.type !== "RUN_STARTED" || !sent.hasStarted) yield event;
}
