// Marks each update with its task and super-step, and each super-step's commit. With that a client folds the updates as
// the graph does, and need not be sent the state.
import { isDict } from "../../shared/dict.js";
import { handledBy, SHARED_HANDLER } from "../../shared/handler-names.js";
import { interruptsIn, type GraphPart, type GraphState, type RunnableGraph } from "../../stream/graph-parts.js";
import { Begun, type MarkedPart, type Show } from "./begun.js";
import { unshown } from "./exact.js";
import { withoutIds } from "./message-ids.js";

/** The modes of a graph that name tasks and checkpoints. */
export const STEP_MODES = ["updates", "tasks", "checkpoints"] as const;

/** A task of the super-step under way. */
interface Told {
  readonly id: string;
  readonly name: string;
  readonly path: readonly unknown[];
  /** Whether an earlier run has saved writes to fields. */
  readonly isSaved: boolean;
  isTold: boolean;
}

/**
 * Yields the parts of a run with the marks of its super-steps, and of its end if it ends well. A failed run's saved
 * writes come before its error.
 *
 * @param parts - They have {@link STEP_MODES}, whatever else.
 * @param options - The run's config and input, and the part that a caller may see of another.
 */
export async function* markedSteps(
  graph: RunnableGraph,
  parts: AsyncIterable<GraphPart>,
  { config, show, input }: { readonly config: object; readonly show: Show; readonly input: unknown },
): AsyncGenerator<MarkedPart> {
  const { durability, signal } = config as { durability?: unknown; signal?: AbortSignal };
  const steps = new MarkedSteps(show, new Begun(graph, input, show), durability === "exit");
  try {
    for await (const part of parts) yield* steps.take(part);
  } catch (error) {
    // An update whose task is not known is sent with it below, if it was saved.
    // langgraph.js drops the parts that were not read before it failed.
    if (!signal?.aborted)
      for await (const state of savedSince(steps.checkpointId, graph, config)) yield* steps.at(state);
    throw error;
  }
  yield* steps.take(undefined);
  if (steps.isOpen) for await (const state of savedSince(steps.checkpointId, graph, config)) yield* steps.at(state);
  if (!signal?.aborted) yield steps.end();
}

class MarkedSteps {
  readonly #show: Show;
  readonly #begun: Begun;
  /** Whether checkpoints are saved at the run's end alone. */
  readonly #savesLate: boolean;
  /** The checkpoint that the run begins at, until the first commit. */
  #from: { readonly from: unknown } | undefined;
  /** The number of the super-step under way; undefined before the first checkpoint. */
  #step: number | undefined;
  #tasks = new Map<string, Told>();
  /** The checkpoint that was named last. */
  checkpointId: unknown;
  #parts = 0;
  /** How many parts the last commit counted. */
  #committed = 0;
  #committedStep = -2;
  /** Whether the last commit could not name its checkpoint: it is saved at the run's end. */
  #isUnsaved = false;
  #isAsked = false;
  /** Whether the saved writes of the step under way were read. */
  #isRead = false;
  /** An update whose task the next part names. */
  #held: GraphPart | undefined;

  constructor(show: Show, begun: Begun, savesLate: boolean) {
    this.#show = show;
    this.#begun = begun;
    this.#savesLate = savesLate;
  }

  /** Whether the last checkpoint of a run that ended well was not sent. */
  get isOpen(): boolean {
    return this.#parts > this.#committed ? !this.#isAsked : this.#isUnsaved;
  }

  *take(part: GraphPart | undefined): Generator<MarkedPart> {
    const isRoot = part?.ns.length === 0;
    const held = this.#held;
    if (held && (isRoot || !part)) {
      this.#held = undefined;
      const result = part?.mode === "tasks" ? (part.payload as { id?: unknown; result?: unknown }) : {};
      yield this.#written(held, "result" in result ? this.#taskOf(held, result.id) : undefined);
    }
    if (!part) return;
    if (isRoot && part.mode === "updates") {
      yield* this.#update(part);
      return;
    }
    if (isRoot && part.mode === "checkpoints") yield* this.#checkpoint(part.payload as GraphState);
    yield this.#show(part);
  }

  /** Sends what is saved at and after a checkpoint, and was not sent. */
  *at(state: GraphState): Generator<MarkedPart> {
    const { config, metadata, tasks = [] } = state;
    const { step } = (metadata ?? {}) as { step?: number };
    if (this.#step === undefined || step === undefined) return;
    const id = config?.configurable?.["checkpoint_id"];
    if (id !== this.checkpointId) {
      // Nothing is known of a task that was neither sent nor saved: the count of the parts shows it.
      const isUntold = !this.#isRead && [...this.#tasks.values()].some(({ isTold }) => !isTold);
      if (step > this.#step || (step === this.#step && isUntold)) this.#parts++;
      this.#begin(state);
      const isNews = step > this.#committedStep || (this.#isUnsaved && this.#parts === this.#committed);
      if (isNews && !isInput(state)) yield this.#commit(step, id);
    }
    this.#isRead = true;
    for (const { id: task = "", name = "", result } of tasks) {
      const untold = this.#tasks.get(task);
      if (name === "__start__" || !untold || untold.isTold || !isDict(result)) continue;
      yield this.#written({ mode: "updates", ns: [], payload: { [name]: listed(result) } }, untold);
    }
  }

  *#checkpoint(state: GraphState): Generator<MarkedPart> {
    const isBegun = this.#step !== undefined;
    const before = this.checkpointId;
    this.#begin(state);
    if (!isBegun) {
      const { config, parentConfig } = state;
      const from = isInput(state) && !this.#savesLate ? parentConfig : config;
      this.#from = { from: from?.configurable?.["checkpoint_id"] ?? null };
    }
    const { step = -2 } = (state.metadata ?? {}) as { step?: number };
    // The same checkpoint again: none is saved before the run's end.
    const id = isBegun && before === this.checkpointId ? undefined : this.checkpointId;
    if (!isInput(state)) yield this.#commit(step, id);
  }

  /** Marks the end of the run: a client need not ask whether the stream was cut. */
  end(): GraphPart {
    return { mode: "updates", ns: [], payload: { __metadata__: { end: true, parts: this.#parts } } };
  }

  /** Begins the super-step that comes after a checkpoint. */
  #begin({ metadata, config, tasks = [] }: GraphState): void {
    const { step = -2 } = (metadata ?? {}) as { step?: number };
    const before = this.#tasks;
    this.#step = step + 1;
    this.#tasks = new Map(
      tasks.map(({ id = "", name = "", path, result }) => {
        const isTold = before.get(id)?.isTold ?? false;
        return [id, { id, name, path: path as unknown[], isSaved: result !== undefined, isTold }];
      }),
    );
    this.checkpointId = config?.configurable?.["checkpoint_id"];
  }

  #commit(step: number, id: unknown): MarkedPart {
    this.#committed = this.#parts;
    this.#committedStep = step;
    this.#isUnsaved = id === undefined;
    const checkpoint = id !== undefined && { checkpoint_id: id };
    const marks = { step, ...checkpoint, parts: this.#parts, ...this.#from };
    const isFirst = this.#from !== undefined;
    this.#from = undefined;
    return isFirst ? this.#begun.part(marks) : { mode: "updates", ns: [], payload: { __metadata__: marks } };
  }

  *#update(part: GraphPart): Generator<GraphPart> {
    const { payload } = part;
    if (!isDict(payload) || this.#step === undefined) yield this.#show(part);
    else if ("__interrupt__" in payload) {
      if (interruptsIn(payload).length > 0) this.#isAsked = true;
      const __metadata__ = { ...(payload["__metadata__"] as object), step: this.#step, parts: this.#parts };
      yield { ...part, payload: { ...payload, __metadata__ } };
    } else if (cachedIn(payload)) yield this.#written(part, this.#cachedTask(payload));
    else this.#held = part;
  }

  /** An update with the marks of its task; as it is if no task of the super-step wrote it, such as a `task()`'s value. */
  #written(part: GraphPart, task: Told | "unknown" | undefined): GraphPart {
    const { __metadata__: given, ...whole } = part.payload as { readonly __metadata__?: object };
    const shown = this.#show(part);
    if (!task) return shown;
    const { __metadata__: _, ...own } = shown.payload as Readonly<Record<string, unknown>>;
    const of = task === "unknown" ? {} : { task: task.id, path: task.path };
    if (task !== "unknown") task.isTold = true;
    const ids = withoutIds(own) && { ids: false };
    const missing = unshown(Object.values(whole)[0], Object.values(own)[0]);
    const marks = { ...given, step: this.#step, ...of, part: this.#parts++, ...ids, ...missing };
    return { ...part, payload: { ...own, __metadata__: marks } };
  }

  #taskOf({ payload }: GraphPart, id: unknown): Told | "unknown" | undefined {
    const task = this.#tasks.get(id as string);
    const [name = ""] = Object.keys(payload as object);
    // A handler that several nodes share: its name does not say for which it runs.
    if (!task && name === SHARED_HANDLER) return "unknown";
    const failed = handledBy(name);
    if (task || failed === undefined) return task;
    return { id: id as string, name, path: ["__pregel_push", failed, name, false], isSaved: false, isTold: false };
  }

  /** The task of writes that were not made now: those of an earlier run come in the order of the tasks. */
  #cachedTask(payload: object): Told | "unknown" {
    const [name = "", written] = Object.entries(payload).find(([key]) => key !== "__metadata__") ?? [];
    const left = [...this.#tasks.values()].filter((task) => task.name === name && !task.isTold);
    const isEmpty = isDict(written) && Object.keys(written).length === 0;
    const saved = isEmpty ? [] : left.filter(({ isSaved }) => isSaved);
    // A hit of a cache policy may be of any task of the node.
    const found = saved.length > 0 ? saved[0] : left.length === 1 ? left[0] : undefined;
    return found ?? "unknown";
  }
}

const cachedIn = ({ __metadata__: marks }: { readonly __metadata__?: unknown }): boolean =>
  isDict(marks) && marks["cached"] === true;

/** A task's result in the form of an update: a list of updates if it wrote a field twice. */
function listed(result: Readonly<Record<string, unknown>>): unknown {
  const writesOf = (value: unknown) => (isDict(value) && Array.isArray(value["$writes"]) ? value["$writes"] : [value]);
  const entries = Object.entries(result).flatMap(([key, value]) => writesOf(value).map((one) => ({ [key]: one })));
  return entries.length > Object.keys(result).length ? entries : result;
}

/** Whether a checkpoint holds an input that is not in the state yet: it is when the task of START has run. */
const isInput = ({ next = [] }: GraphState): boolean => next.length > 0 && next.every((name) => name === "__start__");

/** The most checkpoints that are looked through. */
const MOST_SAVED = 1_000;

/** Yields the states from a checkpoint on, the oldest first; at least the newest. None where they cannot be read. */
async function* savedSince(checkpointId: unknown, graph: RunnableGraph, config: object): AsyncGenerator<GraphState> {
  if (!graph.getStateHistory || !graph.checkpointer) return;
  const { configurable } = config as { configurable?: Record<string, unknown> };
  const { checkpoint_id: _, checkpoint_ns: __, checkpoint_map: ___, ...place } = configurable ?? {};
  const states: GraphState[] = [];
  try {
    for await (const given of graph.getStateHistory({ configurable: place } as never)) {
      const state = given as GraphState;
      states.push(state);
      if (checkpointId === undefined || state.config?.configurable?.["checkpoint_id"] === checkpointId) break;
      if (states.length === MOST_SAVED) break;
    }
  } catch {
    return;
  }
  for (let at = states.length - 1; at >= 0; at--) yield states[at] as GraphState;
}
