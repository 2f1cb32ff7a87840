// LangGraph's checkpoints (format 4): what a run is made of, written and read.
import type { PastTuple } from "../../checkpoint/langgraph-saver.js";
import type { ChannelVersions, Checkpoint } from "../../checkpoint/types.js";
import { type Send, START, TASKS, toSend } from "../build/command.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { INTERRUPT } from "../build/interrupt.js";
import type { PlanState } from "../planner/plan-types.js";
import type { Values } from "../types.js";

/** A checkpoint, in the form that a run continues from. */
export interface Restored {
  readonly plan: PlanState;
  readonly state: Values;
  readonly sends: readonly Send[];
  /** The values of `__start__` and of branches, by channel. */
  readonly held: Map<number, unknown>;
  /** The entries of `versions_seen` for nodes that the graph lacks, and which of them are only named. */
  readonly others: Record<string, ChannelVersions>;
}

/** The contents of a checkpoint. */
export interface Snapshot extends Restored {
  readonly id: string;
}

const toVersion = (version: unknown): number => (typeof version === "number" ? version : parseInt(String(version), 10));

/** Reads a checkpoint. */
export function restored(spec: GraphSpec, { checkpoint, metadata, highest = 0 }: PastTuple): Restored {
  const { plan, fields } = spec;
  const values = checkpoint.channel_values;
  const has = (name: string) => Object.hasOwn(values, name) && values[name] !== undefined;
  const state: Record<string, unknown> = { ...fields.initial() };
  for (const key of fields.keys) if (has(key)) state[key] = values[key];
  const held = new Map<number, unknown>();
  const finished: number[] = [];
  const heldChannels: number[] = [];
  const hold = (channel: number, value: unknown) => {
    held.set(channel, value);
    heldChannels.push(channel);
  };
  for (const channel of fields.ephemeral) if (has(fields.keys[channel] as string)) heldChannels.push(channel);
  if (has(START)) hold(plan.start, values[START]);
  for (const node of spec.nodes) {
    const channel = plan.branch(node.number);
    const name = spec.channels[channel] as string;
    if (node.number === spec.start || !has(name)) continue;
    const value = values[name];
    if (!node.options.defer) hold(channel, value);
    else if (Array.isArray(value)) {
      hold(channel, value[0]);
      if (value[1]) finished.push(channel);
    }
  }
  const joins = spec.joins.map(({ to }, at) => {
    const channel = plan.join(at);
    const value = values[spec.channels[channel] as string];
    if (!Array.isArray(value)) return [];
    const deferred = spec.nodes[to]?.options.defer;
    if (deferred && value[1]) finished.push(channel);
    return ((deferred ? value[0] : value) as string[]).map((name) => spec.numbers.get(name) ?? -1);
  });
  const topic = values[TASKS];
  const packets = (Array.isArray(topic) ? (Array.isArray(topic[1]) ? topic[1] : topic) : []) as unknown[];
  const sends = packets.flatMap((packet) => toSend(packet) ?? []);
  const { versions, floor, seen, breakpoints, others } = restoredVersions(spec, checkpoint, highest);
  return {
    plan: {
      step: metadata?.step ?? -2,
      versions,
      seen,
      breakpoints,
      ...(floor > 0 && { floor }),
      held: heldChannels,
      finished,
      joins: joins.map((nodes) => nodes.filter((node) => node >= 0)),
      sends: sends.map(({ node }) => spec.numbers.get(node) ?? -1),
    },
    state,
    sends,
    held,
    others,
  };
}

/** Reads the versions of channels, and those that nodes and breakpoints have seen. `highest`: of any checkpoint before. */
function restoredVersions(
  spec: GraphSpec,
  checkpoint: Checkpoint,
  highest: number,
): Pick<PlanState, "versions" | "seen" | "breakpoints"> & Pick<Restored, "others"> & { floor: number } {
  const versions = spec.channels.map((name) => toVersion(checkpoint.channel_versions[name] ?? 0));
  let floor = Math.max(...versions) < highest ? highest : 0;
  for (const [name, version] of Object.entries(checkpoint.channel_versions))
    if (!spec.channelNumbers.has(name)) floor = Math.max(floor, toVersion(version));
  const seen = spec.channels.map(() => 0);
  const breakpoints = spec.channels.map(() => 0);
  const others: Record<string, ChannelVersions> = {};
  for (const [node, marks] of Object.entries(checkpoint.versions_seen)) {
    const into = node === INTERRUPT ? breakpoints : spec.numbers.has(node) ? seen : undefined;
    const rest: ChannelVersions = {};
    for (const [name, version] of Object.entries(marks)) {
      const channel = spec.channelNumbers.get(name);
      if (into && channel !== undefined) into[channel] = toVersion(version);
      else rest[name] = version;
    }
    others[node] = rest;
  }
  return { versions, floor, seen, breakpoints, others };
}

/** Writes a checkpoint. */
export function checkpointOf(
  spec: GraphSpec,
  { plan, state, sends, held, others, id }: Snapshot,
  seen: Seen = seenOf(spec, plan, others),
): Checkpoint {
  const { fields, channels } = spec;
  const values: Record<string, unknown> = {};
  for (const key of fields.keys) if (key in state && !fields.untracked.includes(key)) values[key] = state[key];
  const deferred = (node: number) => spec.nodes[node]?.options.defer;
  for (const channel of plan.held) {
    if (channel < spec.plan.start) continue;
    const node = channel - spec.plan.branch(0);
    const value = held.get(channel) ?? null;
    values[channels[channel] as string] =
      channel > spec.plan.sends && deferred(node) ? [value, plan.finished.includes(channel)] : value;
  }
  values[TASKS] = [[], sends];
  for (const [at, { to }] of spec.joins.entries()) {
    const channel = spec.plan.join(at);
    const names = (plan.joins[at] ?? []).map((node) => spec.nodes[node]?.name);
    values[channels[channel] as string] = deferred(to) ? [names, plan.finished.includes(channel)] : names;
  }
  return {
    v: 4,
    id,
    ts: new Date().toISOString(),
    channel_values: values,
    channel_versions: versionsOf(spec, plan.versions),
    versions_seen: seen.all,
  };
}

function versionsOf(spec: GraphSpec, numbers: readonly number[]): ChannelVersions {
  const versions: ChannelVersions = {};
  for (let channel = 0; channel < numbers.length; channel++) {
    const version = numbers[channel] as number;
    if (version > 0) versions[spec.channels[channel] as string] = version;
  }
  return versions;
}

/** A checkpoint's versions seen, and the numbers that they stand for. */
export interface Seen {
  readonly plan: Pick<PlanState, "seen" | "breakpoints">;
  readonly all: Checkpoint["versions_seen"];
}

/** `last` is the previous checkpoint's. Unchanged entries are shared. */
export function seenOf(spec: GraphSpec, plan: PlanState, others: Record<string, ChannelVersions>, last?: Seen): Seen {
  const all = { ...last?.all };
  const own = new Set<string>();
  const of = (node: string): ChannelVersions => {
    if (!own.has(node)) all[node] = { ...(all[node] ?? others[node]) };
    own.add(node);
    return all[node] as ChannelVersions;
  };
  for (const node of Object.keys(others)) if (!Object.hasOwn(all, node)) of(node);
  const mark = (now: readonly number[], was: readonly number[] | undefined, node: (channel: number) => string) => {
    for (let channel = 0; channel < now.length; channel++) {
      const version = now[channel] as number;
      if (version > 0 && version !== was?.[channel]) of(node(channel))[spec.channels[channel] as string] = version;
    }
  };
  mark(plan.seen, last?.plan.seen, (channel) => nodeOf(spec, channel));
  mark(plan.breakpoints, last?.plan.breakpoints, () => INTERRUPT);
  return { plan, all };
}

/** The node that a channel triggers. */
function nodeOf(spec: GraphSpec, channel: number): string {
  const { plan, nodes, joins } = spec;
  if (channel === plan.start) return START;
  const node = channel >= plan.join(0) ? joins[channel - plan.join(0)]?.to : channel - plan.branch(0);
  return nodes[node as number]?.name as string;
}
