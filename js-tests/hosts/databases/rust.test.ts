// Threads that Rust, npm's threadfold and langgraph.js leave to one another, in SQLite and Postgres.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command as TheirCommand } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { Command } from "threadfold/graph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runs } from "../../support/seed.js";
import { hasPostgres, type Postgres, startPostgres } from "./stores.js";
import { type Any, deltaGraph, draw, graphOf, ONE, type Spec } from "./rust-graphs.js";
import { type RustCall, RustHost } from "./rust-host.js";

type Runtime = "rust" | "ours" | "theirs";

/** A database that a thread is in. */
interface Place {
  readonly saver: Any;
  readonly rust: { readonly database: string; readonly schema?: string };
}

const config = { configurable: { thread_id: "1" } };
const PAIRS: [Runtime, Runtime][] = (["rust", "ours", "theirs"] as const).flatMap((first) =>
  (["rust", "ours", "theirs"] as const).map((second): [Runtime, Runtime] => [first, second]),
);

let folder: string;
let host: RustHost;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-rust-"));
  host = new RustHost();
});
afterAll(() => {
  host.stop();
  rmSync(folder, { recursive: true, force: true });
});

let databases = 0;
async function inSqlite<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const database = join(folder, `${databases++}.sqlite`);
  const saver = SqliteSaver.fromConnString(database);
  try {
    return await use({ saver, rust: { database } });
  } finally {
    saver.db.close();
  }
}

/** Values as JSON has them; messages by what they say. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const { getType, id, content, type, ...rest } = value as Any;
  if (typeof getType === "function") return { type: getType.call(value), id, content };
  if (id !== undefined && content !== undefined) return { type, id, content };
  const { lc_kwargs: _, ...all } = { ...rest, ...(id !== undefined && { id }), ...(type !== undefined && { type }) };
  return Object.fromEntries(Object.entries(all).map(([key, one]) => [key, plain(one)]));
}

/** The Sends of a checkpoint: langgraph.js has them in one form, threadfold in another that it reads, too. */
const sends = (value: Any): unknown => (Array.isArray(value?.[1]) ? value[1] : (value ?? []));

/** A thread's checkpoints, newest first, without their ids and times. */
async function history(saver: Any): Promise<unknown[]> {
  const all = [];
  for await (const { checkpoint, metadata } of saver.list(config)) {
    const { channel_values, channel_versions: versions, versions_seen: seen, v } = checkpoint;
    const values = { ...channel_values, __pregel_tasks: sends(channel_values.__pregel_tasks) };
    all.push({ v, source: metadata.source, step: metadata.step, values: plain(values), versions, seen });
  }
  return all;
}

interface Played {
  readonly history: unknown[];
  readonly next: readonly string[];
  readonly turns: number;
}

/** Runs a graph to its end, in turns. */
async function play(spec: Spec, way: readonly Runtime[], { saver, rust }: Place): Promise<Played> {
  const look = graphOf("ours", spec, saver, { fails: false });
  for (let turn = 0; turn < 80; turn++) {
    const state = turn > 0 ? await look.getState(config) : undefined;
    const asked = (state?.tasks ?? []).flatMap(({ interrupts }: Any) => interrupts);
    if (state !== undefined && state.next.length === 0)
      return { history: await history(saver), next: state.next, turns: turn };
    const runtime = way[turn % way.length] as Runtime;
    const input = turn === 0 ? { log: ["in"], messages: [{ type: "human", id: "q", content: "Hi" }] } : undefined;
    const answers = asked.map(({ id }: Any) => [id, turn]);
    const fails = turn % 4 === 1;
    if (runtime === "rust") {
      const { error } = await host.call({ ...rust, thread: "1", spec, input, answers, fails });
      if (error !== undefined && !error.endsWith("not yet")) throw new Error(error);
    } else {
      const graph = graphOf(runtime, spec, saver, { fails });
      const Answers: Any = runtime === "ours" ? Command : TheirCommand;
      const resume = answers.length > 0 ? new Answers({ resume: Object.fromEntries(answers) }) : null;
      try {
        await graph.invoke(input ?? resume, config);
      } catch (error) {
        if ((error as Error).message !== "not yet") throw error;
      }
    }
    // langgraph.js's ids do not sort after another program's of the same millisecond.
    await new Promise((resolve) => void setTimeout(resolve, 2));
  }
  throw new Error("It does not end.");
}

type Within = <T>(use: (place: Place) => Promise<T>) => Promise<T>;

/** Hands so many random graphs over, and compares each checkpoint with that of a thread that stayed with npm's. */
async function handedOver(within: Within, graphs: number, pairs: readonly (readonly [Runtime, Runtime])[]) {
  let checkpoints = 0;
  for (let seed = 1; seed <= graphs; seed++) {
    const spec = draw(seed);
    const expected = await within((place) => play(spec, ["ours"], place));
    for (const way of pairs) {
      const came = await within((place) => play(spec, way, place));
      expect({ seed, way, ...came }).toEqual({ seed, way, ...expected });
      checkpoints += came.history.length;
    }
  }
  console.log(`${graphs} graphs in ${pairs.length} ways: ${checkpoints} checkpoints, no difference`);
}

/** A branch that Rust begins at an older checkpoint has its own values, and leaves the other's; then Rust lists its threads and deletes one. */
async function forked({ saver, rust }: Place): Promise<void> {
  const at = (id: string) => ({ configurable: { thread_id: "1", checkpoint_id: id } });
  const graph = graphOf("ours", ONE, saver, { fails: false });
  const first = await host.call({ ...rust, thread: "1", spec: ONE, input: { log: ["first"] } });
  const [, past] = first.ids;
  const second = await host.call({ ...rust, thread: "1", spec: ONE, input: { log: ["second"] }, at: past });
  expect(second.state.log).toEqual(["first", "second", "a"]);
  expect((await graph.getState(config)).values.log).toEqual(second.state.log);
  expect((await graph.getState(at(first.checkpoint))).values.log).toEqual(["first", "a"]);
  const third = await host.call({ ...rust, thread: "1", spec: ONE, input: { log: ["third"] } });
  expect(third.state.log).toEqual(["first", "second", "a", "third", "a"]);
  expect(third.ids).toHaveLength(9);
  for (const thread of ["2", "1|a:2:0"]) await host.call({ ...rust, thread, spec: ONE, input: { log: ["other"] } });
  const listed = async () => (await host.call({ ...rust, thread: "", spec: ONE, lists: true })).threads;
  expect(await listed()).toEqual(["2", "1"]);
  const { ids } = await host.call({ ...rust, thread: "1", spec: ONE, deletes: true });
  expect(await listed()).toEqual(["2"]);
  expect([ids, await saver.getTuple(config)]).toEqual([[], undefined]);
}

/** One node appends to the log while the other asks. */
const ASKS: Spec = {
  ...ONE,
  nodes: [...ONE.nodes, ...ONE.nodes.map((node) => ({ ...node, name: "b", asks: true }))],
  edges: [
    ["__start__", "a"],
    ["__start__", "b"],
  ],
};

/**
 * Writes that another input drops, and branches before them. Returns the state after each call.
 *
 * @param deltas - The option of the calls, in turn.
 */
async function dropped(rust: Place["rust"], deltas: readonly (number | undefined)[]): Promise<Any[]> {
  const looks: Any[] = [];
  const call = async (more: Partial<RustCall>): Promise<Any> => {
    const delta = deltas[looks.length % deltas.length];
    const came = await host.call({ ...rust, thread: "1", spec: ASKS, ...more, ...(delta && { delta }) });
    looks.push([came.error, came.state, came.next, came.interrupts?.map(({ value }: Any) => value)]);
    return came;
  };
  const answersTo = ({ interrupts }: Any) => interrupts.map(({ id }: Any) => [id, "yes"]);
  await call({ answers: answersTo(await call({ input: { log: ["1"] } })) });
  const left = await call({ input: { log: ["2"] } });
  const asked = await call({ input: { log: ["3"] } });
  await call({ answers: answersTo(asked) });
  const at = left.checkpoint;
  await call({ at });
  await call({ at, input: { log: ["4"] } });
  await call({ at, answers: answersTo(left) });
  await call({});
  await call({ input: { log: ["5"] } });
  return looks;
}

describe("through SQLite", () => {
  test("random graphs, handed over", () => handedOver(inSqlite, runs(200), PAIRS), 1_800_000);

  test("a fork, and a deletion", () => inSqlite(forked));

  test.each(PAIRS)("a list that is kept as deltas, by %s and %s", (...way) =>
    inSqlite(async ({ saver, rust }) => {
      const log: string[] = [];
      for (let turn = 0; turn < 8; turn++) {
        const runtime = way[turn % 2] as Runtime;
        const input = { log: [`turn ${turn}`] };
        if (runtime === "rust") await host.call({ ...rust, thread: "1", spec: ONE, input, delta: 3 });
        else await deltaGraph(runtime, saver).invoke(input, config);
        log.push(`turn ${turn}`, "a");
        expect((await deltaGraph("ours", saver).getState(config)).values).toEqual({ log, sum: turn + 1 });
      }
      const kept = [];
      for await (const { checkpoint } of saver.list(config)) kept.push("log" in checkpoint.channel_values);
      expect(kept).toContain(true);
      expect(kept).toContain(false);
    }),
  );
});

describe.skipIf(!hasPostgres)("through Postgres", () => {
  let postgres: Postgres;
  let schemas = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.stop(), 60_000);

  const inPostgres: Within = async (use) => {
    const schema = `rust_${schemas++}`;
    const saver = PostgresSaver.fromConnString(postgres.url, { schema });
    await saver.setup();
    try {
      return await use({ saver, rust: { database: postgres.url, schema } });
    } finally {
      await saver.end();
    }
  };

  // A quarter: the conversion is that of SQLite.
  test("random graphs, handed over", () => {
    const pairs = PAIRS.filter((pair) => pair.includes("rust"));
    return handedOver(inPostgres, Math.ceil(runs(200) / 4), pairs);
  }, 1_800_000);

  test("a fork, and a deletion", () => inPostgres(forked));

  test("a list that is kept as deltas, through dropped writes, forks and a change of the option", async () => {
    const [whole, ...changed] = [
      await inSqlite(({ rust }) => dropped(rust, [undefined])),
      await inPostgres(({ rust }) => dropped(rust, [100])),
      await inPostgres(({ rust }) => dropped(rust, [100, undefined])),
    ];
    for (const looks of changed) expect(looks).toEqual(whole);
  });
});
