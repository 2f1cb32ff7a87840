// The smallest scenario that still fails: turns, nodes, acts and writes are left out as long as it does.
import type { Act, NodeSpec, Scenario } from "./specs.js";

type Fails = (scenario: Scenario) => Promise<boolean>;

export async function shrunk(scenario: Scenario, fails: Fails, attempts = 250): Promise<Scenario> {
  let best = scenario;
  let left = attempts;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const smaller of candidates(best)) {
      if (left-- <= 0) break;
      if (!(await fails(smaller))) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function* candidates(of: Scenario): Generator<Scenario> {
  for (let at = of.turns.length - 1; at >= 0 && of.turns.length > 1; at--)
    yield { ...of, turns: of.turns.toSpliced(at, 1) };
  for (const { name } of of.nodes) if (of.nodes.length > 1) yield without(of, name);
  for (const field of of.fields) if (field !== "messages") yield withoutField(of, field);
  for (const [at, turn] of of.turns.entries()) {
    if (turn.fault.kind !== "none") yield { ...of, turns: of.turns.with(at, { ...turn, fault: { kind: "none" } }) };
    if (turn.writes.length > 0) yield { ...of, turns: of.turns.with(at, { ...turn, writes: [] }) };
    if (turn.isReloaded) yield { ...of, turns: of.turns.with(at, { ...turn, isReloaded: false }) };
    if (!turn.settles) yield { ...of, turns: of.turns.with(at, { ...turn, settles: true }) };
    if (turn.limit < 25) yield { ...of, turns: of.turns.with(at, { ...turn, limit: 25 }) };
  }
  if (of.start.length > 1) for (const at of of.start.keys()) yield { ...of, start: of.start.toSpliced(at, 1) };
  if (of.before.length + of.after.length > 0) yield { ...of, before: [], after: [] };
  if (of.unknown?.length !== 0) yield { ...of, unknown: [] };
  if (of.clockIds) yield { ...of, clockIds: false };
  for (const [at, node] of of.nodes.entries())
    for (const smaller of smallerNodes(node)) yield { ...of, nodes: of.nodes.with(at, smaller) };
}

function* smallerNodes(node: NodeSpec): Generator<NodeSpec> {
  if (node.inside) {
    const { inside, ...plain } = node;
    yield plain;
    for (const at of inside.keys()) if (inside.length > 1) yield { ...node, inside: inside.toSpliced(at, 1) };
    for (const [at, one] of inside.entries())
      for (const smaller of smallerNodes(one)) yield { ...node, inside: inside.with(at, smaller) };
  }
  if (node.cached) yield { ...node, cached: false };
  for (const at of node.to.keys()) yield { ...node, to: node.to.toSpliced(at, 1) };
  for (const at of node.sends.keys()) yield { ...node, sends: node.sends.toSpliced(at, 1) };
  for (const at of node.acts.keys()) if (node.acts.length > 1) yield { ...node, acts: node.acts.toSpliced(at, 1) };
  for (const [at, act] of node.acts.entries())
    for (const smaller of smallerActs(act)) yield { ...node, acts: node.acts.with(at, smaller) };
}

function* smallerActs(act: Act): Generator<Act> {
  if (act.kind !== "nothing") yield { ...act, kind: "nothing", writes: [], more: [], to: [] };
  if (act.kind !== "update" && act.kind !== "nothing") yield { ...act, kind: "update", more: [], to: [] };
  for (const at of act.more.keys()) yield { ...act, more: act.more.toSpliced(at, 1) };
  for (const at of act.to.keys()) yield { ...act, to: act.to.toSpliced(at, 1) };
  for (const [at, write] of act.writes.entries()) {
    yield { ...act, writes: act.writes.toSpliced(at, 1) };
    if (write.overwrite) yield { ...act, writes: act.writes.with(at, { ...write, overwrite: false }) };
    if (write.field !== "messages") continue;
    for (const one of write.messages.keys())
      if (write.messages.length > 1)
        yield { ...act, writes: act.writes.with(at, { ...write, messages: write.messages.toSpliced(one, 1) }) };
  }
  if (act.wait > 0) yield { ...act, wait: 0 };
}

function without(of: Scenario, name: string): Scenario {
  const others = (names: readonly string[]) => names.filter((other) => other.replace(">", "") !== name);
  const acts = (list: readonly Act[]) => list.map((act) => ({ ...act, to: others(act.to) }));
  const nodes = of.nodes
    .filter((node) => node.name !== name)
    .map((node) => ({
      ...node,
      to: others(node.to),
      sends: others(node.sends),
      acts: acts(node.acts),
      ...(node.inside && { inside: node.inside.map((one) => ({ ...one, acts: acts(one.acts) })) }),
    }));
  const start = others(of.start);
  const first = nodes[0]?.name as string;
  return {
    ...of,
    nodes,
    start: start.length > 0 ? start : [first],
    before: others(of.before),
    after: others(of.after),
  };
}

function withoutField(of: Scenario, name: string): Scenario {
  const kept = <T extends { field: string }>(writes: readonly T[]) => writes.filter(({ field }) => field !== name);
  const acts = (list: readonly Act[]) =>
    list.map((act) => ({ ...act, writes: kept(act.writes), more: act.more.map(kept) }));
  const nodes = of.nodes.map((node) => ({
    ...node,
    acts: acts(node.acts),
    ...(node.inside && { inside: node.inside.map((one) => ({ ...one, acts: acts(one.acts) })) }),
  }));
  return {
    ...of,
    nodes,
    fields: of.fields.filter((field) => field !== name),
    unknown: of.unknown?.filter((field) => field !== name),
    turns: of.turns.map((turn) => ({ ...turn, writes: kept(turn.writes) })),
  };
}
