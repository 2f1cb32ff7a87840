// `node js-tests/unit/graph/recorded/record.mjs` asks langgraph.js about the cases and writes conformance/records/graphs-js.jsonl, one case
// a line; `--check` compares instead. The version is the one of package-lock.json.
//
// A line is `[case, answers]`; an answer is `[outcome, log, checkpoints]`: done, error, limit, interrupt, break (a breakpoint;
// or refused, if langgraph.js refuses what is done); what the log of the last checkpoint has more than before; and each new checkpoint as
// `[step, versions, seen]`, with its source behind unless it is "loop". `versions` has the changes since the checkpoint
// before, as `[version, channel, …]`; `seen` those of versions_seen, by the channel that triggers the node.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { channelNames, draw } from "./cases.mjs";

const CASES = 1_150;
const FILE = join(import.meta.dirname, "..", "..", "..", "peers", "conformance", "records", "graphs-js.jsonl");

const State = Annotation.Root({
  log: Annotation({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

/** From this size on a node goes nowhere. */
const LARGE = 30;

function compile(graph, checkpointer) {
  const name = (node) => (node === -1 ? START : node === -2 ? END : graph.n[node]);
  const targets = (options, size) =>
    size >= LARGE
      ? []
      : options[size % options.length].map((to) =>
          Array.isArray(to) ? new Send(name(to[0]), { k: 2 * size + 1 }) : name(to),
        );
  const starts = graph.n.map(() => 0);
  const builder = new StateGraph(State);
  graph.n.forEach((own, node) => {
    const { g, u = 1, f = 0, i = 0 } = graph.x[node];
    builder.addNode(
      own,
      async (state) => {
        const size = state.k ?? state.log.length;
        // Tasks of Sends do not: several of one node start at once.
        const fails = state.k === undefined && starts[node]++ < f;
        // Fails after the tasks beside it: those that have finished by then are saved. Waits in turns of the event loop,
        // whose order a busy machine does not change.
        for (let turns = fails ? 6 : i > 0 ? 3 : 0; turns > 0; turns--) await setImmediate();
        if (fails) throw new Error("failed");
        let said = state.k === undefined ? own : `${own}(${state.k})`;
        for (let count = 0; count < i; count++) said += `:${interrupt(count)}`;
        const update = u ? { log: [said] } : {};
        return g ? new Command({ update, goto: targets(g, size) }) : update;
      },
      { defer: graph.d.includes(node), ends: graph.n },
    );
  });
  for (const [from, to] of graph.e) builder.addEdge(name(from), name(to));
  for (const [from, to] of graph.j) builder.addEdge(from.map(name), name(to));
  // Several of one node need several functions.
  for (const [from, options] of graph.b)
    builder.addConditionalEdges(name(from), (state) => targets(options, state.log.length), [...graph.n, END]);
  const points = (nodes) => (nodes === "*" ? "*" : nodes?.map(name));
  return builder.compile({
    checkpointer,
    ...(graph.B && { interruptBefore: points(graph.B) }),
    ...(graph.A && { interruptAfter: points(graph.A) }),
  });
}

async function act(graph, compiled, config, [what, ...how], at) {
  const limited = { ...config, recursionLimit: how[0] };
  if (what === "update") return compiled.updateState(config, { log: [`u${at}`] }, graph.n[how[0]]);
  if (what === "in") return compiled.invoke({ log: [`in${at}`] }, limited);
  if (what === "goto") {
    const goto = how[1].map((to) => (Array.isArray(to) ? new Send(graph.n[to[0]], { k: 1 }) : graph.n[to]));
    return compiled.invoke(new Command({ goto }), limited);
  }
  const { tasks } = await compiled.getState(config);
  const asked = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  if (asked.length === 0) return compiled.invoke(null, limited);
  const chosen = asked.filter((_, index) => index % how[1] === 0);
  return compiled.invoke(new Command({ resume: Object.fromEntries(chosen.map((id) => [id, `r${at}`])) }), limited);
}

function outcome(error) {
  if (error.name === "GraphRecursionError") return "limit";
  return error.message === "failed" ? "error" : "refused";
}

/** The numbers of `now` that are others than in `before`: each with the places where it is. */
function changes(before, now) {
  const places = new Map();
  for (const [at, number] of now.entries()) {
    if (number !== before[at]) places.set(number, [...(places.get(number) ?? [number]), at]);
  }
  return [...places.values()].sort(([left], [right]) => left - right);
}

export async function record(graph) {
  const saver = new MemorySaver();
  const compiled = compile(graph, saver);
  const config = { configurable: { thread_id: "1" } };
  const names = channelNames(graph);
  const nodeOf = (channel) => (channel === "__start__" ? channel : channel.split(":")[2]);
  let [versions, seen, length] = [names.map(() => 0), names.map(() => 0), 0];
  const known = new Set();
  const answers = [];
  for (const [at, action] of graph.o.entries()) {
    let result = "done";
    try {
      const output = await act(graph, compiled, config, action, at);
      if (output?.__interrupt__?.length > 0) result = "interrupt";
      else if (action[0] !== "update" && (graph.A || graph.B) && (await compiled.getState(config)).next.length > 0)
        result = "break";
    } catch (error) {
      result = outcome(error);
      if (result === "refused") return [...answers, [result, error.message.split("\n")[0], []]];
    }
    const fresh = [];
    for await (const { checkpoint, metadata } of saver.list(config)) {
      if (!known.has(checkpoint.id)) fresh.unshift({ checkpoint, metadata });
      known.add(checkpoint.id);
    }
    const checkpoints = fresh.map(({ checkpoint, metadata }) => {
      const now = names.map((channel) => checkpoint.channel_versions[channel] ?? 0);
      const nowSeen = names.map((channel) => checkpoint.versions_seen[nodeOf(channel)]?.[channel] ?? 0);
      const row = [metadata.step, changes(versions, now), changes(seen, nowSeen)];
      if (metadata.source !== "loop") row.push(metadata.source);
      [versions, seen] = [now, nowSeen];
      return row;
    });
    const log = fresh.at(-1)?.checkpoint.channel_values.log ?? [];
    const more = fresh.length > 0 ? log.slice(length) : [];
    if (fresh.length > 0) length = log.length;
    answers.push([result, more, checkpoints]);
  }
  return answers;
}

export async function recordAll(count = CASES) {
  const lines = [];
  for (let seed = 1; seed <= count; seed++) {
    const graph = draw(seed);
    lines.push(JSON.stringify([graph, await record(graph)]));
  }
  return `${lines.join("\n")}\n`;
}

if (process.argv[1] === import.meta.filename) {
  process.removeAllListeners("warning");
  const text = await recordAll();
  if (!process.argv.includes("--check")) writeFileSync(FILE, text);
  else if (text !== readFileSync(FILE, "utf8")) {
    console.error("langgraph.js answers otherwise than recorded.");
    process.exitCode = 1;
  }
}
