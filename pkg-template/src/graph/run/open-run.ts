// Opens the thread of a run: finds the checkpoint to continue from, and restores its state.
import type { CheckpointTuple } from "../../checkpoint/types.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { GraphSpec } from "../build/graph-spec.js";
import type { PlanState } from "../planner/plan-types.js";
import type { StopAt } from "../given/run-config.js";
import { restored } from "../saved/checkpoint-format.js";
import type { CheckpointWriter } from "../saved/checkpoint-writer.js";
import type { RunParts } from "./run-parts.js";
import type { RunScope } from "./run-scope.js";
import { isWritten } from "./run-saves.js";

/** Returns a promise if the thread is saved. */
export function openRun(run: RunParts): Promise<void> | undefined {
  const { at, scope, saves } = run;
  if (saves.thread) return load(run, saves.thread);
  at.plan = scope.spec.plan.open(planOptions(scope));
  return undefined;
}

async function load({ at, scope, saves, travel }: RunParts, thread: CheckpointWriter): Promise<void> {
  const { spec } = scope;
  const { tuple, isHead, isSuperseded } = await find({ scope, travel }, thread);
  if (!tuple) {
    at.state = spec.fields.initial();
    at.plan = spec.plan.open(planOptions(scope));
    return;
  }
  const from = restored(spec, tuple);
  [at.state, at.sends, at.held, at.others] = [from.state, from.sends, from.held, from.others];
  at.pending = tuple.pendingWrites ?? [];
  saves.from(tuple, from);
  at.plan = spec.plan.open(planOptions(scope, from.plan));
  at.stepNumber = from.plan.step + 1;
  travel.isHead = isHead;
  travel.isSuperseded = isSuperseded ?? false;
}

interface Found {
  readonly tuple: CheckpointTuple | undefined;
  readonly isHead?: boolean;
  readonly isSuperseded?: boolean;
}

/** Finds the checkpoint to continue from: the one that the caller names, that time travel goes back to, or the newest. */
async function find({ scope, travel }: Pick<RunParts, "scope" | "travel">, thread: CheckpointWriter): Promise<Found> {
  const { saver } = thread;
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = scope.configurable as Record<string, never>;
  const named: string | undefined = scope.inside || checkpoint_ns ? undefined : checkpoint_id;
  const id = named ?? (checkpoint_map as Record<string, string> | undefined)?.[scope.ns];
  if (id !== undefined) {
    const tuple = await saver.getTuple(thread.config(id));
    const isSuperseded = (await saver.getTuple(thread.config()))?.checkpoint.id !== id;
    // A caller who names a checkpoint of a graph inside goes back, even to the newest.
    return { tuple, isHead: named !== undefined && !isSuperseded && !isWritten(tuple?.metadata), isSuperseded };
  }
  const replay = scope.inside && travel.replay;
  travel.isReplayed = replay !== undefined;
  const name = scope.ns.replace(/:[^:]*$/, "");
  if (!replay || replay.visited.has(name)) return { tuple: await saver.getTuple(thread.config()) };
  replay.visited.add(name);
  const before = { configurable: { checkpoint_id: replay.before } };
  for await (const tuple of saver.list(thread.config(), { before, limit: 1 })) return { tuple };
  return { tuple: undefined };
}

function planOptions(
  { spec, graph, config, recursionLimit }: RunScope,
  state?: PlanState,
): Parameters<GraphSpec["plan"]["open"]>[0] {
  const { options } = graph;
  return {
    recursionLimit,
    state,
    interruptBefore: nodesOf(spec, config.interruptBefore ?? options.interruptBefore),
    interruptAfter: nodesOf(spec, config.interruptAfter ?? options.interruptAfter),
  };
}

function nodesOf(spec: GraphSpec, names: StopAt | undefined): number[] | "*" | undefined {
  if (names === undefined || names === "*") return names;
  return names.map((name) => {
    const number = spec.numbers.get(name);
    if (number === undefined) throw new GraphValueError(`Interrupt node \`${name}\` is not present`);
    return number;
  });
}
