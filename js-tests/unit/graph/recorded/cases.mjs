// Random graphs and what is done with them: what record.mjs and subjects/graphs.py ask langgraph, and what the native test
// (tests/graph_recorded.rs) asks the planner. A case is small JSON:
// - `n`: names of nodes, in order of insertion; a node is its index, START is -1, END is -2
// - `d`: deferred nodes; `e`: edges `[from, to]`; `j`: list edges `[[from, …], to]`
// - `b`: conditional edges `[from, options]`: the option at (length of the log) modulo their number
// - `x`: for each node what it does: `g` (options, as gotos of a Command), `u: 0` (no update), `f` (how often it fails),
//   `i` (how often it interrupts)
// - `B`, `A`: interrupt_before, interrupt_after
// - `o`: what is done: `["in", limit]`, `["go", limit, k]` (None, or answers to every k-th interrupt),
//   `["goto", limit, options]`, `["update", node]`
// An option is a list of nodes and of Sends `[node]`. A node's size is the length of its state's log, or what the Send says;
// from 30 on it goes nowhere, so that everything ends.

/** A generator of numbers below 1, the same for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "B", "ab", "_z", "a0", "é"];

export function draw(seed) {
  const next = random(seed);
  const below = (n) => Math.floor(next() * n);
  const chance = (p) => next() < p;
  const some = (list, p) => list.filter(() => chance(p));
  const shuffled = (list) => {
    const all = [...list];
    for (let at = all.length - 1; at > 0; at--) {
      const other = below(at + 1);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  };
  const size = 2 + below(6);
  const nodes = Array.from({ length: size }, (_, at) => at);
  const one = () => below(size);
  const option = () =>
    Array.from({ length: below(3) + (chance(0.1) ? 1 : 0) }, () => (chance(0.15) ? -2 : chance(0.3) ? [one()] : one()));
  const options = () => Array.from({ length: 1 + below(3) }, option);
  const graph = {
    n: shuffled(NAMES).slice(0, size),
    d: chance(0.4) ? some(nodes, 0.3) : [],
    e: [],
    j: [],
    b: [],
    x: [],
  };
  const edges = new Set();
  const edge = (from, to) => {
    if (!edges.has(`${from} ${to}`)) graph.e.push([from, to]);
    edges.add(`${from} ${to}`);
  };
  edge(-1, one());
  if (chance(0.5)) edge(-1, one());
  // Mostly forwards, so that most graphs end.
  for (const from of nodes) {
    for (let count = below(3); count > 0; count--) {
      if (chance(0.1)) edge(from, -2);
      else if (from + 1 < size && chance(0.9)) edge(from, from + 1 + below(size - from - 1));
      else if (chance(0.3)) edge(from, one());
    }
  }
  for (let count = chance(0.6) ? 1 + below(2) : 0; count > 0; count--) {
    const from = shuffled(nodes).slice(0, 1 + below(3));
    const to = one();
    if (!graph.j.some(([other, target]) => target === to && String(other) === String(from))) graph.j.push([from, to]);
  }
  if (chance(0.15)) graph.b.push([-1, options()]);
  for (const from of nodes) if (chance(0.25)) graph.b.push([from, options()]);
  for (const _ of nodes) {
    const does = {};
    if (chance(0.2)) does.g = options();
    if (chance(0.1)) does.u = 0;
    if (chance(0.12)) does.f = 1 + below(2);
    if (chance(0.12)) does.i = 1 + below(2);
    graph.x.push(does);
  }
  if (chance(0.12)) graph.B = chance(0.3) ? "*" : some(nodes, 0.4);
  if (chance(0.12)) graph.A = chance(0.3) ? "*" : some(nodes, 0.4);
  const limit = () => (chance(0.2) ? 1 + below(5) : 6 + below(9));
  graph.o = [["in", limit()]];
  for (let count = below(5); count > 0; count--) {
    const draws = next();
    if (draws < 0.55) graph.o.push(["go", limit(), 1 + below(2)]);
    else if (draws < 0.75) graph.o.push(["in", limit()]);
    else if (draws < 0.88) graph.o.push(["goto", limit(), [one(), ...(chance(0.3) ? [[one()]] : [])]]);
    else graph.o.push(["update", one()]);
  }
  return graph;
}

/** What a case's channels are called, in the planner's order. */
export const channelNames = ({ n, j }) => [
  "log",
  "__start__",
  "__pregel_tasks",
  ...n.map((name) => `branch:to:${name}`),
  ...j.map(([from, to]) => `join:${from.map((node) => n[node]).join("+")}:${n[to]}`),
];
