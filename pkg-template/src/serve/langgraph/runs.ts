// Starts, queues and stops runs, and streams them to clients that join.
import { newId } from "../../shared/new-id.js";
import { command, type RunnableGraph } from "../../stream/graph-parts.js";
import { errorWords } from "../../stream/error-words.js";
import { Refusal } from "../refusal.js";
import { clientsConfigurable } from "../owners.js";
import { RunLog, RunLogs } from "../run-log.js";
import { UnderWay } from "../under-way.js";
import { wireJson } from "../wire.js";
import { withBreakpoints } from "./approvals.js";
import { modesOf, runParts, type RunEnd, type RunPart } from "./run-parts.js";
import type { RunRequest } from "./run-request.js";
import { configOf } from "./thread-state.js";

type Status = "pending" | "running" | "success" | "error" | "interrupted";

export class Run extends RunLog {
  readonly assistantId: string;
  readonly request: RunRequest;
  readonly createdAt: string = new Date().toISOString();
  updatedAt: string = this.createdAt;
  status: Status = "pending";
  readonly ending: RunEnd = { values: null, isInterrupted: false };
  error: { error: string; message: string } | undefined;
  /** Whether parts have ids, so that they can be sent again. */
  readonly isResumable: boolean;

  constructor(threadId: string, assistantId: string, request: RunRequest, owner: string | undefined) {
    super(newId(), threadId, owner);
    this.assistantId = assistantId;
    this.request = request;
    this.isResumable = request.stream_resumable === true;
  }

  become(status: Status): void {
    this.status = status;
    this.updatedAt = new Date().toISOString();
  }

  /** The run, in the form of the API. */
  get told(): object {
    const { metadata, multitask_strategy } = this.request;
    return {
      run_id: this.id,
      thread_id: this.threadId,
      assistant_id: this.assistantId,
      created_at: this.createdAt,
      updated_at: this.updatedAt,
      status: this.status,
      metadata: metadata ?? {},
      multitask_strategy: multitask_strategy ?? "enqueue",
    };
  }

  /** The response of `wait` and `join`. */
  get result(): unknown {
    return this.error ? { __error__: this.error } : this.ending.values;
  }
}

/** The data that the server adds to a request. */
interface More {
  /** More of the run's config. */
  readonly config: object;
  /** Changes the parts on their way. */
  readonly change: ((parts: AsyncIterable<RunPart>, run: Run) => AsyncIterable<RunPart>) | undefined;
  /** The identity that the thread belongs to. */
  readonly owner: string | undefined;
}

/** The runs of a server. */
export class Runs {
  readonly logs: RunLogs<Run>;
  readonly #changed: (run: Run) => void;

  /** @param changed - Called when a run begins and when it is over. */
  constructor(kept: number, changed: (run: Run) => void) {
    this.logs = new RunLogs(kept);
    this.#changed = changed;
  }

  /** Begins a run, or lets it wait for those before it; by its `multitask_strategy`, stops them, or is refused. */
  start(graph: RunnableGraph, threadId: string, assistantId: string, request: RunRequest, more: More): Run {
    const modes = modesOf(request.stream_mode);
    configOf(threadId, checkpointIn(request));
    const strategy = request.multitask_strategy ?? "enqueue";
    const underWay = new UnderWay(graph);
    // Those of this server may be of another graph.
    const own = this.logs.of(threadId).filter(({ hasEnded }) => !hasEnded);
    const before = [...new Set<RunLog>([...own, ...underWay.of(threadId)])];
    if (!["enqueue", "interrupt", "reject", "rollback"].includes(strategy as string))
      throw new Refusal(422, `There is no multitask_strategy ${JSON.stringify(strategy)}.`);
    if (strategy === "rollback") throw new Refusal(422, "The strategy rollback is not served: use interrupt.");
    if (strategy === "reject" && before.length > 0)
      throw new Refusal(409, "The thread has a run that goes on: wait for it, or choose another multitask_strategy.");
    if (strategy === "interrupt") for (const run of before) run.stop.abort();
    const run = new Run(threadId, assistantId, request, more.owner);
    this.logs.add(run);
    underWay.add(run);
    void Promise.all(before.map(({ over }) => over)).then(() => this.#work(graph, run, modes, more));
    return run;
  }

  async #work(graph: RunnableGraph, run: Run, modes: readonly string[], { config: own, change }: More): Promise<void> {
    const { signal } = run.stop;
    if (signal.aborted) run.become("interrupted");
    else {
      run.become("running");
      this.#changed(run);
      try {
        const config = { ...configFor(graph, run, own), signal };
        const steps = run.request.stream_steps === true;
        const input = inputOf(run.request);
        const told = beginning(run, runParts(graph, { input, config, modes, end: run.ending, steps }));
        for await (const said of change ? change(told, run) : told) {
          if (signal.aborted) break;
          run.add(part(said));
        }
        run.become(signal.aborted || run.ending.isInterrupted ? "interrupted" : "success");
      } catch (error) {
        if (signal.aborted) run.become("interrupted");
        else {
          run.error = failure(error);
          run.add(part({ event: "error", data: run.error }));
          run.become("error");
        }
      }
    }
    run.end();
    this.#changed(run);
  }
}

/** The parts of a run, from the one on that says which it is. */
async function* beginning(run: Run, parts: AsyncIterable<RunPart>): AsyncGenerator<RunPart> {
  yield { event: "metadata", data: { run_id: run.id, attempt: 1 } };
  yield* parts;
}

const part = ({ event, data }: { event: string; data: unknown }) => `event: ${event}\ndata: ${wireJson(data)}\n\n`;

function failure(error: unknown): { error: string; message: string } {
  const { name, message } = errorWords(error);
  return { error: name, message };
}

/** The checkpoint at which a run is asked to begin, wherever the request names it. */
export function checkpointIn({ checkpoint, checkpoint_id, config }: RunRequest): unknown {
  const { checkpoint_id: older } = (config?.["configurable"] ?? {}) as { checkpoint_id?: unknown };
  return checkpoint ?? checkpoint_id ?? older;
}

function inputOf({ input, command: asked }: RunRequest): unknown {
  if (!asked) return input ?? null;
  const { resume, update, goto } = asked;
  return command({
    ...(resume !== undefined && resume !== null && { resume }),
    ...(update !== undefined && update !== null && { update }),
    ...(goto !== undefined && goto !== null && { goto: [goto].flat().map(destination) }),
  });
}

/** A goto is a node's name or, with an input of its own, a Send. */
function destination(to: unknown): unknown {
  const { node, input } = (to ?? {}) as { node?: unknown; input?: unknown };
  return typeof node === "string" ? { lg_name: "Send", node, args: input } : to;
}

function configFor(graph: RunnableGraph, { request, threadId }: Run, more: object): object {
  const { config, context, metadata, durability, checkpoint_during } = request;
  const { interrupt_before: before, interrupt_after: after } = request;
  const { configurable, recursion_limit, tags } = config ?? {};
  const at = configOf(threadId, checkpointIn(request));
  return {
    ...(recursion_limit != null && { recursionLimit: recursion_limit }),
    ...(tags != null && { tags }),
    ...(metadata !== undefined && metadata !== null && { metadata }),
    ...(context !== undefined && context !== null && { context }),
    ...(before != null && { interruptBefore: withBreakpoints(graph, "interruptBefore", before) }),
    ...(after != null && { interruptAfter: withBreakpoints(graph, "interruptAfter", after) }),
    ...(durability != null ? { durability } : checkpoint_during === false ? { durability: "exit" } : {}),
    subgraphs: request.stream_subgraphs === true,
    ...more,
    configurable: {
      ...clientsConfigurable(configurable),
      ...(more as { configurable?: object }).configurable,
      ...at.configurable,
    },
  };
}
