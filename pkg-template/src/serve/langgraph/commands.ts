// The commands of protocol v2: `POST /threads/ID/commands`.
import { isDict, type Dict } from "../../shared/dict.js";
import { newId } from "../../shared/new-id.js";
import type { GraphInterrupt } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import { checkForms } from "./body-forms.js";
import type { RunRequest } from "./run-request.js";
import type { KnownRun, Run } from "./run.js";
import { agentTree } from "./v2/agent-tree.js";
import { answersOfCommand, refusal } from "./v2/respond.js";
import type { ThreadEvents } from "./v2/thread-events.js";

/** The server's part in the commands of one thread. */
export interface CommandedThread {
  readonly id: string;
  /** The name of the graph that last ran on it, if that is known. */
  assistant(): Promise<string | undefined>;
  /** The questions that no run has answered, as its state has them. */
  interrupts(): Promise<readonly GraphInterrupt[]>;
  /** What a caller may see of its state, and the checkpoint. */
  state(): Promise<{ readonly values: object; readonly checkpoint: Dict | null }>;
  /** The ids of the questions that its runs under way answer. */
  answered(): Promise<readonly string[]>;
  /** Its latest run. */
  last(): Promise<KnownRun | undefined>;
  /** Starts a run whose events go to the thread's stream. `answers` are the ids of the interrupts that it answers. */
  begin(request: RunRequest, answers: readonly string[]): Promise<Run>;
}

/** Commands of the protocol that this server lacks. */
const NOT_SERVED = ["subscription.subscribe", "subscription.unsubscribe", "subscription.reconnect", "input.inject"];

type Answer = Readonly<Record<string, unknown>>;

/**
 * Runs a command and returns its answer. A command that cannot be run is answered by `{ type: "error" }`, with HTTP's
 * status 200, as LangGraph's server does.
 *
 * @throws {@link Refusal} 422 for a body that is not a command.
 */
export async function commanded(
  { id, method, params }: Dict,
  thread: CommandedThread,
  events: ThreadEvents,
  mostSteps: number | undefined,
): Promise<Answer> {
  if (!Number.isInteger(id) || (id as number) < 0) throw new Refusal(422, "A command's id should be a number from 0.");
  if (typeof method !== "string") throw new Refusal(422, "A command's method should be its name.");
  const given = isDict(params) ? params : {};
  // Before the command: the events of its run come after.
  const meta = () => ({ thread_id: thread.id, applied_through_seq: before });
  const before = events.seqOf(thread.id);
  try {
    const result = await run(method, given, thread, events, mostSteps);
    return { type: "success", id, result, meta: meta() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error instanceof CommandError ? error.code : (CODES[error.status] ?? "invalid_argument");
    return { type: "error", id, error: code, message: error.message, meta: meta() };
  }
}

const CODES: Readonly<Record<number, string>> = { 403: "permission_denied" };

class CommandError extends Refusal {
  readonly code: string;

  constructor(code: string, message: string) {
    super(422, message);
    this.code = code;
  }
}

async function run(
  method: string,
  params: Dict,
  thread: CommandedThread,
  events: ThreadEvents,
  mostSteps: number | undefined,
): Promise<object> {
  switch (method) {
    case "run.start": {
      const { run_id } = await start(requestIn(params, mostSteps), thread);
      return { run_id };
    }
    case "input.respond":
      await respond(params, thread, events, mostSteps);
      return {};
    case "state.get":
      return stateIn(params, thread);
    case "agent.getTree": {
      const last = await thread.last();
      if (!last) throw new CommandError("no_such_run", "No run of this thread is known.");
      return { tree: agentTree(events.statusesOf(thread.id, last.id), last.facts.assistantId) };
    }
    default:
      if (NOT_SERVED.includes(method)) throw new CommandError("not_supported", `${method} is not served.`);
      throw new CommandError("unknown_command", `Unknown protocol command: ${method}`);
  }
}

/** Reads the fields that `run.start` and `input.respond` share with a request of the runs API. */
function requestIn({ assistant_id, input, config, metadata, multitaskStrategy }: Dict, mostSteps: number | undefined) {
  checkForms({ config, metadata }, mostSteps);
  return { assistant_id, input, config, metadata, multitask_strategy: multitaskStrategy } as RunRequest;
}

async function start(request: RunRequest, thread: CommandedThread): Promise<{ run_id: string }> {
  const { assistant_id, input } = request;
  if (typeof assistant_id !== "string" || assistant_id === "")
    throw new CommandError("invalid_argument", "run.start requires an assistant_id.");
  // Input for a thread that asks answers it, as on LangGraph's server.
  const asked = input == null ? [] : await waiting(thread);
  if (asked.length === 0) return { run_id: (await thread.begin(request, [])).id };
  const { input: resume, ...rest } = request;
  return { run_id: (await thread.begin({ ...rest, command: { resume } }, asked)).id };
}

async function respond(
  params: Dict,
  thread: CommandedThread,
  events: ThreadEvents,
  mostSteps: number | undefined,
): Promise<void> {
  const answers = answersOfCommand(params);
  if (typeof answers === "string") throw new CommandError("invalid_argument", answers);
  const assistant_id = await thread.assistant();
  if (assistant_id === undefined)
    throw new CommandError("no_such_run", "Thread has no active assistant; call run.start first.");
  const pending = await waiting(thread);
  if (pending.length === 0)
    throw new CommandError("invalid_argument", "input.respond can only be used while the run is interrupted.");
  const ids = Object.keys(answers);
  const unknown = ids.filter((id) => !pending.includes(id));
  if (unknown.length > 0) {
    // Nothing runs: the thread's stream says why, where every client of the thread reads it.
    const runId = newId();
    const last = await thread.last();
    for (const event of refusal(assistant_id, unknown, pending)) events.add(thread.id, runId, event, last?.id);
    return;
  }
  const { update, goto } = params;
  const command = { resume: answers, ...(update != null && { update }), ...(goto != null && { goto }) };
  await thread.begin({ ...requestIn(params, mostSteps), assistant_id, input: undefined, command }, ids);
}

/** The ids of the questions that no run answers, not even one under way. */
async function waiting(thread: CommandedThread): Promise<string[]> {
  const answered = new Set(await thread.answered());
  const ids = (await thread.interrupts()).flatMap(({ id }) => (id === undefined ? [] : [id]));
  return ids.filter((id) => !answered.has(id));
}

async function stateIn({ keys }: Dict, thread: CommandedThread): Promise<object> {
  const { values, checkpoint } = await thread.state();
  const wanted = Array.isArray(keys) ? (keys as unknown[]) : undefined;
  const shown = Object.entries(values).filter(([key]) => !wanted || wanted.includes(key));
  const { checkpoint_id: id, checkpoint_ns: ns } = checkpoint ?? {};
  return { values: Object.fromEntries(shown), ...(id !== undefined && { checkpoint: { id, ns } }) };
}
