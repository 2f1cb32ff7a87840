// Writes to a thread as if nodes had.
import type { CheckpointConfig, CheckpointMetadata, CheckpointTuple, ChannelVersions } from "../../checkpoint/types.js";
import { END } from "../build/command.js";
import type { AnyGraph } from "../build/graph-spec.js";
import { InvalidUpdateError } from "../build/graph-errors.js";
import { uuid5 } from "../ids/ids.js";
import { INTERRUPT } from "../build/interrupt.js";
import { placeOf, withParents } from "./graph-place.js";
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
  const { graph, saver, config } = placeOf(root, asked);
  const tuple = await saver.getTuple(config);
  const { configurable = {} } = tuple?.config ?? config;
  const place = {
    ...config,
    configurable: { ...config.configurable, ...configurable, checkpoint_ns: configurable.checkpoint_ns ?? "" },
  };
  const thread = new OpenedThread(graph.spec, tuple, place.configurable.checkpoint_ns);
  const [{ values, asNode }] = updates as [StateUpdate];
  const isNothing = values === null || values === undefined;
  const alone = (what: string) => {
    if (updates.length > 1) throw new InvalidUpdateError(`Cannot ${what} with multiple updates`);
  };
  const put = async (source: CheckpointMetadata["source"], step: number, at: CheckpointConfig = place) => {
    const checkpoint = thread.checkpoint();
    const metadata = { source, step, parents: tuple?.metadata?.parents ?? {} };
    // A copy is not a child of its source, whose versions another branch may have, too.
    const fresh = source === "fork" ? checkpoint.channel_versions : newer(checkpoint.channel_versions, tuple);
    return withParents(await saver.put(at, checkpoint, metadata, fresh), tuple?.metadata?.parents);
  };
  try {
    if (asNode === "__copy__") {
      alone("copy a checkpoint");
      if (!tuple) throw new InvalidUpdateError("Cannot copy a non-existent checkpoint");
      const { checkpoint_id: _, ...before } = place.configurable;
      const copy = await put("fork", thread.at.stepNumber, tuple.parentConfig ?? { ...place, configurable: before });
      return await (isCopyWithUpdates(values) ? updateCopy(root, copy, values) : copy);
    }
    if (isNothing && asNode === undefined) {
      alone("create an empty checkpoint");
      return await put("update", thread.at.stepNumber);
    }
    if (isNothing && asNode === END) {
      alone("clear the state");
      thread.applyCallers();
      thread.peek();
      thread.restore();
      thread.apply(thread.tasks, "task");
      return await put("update", thread.at.stepNumber);
    }
    if (asNode === "__input__") {
      alone("give an input");
      if (isNothing) throw new InvalidUpdateError('Received no input writes for "__start__"');
      const { values: taken } = graph.spec.taken(values as Record<string, unknown>);
      thread.at.held.set(graph.spec.plan.start, taken);
      thread.at.others["__input__"] ??= {};
      thread.at.plan.apply([{ writes: [graph.spec.plan.start] }]);
      return await put("input", tuple ? thread.at.stepNumber : -1);
    }
    // At the head, the open step's finished tasks count. After a checkpoint that the caller names, everything runs
    // again.
    const went =
      config.configurable?.checkpoint_id === undefined && thread.applyFinished(updates.map((update) => update.asNode));
    const ran =
      went || Object.values(tuple?.checkpoint.versions_seen ?? {}).some((seen) => Object.keys(seen).length > 0);
    const tasks = updates.map((update, at) => writer(graph, thread, ran, update, updates.length, at));
    for (const [at, task] of tasks.entries()) await task.answer(updates[at]?.values);
    if (tuple) {
      for (const [at, task] of tasks.entries())
        await saver.putWrites(
          tuple.config,
          task.writes.entries(),
          updates[at]?.taskId ?? uuid5(INTERRUPT, tuple.checkpoint.id),
        );
    }
    thread.apply(tasks, "node");
    return await put("update", thread.at.stepNumber);
  } finally {
    thread.at.plan.free();
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
