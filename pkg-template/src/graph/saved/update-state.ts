// Writes to a thread as if nodes had.
import type {
  ChannelVersions,
  CheckpointConfig,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointTuple,
} from "../../checkpoint/types.js";
import { END } from "../build/command.js";
import type { AnyGraph } from "../build/graph-spec.js";
import { InvalidUpdateError } from "../build/graph-errors.js";
import { uuid5 } from "../ids/ids.js";
import { INTERRUPT } from "../build/interrupt.js";
import { namedGraph, withParents } from "./named-graph.js";
import { OpenedThread } from "./opened-thread.js";
import { stateSnapshot } from "./state-snapshot.js";
import { ThreadTask } from "./thread-task.js";

/** The values to write, and the node to write them as. */
export interface StateUpdate {
  values: unknown;
  asNode?: string | undefined;
  taskId?: string | undefined;
}

export async function updateState(
  root: AnyGraph,
  asked: CheckpointConfig,
  updates: readonly StateUpdate[],
): Promise<CheckpointConfig> {
  const edit = await ThreadEdit.open(root, asked);
  const [{ values, asNode }] = updates as [StateUpdate];
  const isNothing = values === null || values === undefined;
  const alone = (what: string) => {
    if (updates.length > 1) throw new InvalidUpdateError(`Cannot ${what} with multiple updates`);
  };
  try {
    if (asNode === "__copy__") {
      alone("copy a checkpoint");
      const copy = await edit.copy();
      return await (isCopyWithUpdates(values) ? updateCopy(root, copy, values) : copy);
    }
    if (isNothing && asNode === undefined) {
      alone("create an empty checkpoint");
      return await edit.put("update");
    }
    if (isNothing && asNode === END) {
      alone("clear the state");
      return await edit.clear();
    }
    if (asNode === "__input__") {
      alone("give an input");
      if (isNothing) throw new InvalidUpdateError('Received no input writes for "__start__"');
      return await edit.input(values as Record<string, unknown>);
    }
    return await edit.write(updates);
  } finally {
    edit.free();
  }
}

/** A thread at the checkpoint that is updated. */
class ThreadEdit {
  readonly #graph: AnyGraph;
  readonly #saver: CheckpointSaver;
  readonly #tuple: CheckpointTuple | undefined;
  /** Where the new checkpoint belongs. */
  readonly #place: CheckpointConfig & { readonly configurable: Record<string, unknown> };
  /** Whether the caller names the checkpoint: after it everything runs again. */
  readonly #isNamed: boolean;
  readonly #thread: OpenedThread;

  static async open(root: AnyGraph, asked: CheckpointConfig): Promise<ThreadEdit> {
    const { graph, saver, config } = namedGraph(root, asked);
    return new ThreadEdit(graph, saver, config, await saver.getTuple(config));
  }

  private constructor(
    graph: AnyGraph,
    saver: CheckpointSaver,
    config: CheckpointConfig,
    tuple: CheckpointTuple | undefined,
  ) {
    this.#graph = graph;
    this.#saver = saver;
    this.#tuple = tuple;
    const { configurable = {} } = tuple?.config ?? config;
    const ns = configurable.checkpoint_ns ?? "";
    this.#place = { ...config, configurable: { ...config.configurable, ...configurable, checkpoint_ns: ns } };
    this.#isNamed = config.configurable?.checkpoint_id !== undefined;
    this.#thread = new OpenedThread(graph.spec, tuple, ns);
  }

  free(): void {
    this.#thread.at.plan.free();
  }

  /** Saves the thread as it is now as a new checkpoint. */
  async put(
    source: CheckpointMetadata["source"],
    step = this.#thread.at.stepNumber,
    at: CheckpointConfig = this.#place,
  ): Promise<CheckpointConfig> {
    const checkpoint = this.#thread.checkpoint();
    const parents = this.#tuple?.metadata?.parents;
    // A copy is not a child of its source, whose versions another branch may have, too.
    const fresh = source === "fork" ? checkpoint.channel_versions : newer(checkpoint.channel_versions, this.#tuple);
    const saved = await this.#saver.put(at, checkpoint, { source, step, parents: parents ?? {} }, fresh);
    return withParents(saved, parents);
  }

  /** Saves a copy beside the checkpoint. */
  copy(): Promise<CheckpointConfig> {
    if (!this.#tuple) throw new InvalidUpdateError("Cannot copy a non-existent checkpoint");
    const { checkpoint_id: _, ...before } = this.#place.configurable;
    const beside = this.#tuple.parentConfig ?? { ...this.#place, configurable: before };
    return this.put("fork", undefined, beside);
  }

  /** Drops the open step's tasks. */
  clear(): Promise<CheckpointConfig> {
    const thread = this.#thread;
    thread.applyCallers();
    thread.peek();
    thread.restore();
    thread.apply(thread.tasks, "task");
    return this.put("update");
  }

  /** Gives an input as a caller does. */
  input(values: Record<string, unknown>): Promise<CheckpointConfig> {
    const { spec } = this.#graph;
    const { at } = this.#thread;
    const { values: taken } = spec.taken(values);
    at.held.set(spec.plan.start, taken);
    at.others["__input__"] ??= {};
    at.plan.apply([{ writes: [spec.plan.start] }]);
    return this.put("input", this.#tuple ? undefined : -1);
  }

  /** Writes as nodes do. */
  async write(updates: readonly StateUpdate[]): Promise<CheckpointConfig> {
    const [thread, tuple] = [this.#thread, this.#tuple];
    // At the head, the open step's finished tasks count.
    const went = !this.#isNamed && thread.applyFinished(updates.map((update) => update.asNode));
    const ran =
      went || Object.values(tuple?.checkpoint.versions_seen ?? {}).some((seen) => Object.keys(seen).length > 0);
    const tasks = updates.map((update, at) => writer(this.#graph, thread, ran, update, updates.length, at));
    for (const [at, task] of tasks.entries()) await task.answer(updates[at]?.values);
    if (tuple) {
      for (const [at, task] of tasks.entries()) {
        const taskId = updates[at]?.taskId ?? uuid5(INTERRUPT, tuple.checkpoint.id);
        await this.#saver.putWrites(tuple.config, task.writes.entries(), taskId);
      }
    }
    thread.apply(tasks, "node");
    return this.put("update");
  }
}

type CopyUpdates = readonly (readonly [values: unknown, asNode: string])[];

const isCopyWithUpdates = (values: unknown): values is CopyUpdates =>
  Array.isArray(values) && values.length > 0 && values.every((one) => Array.isArray(one) && one.length === 2);

/** Writes to a copied checkpoint as if its tasks had, the n-th update of a node as its n-th task. */
async function updateCopy(root: AnyGraph, copy: CheckpointConfig, updates: CopyUpdates) {
  const { tasks } = await stateSnapshot(root, copy, undefined);
  const left = [...tasks];
  const list = updates.map(([values, asNode]) => {
    const at = left.findIndex(({ name }) => name === asNode);
    return { values, asNode, taskId: at < 0 ? undefined : left.splice(at, 1)[0]?.id };
  });
  return updateState(root, copy, list);
}

/** A task that writes as a node. */
function writer(
  graph: AnyGraph,
  thread: OpenedThread,
  ran: boolean,
  { asNode }: StateUpdate,
  of: number,
  at: number,
): ThreadTask {
  const { numbers, start } = graph.spec;
  let node = numbers.get(asNode as string);
  if (asNode === undefined) {
    if (of > 1) throw new InvalidUpdateError('"asNode" is required when applying multiple updates');
    node = ran ? thread.at.plan.lastNode() : start;
    if (node < 0) throw new InvalidUpdateError('Ambiguous update, specify "asNode"');
  }
  if (node === undefined) throw new InvalidUpdateError(`Node "${asNode}" does not exist`);
  return new ThreadTask(thread, { node, send: -1, trigger: -1 }, at);
}

/** The versions that a checkpoint has and the one before it had not. */
function newer(versions: ChannelVersions, tuple: CheckpointTuple | undefined): ChannelVersions {
  const before = tuple?.checkpoint.channel_versions ?? {};
  return Object.fromEntries(Object.entries(versions).filter(([name, version]) => before[name] !== version));
}
