// Where a thread stands, and where it stood.
import type {
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointTuple,
} from "../../checkpoint/types.js";
import type { AnyGraph } from "../build/graph-spec.js";
import { namedGraph, withParents } from "./named-graph.js";
import { OpenedThread } from "./opened-thread.js";
import { ERROR, isSpecial, savedTask, type TaskSnapshot } from "./saved-writes.js";
import { Pauses } from "../task/pauses.js";
import type { ThreadTask } from "./thread-task.js";
import { picked } from "../build/state-fields.js";

/** A join that some nodes have reached: it is kept, also over the run's end. */
export interface WaitingJoin {
  /** The node that runs when all have arrived. */
  readonly node: string;
  readonly arrived: readonly string[];
  readonly missing: readonly string[];
}

/** Where a thread stands. */
export interface StateSnapshot<State = Record<string, unknown>> {
  readonly values: State;
  /** The nodes that come next; empty when the run is at its end. */
  readonly next: readonly string[];
  readonly tasks: readonly TaskSnapshot[];
  /** The joins that wait for nodes that have not run. Not enumerable: a snapshot compares and serialises as langgraph.js's. */
  readonly waiting: readonly WaitingJoin[];
  readonly metadata?: (CheckpointMetadata & { thread_id?: string }) | undefined;
  /** Of this checkpoint: give it to `invoke`, `updateState` or `getState` to go back to it. */
  readonly config: CheckpointConfig;
  readonly createdAt?: string | undefined;
  readonly parentConfig?: CheckpointConfig | undefined;
}

export async function stateSnapshot(
  graph: AnyGraph,
  asked: CheckpointConfig,
  options: { subgraphs?: boolean } | undefined,
  around?: CheckpointSaver,
): Promise<StateSnapshot> {
  const { graph: of, saver, config } = namedGraph(graph, asked, around);
  const tuple = await saver.getTuple(config);
  if (!tuple) return withWaiting({ values: {}, next: [], tasks: [], config }, []);
  return snapshotOf(
    of,
    tuple,
    config.configurable?.checkpoint_id === undefined,
    options?.subgraphs ? saver : undefined,
  );
}

export async function* stateHistory(
  graph: AnyGraph,
  asked: CheckpointConfig,
  options: CheckpointListOptions | undefined,
): AsyncGenerator<StateSnapshot> {
  const { graph: of, saver, config } = namedGraph(graph, asked);
  const { checkpoint_ns = "" } = config.configurable ?? {};
  const place = { ...config, configurable: { ...config.configurable, checkpoint_ns } };
  const pauses = new Pauses();
  for await (const tuple of saver.list(place, options)) {
    yield await snapshotOf(of, tuple, false, undefined);
    await pauses.due();
  }
}

/** `whole`: with what unfinished steps have written. `inside`: also where graphs inside stand. */
async function snapshotOf(
  graph: AnyGraph,
  tuple: CheckpointTuple,
  whole: boolean,
  inside: CheckpointSaver | undefined,
): Promise<StateSnapshot> {
  const { spec } = graph;
  const { configurable = {} } = tuple.config;
  const thread = new OpenedThread(spec, tuple, configurable.checkpoint_ns ?? "");
  try {
    thread.peek();
    thread.applyCallers();
    const waiting = waitingJoins(graph, thread);
    let values = thread.at.state;
    if (whole) {
      thread.restore();
      const done = thread.tasks.filter(({ isDone }) => isDone);
      if (done.length > 0) values = thread.fold(done);
    }
    const tasks: TaskSnapshot[] = [];
    for (const task of thread.tasks) tasks.push(await taskSnapshot(task, thread, tuple, whole, inside));
    const { metadata } = tuple;
    const snapshot = {
      values: picked(values, spec.fields.keys),
      next: thread.tasks.filter(({ isDone }) => !isDone).map(({ place }) => place.name),
      tasks,
      metadata: metadata && configurable.thread_id ? { ...metadata, thread_id: configurable.thread_id } : metadata,
      config: withParents(tuple.config, metadata?.parents),
      createdAt: tuple.checkpoint.ts,
      parentConfig: tuple.parentConfig,
    };
    return withWaiting(snapshot, waiting);
  } finally {
    thread.at.plan.free();
  }
}

const withWaiting = (snapshot: Omit<StateSnapshot, "waiting">, waiting: readonly WaitingJoin[]): StateSnapshot =>
  Object.defineProperty(snapshot, "waiting", { value: waiting }) as StateSnapshot;

async function taskSnapshot(
  { place: task }: ThreadTask,
  thread: OpenedThread,
  tuple: CheckpointTuple,
  whole: boolean,
  inside: CheckpointSaver | undefined,
): Promise<TaskSnapshot> {
  const own = thread.saved(task);
  // Where the thread stands, a question that was answered is open no more; its history keeps it.
  const done = whole && own.some(([channel]) => !isSpecial(channel));
  const { inside: graph } = task.node;
  const { numbers } = thread.at.spec.fields;
  if (!graph || own.some(([channel]) => channel === ERROR)) return savedTask(task, own, numbers, { done });
  const place = { configurable: { thread_id: tuple.config.configurable?.thread_id, checkpoint_ns: task.ns } };
  const state = inside ? await stateSnapshot(graph, place, { subgraphs: true }, inside) : place;
  return savedTask(task, own, numbers, { state, done });
}

function waitingJoins({ spec }: AnyGraph, thread: OpenedThread): WaitingJoin[] {
  const name = (node: number) => spec.nodes[node]?.name as string;
  return thread.at.plan.state().joins.flatMap((nodes, at) => {
    const { from, to } = spec.joins[at] as (typeof spec.joins)[number];
    if (nodes.length === 0 || nodes.length === from.length) return [];
    const missing = from.filter((node) => !nodes.includes(node));
    return [{ node: name(to), arrived: nodes.map(name), missing: missing.map(name) }];
  });
}
