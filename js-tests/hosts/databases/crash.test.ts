// A process that dies at any await, and a run that continues: nothing that nodes did is lost or saved twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";

const NODES = ["a", "b", "join", "work 1", "work 2", "end"];
/** By the order of names and of Sends, whichever was done first. */
const LOG = ["in", ...NODES];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-crash-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the graph in a process of its own; undefined if it died, else how many awaits there were. */
async function run(name: string, durability: string, dieAt: number): Promise<number | undefined> {
  const script = join(import.meta.dirname, "crash-graph.mjs");
  const child = spawn(process.execPath, [script, `${name}.sqlite`, `${name}.effects`, durability, String(dieAt)]);
  let [out, complaints] = ["", ""];
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (complaints += data));
  const [code, signal] = await once(child, "close");
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`The run ended with ${code}: ${complaints}`);
  return signal ? undefined : Number(out);
}

/** Returns the nodes that have run, in order. */
function ranSoFar(name: string): string[] {
  try {
    return readFileSync(`${name}.effects`, "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
}

/** The nodes whose work is saved: in the state, or among the writes of a step that is not done. */
async function saved(name: string): Promise<string[]> {
  const saver = SqliteSaver.fromConnString(`${name}.sqlite`);
  const tuple = await saver.getTuple({ configurable: { thread_id: "1" } });
  saver.db.close();
  const log = (tuple?.checkpoint.channel_values["log"] ?? []) as string[];
  const writes = (tuple?.pendingWrites ?? []).filter(([, channel]) => channel === "log");
  return [...log, ...writes.flatMap(([, , value]) => value as string[])].filter((one) => NODES.includes(one));
}

/** Dies at this await, and again at another, and continues. */
async function dieAndGoOn(durability: string, dieAt: number, again: number): Promise<string[]> {
  const name = join(folder, `${durability}-${dieAt}`);
  const problems: string[] = [];
  for (const at of [dieAt, again, 0]) {
    const [before, ran] = [await saved(name), ranSoFar(name).length];
    await run(name, durability, at);
    const twice = ranSoFar(name)
      .slice(ran)
      .filter((one) => before.includes(one));
    if (twice.length > 0) problems.push(`${twice} ran again though saved`);
  }
  const saver = SqliteSaver.fromConnString(`${name}.sqlite`);
  const ended = await saver.get({ configurable: { thread_id: "1" } });
  const { log, messages } = (ended?.channel_values ?? {}) as Record<string, unknown[] | undefined>;
  saver.db.close();
  const ids = ((messages ?? []) as { id: string }[]).map(({ id }) => id);
  if (String(log) !== String(LOG)) problems.push(`the log is ${log}`);
  if (String(ids) !== String(NODES)) problems.push(`the messages are ${ids}`);
  return problems.map((problem) => `killed at await ${dieAt}, then at ${again}: ${problem}`);
}

// Each is a process. CI tries every await where a step is saved before the next, and a third where it is saved meanwhile;
// elsewhere a few are tried, always the same.
describe.each(isThorough() ? ["sync", "async"] : ["async"])("durability %s", (durability) => {
  test("a run that is killed at an await continues", async () => {
    const awaits = await run(join(folder, `${durability}-whole`), durability, 0);
    expect(awaits).toBeGreaterThan(50);
    const step = !isThorough() ? 60 : durability === "sync" ? 1 : 3;
    const places = Array.from({ length: awaits as number }, (_, at) => at + 1).filter((at) => at % step === 0);
    const problems: string[] = [];
    const next = async (): Promise<void> => {
      for (let at = places.shift(); at !== undefined; at = places.shift())
        problems.push(...(await dieAndGoOn(durability, at, 1 + ((at * 7) % (awaits as number)))));
    };
    await Promise.all(Array.from({ length: availableParallelism() }, next));
    expect(problems).toEqual([]);
  }, 1_200_000);
});
