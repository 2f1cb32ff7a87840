// The cost of a checkpoint in memory, time and bytes, compared with langgraph.js's MemorySaver, and in IndexedDB.
import { setImmediate } from "node:timers/promises";
import "fake-indexeddb/auto";
import { AIMessage } from "@langchain/core/messages";
import * as langgraph from "@langchain/langgraph";
import { IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { median, warmUp } from "../harness.mjs";

const TEXT = "The answer to that depends on what you ask, and of whom. ".repeat(4);
const dict = (id) => ({ type: "ai", id, content: TEXT });
const instance = (id) => new AIMessage({ id, content: TEXT });

const idOf = (step) => `1f000000-0000-6000-8000-${String(step).padStart(12, "0")}`;

/** The arguments of `put` for a thread of `n` messages that gets one more at each of so many steps. */
function puts(message, n, steps) {
  let messages = Array.from({ length: n }, (_, at) => message(`m${at}`));
  let channel_versions = { __start__: 2, messages: 1, "branch:to:model": 1, "branch:to:tools": 1 };
  const seen = { __input__: {}, __start__: { __start__: 1 }, tools: { "branch:to:tools": 1 } };
  return Array.from({ length: steps }, (_, step) => {
    const grown = { messages };
    messages = [...messages, message(`x${step}`)];
    const newVersions = { messages: step + 2, "branch:to:model": step + 2 };
    channel_versions = { ...channel_versions, ...newVersions };
    const versions_seen = { ...seen, model: { "branch:to:model": step + 1 } };
    const channel_values = { messages, "branch:to:model": null, __pregel_tasks: [[], []] };
    const ts = new Date().toISOString();
    const checkpoint = { v: 4, id: idOf(step), ts, channel_values, channel_versions, versions_seen };
    return [checkpoint, { source: "loop", step, parents: {} }, newVersions, grown];
  });
}

async function putAll(saver, all) {
  let config = { configurable: { thread_id: "1", checkpoint_ns: "" } };
  for (const args of all) config = await saver.put(config, ...args);
}

/** µs a put, of the second half of so many. */
async function time(saver, message, n, steps) {
  const all = puts(message, n, steps);
  await putAll(saver, all.slice(0, steps / 2));
  const began = performance.now();
  let config = { configurable: { thread_id: "1", checkpoint_ns: "", checkpoint_id: idOf(steps / 2 - 1) } };
  for (const args of all.slice(steps / 2)) config = await saver.put(config, ...args);
  return ((performance.now() - began) * 1000) / (steps / 2);
}

/** The heap after collections, and after the tasks that clean up once they are done. */
async function heapUsed() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc();
    await setImmediate();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * A thread of `n` messages in a saver of its own, and a function that puts the next checkpoints, each with a message
 * more.
 */
async function grownThread(n) {
  const saver = new MemorySaver();
  let messages = Array.from({ length: n }, (_, at) => dict(`m${at}`));
  const before = puts(dict, n, 1);
  await putAll(saver, before);
  let at = 1;
  const grow = async (steps) => {
    for (const end = at + steps; at < end; at++) {
      const grown = { messages };
      messages = [...messages, dict(`x${at}`)];
      const [checkpoint, metadata] = before[0];
      const newVersions = { messages: at + 2 };
      const channel_values = { ...checkpoint.channel_values, messages };
      const channel_versions = { ...checkpoint.channel_versions, ...newVersions };
      const versions_seen = { ...checkpoint.versions_seen, model: { "branch:to:model": at } };
      const made = {
        v: 4,
        id: idOf(at),
        ts: new Date(at).toISOString(),
        channel_values,
        channel_versions,
        versions_seen,
      };
      const config = { configurable: { thread_id: "1", checkpoint_ns: "", checkpoint_id: idOf(at - 1) } };
      await saver.put(config, made, { ...metadata, step: at }, newVersions, grown);
    }
    if ((await saver.get({ configurable: { thread_id: "1" } })).channel_values.messages !== messages)
      throw new Error("The saver kept another list.");
  };
  return { grow };
}

/** The heap that so many puts take: their messages, and the saver's own part. */
async function heap(n, steps) {
  const { grow } = await grownThread(n);
  await grow(99);
  const began = await heapUsed();
  await grow(steps);
  return (await heapUsed()) - began;
}

/** The heap of a thread with so many steps. Takes the average of ten, because other objects come and go. */
async function heapOfThread(steps) {
  const threads = [];
  for (let at = 0; at < 10; at++) threads.push(await grownThread(0));
  const began = await heapUsed();
  for (const { grow } of threads) await grow(steps);
  return ((await heapUsed()) - began) / threads.length;
}

/** The size of langgraph.js's checkpoints in its MemorySaver. */
async function theirBytes(n, steps) {
  const saver = new langgraph.MemorySaver();
  await putAll(saver, puts(instance, n, steps));
  const all = Object.values(saver.storage["1"][""]);
  return all.reduce((sum, [checkpoint, metadata]) => sum + checkpoint.length + metadata.length, 0);
}

let databases = 0;
/** The size of the records in IndexedDB, as JSON. */
async function storedBytes(steps) {
  const name = `bench-${databases++}`;
  const saver = new IndexedDBSaver({ name });
  await putAll(saver, puts(dict, 0, steps));
  saver.close();
  const done = (request) =>
    new Promise((resolve, reject) =>
      Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }),
    );
  const database = await done(indexedDB.open(name));
  const stores = [...database.objectStoreNames];
  const transaction = database.transaction(stores);
  const all = await Promise.all(stores.map((store) => done(transaction.objectStore(store).getAll())));
  database.close();
  return JSON.stringify(all).length;
}

/** `us` holds bytes where the unit is bytes. */
export async function costs(quick, wanted) {
  const results = [];
  const name = "checkpoint in memory, one message added";
  for (const n of wanted(name) ? [1_000, 10_000] : []) {
    const samples = { threadfold: [], "langgraph.js": [] };
    await warmUp(() => time(new MemorySaver(), dict, 100, 400));
    await warmUp(() => time(new langgraph.MemorySaver(), instance, 100, 40));
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      samples.threadfold.push(await time(new MemorySaver(), dict, n, 400));
      samples["langgraph.js"].push(await time(new langgraph.MemorySaver(), instance, n, 4));
    }
    results.push({
      name,
      n,
      us: Object.fromEntries(Object.entries(samples).map(([of, times]) => [of, median(times)])),
    });
    const bytes = { threadfold: (await heap(n, 1_000)) / 1_000, "langgraph.js": (await theirBytes(n, 2)) / 2 };
    results.push({ name: `${name}, bytes`, n, unit: "bytes", us: bytes });
  }
  const all = "checkpoints of so many steps, a message each, bytes";
  for (const n of wanted(all) ? [500, 1_000] : []) {
    const us = {
      threadfold: await heapOfThread(n),
      "threadfold, IndexedDB": await storedBytes(n),
      "langgraph.js": await theirBytes(0, n),
    };
    results.push({ name: all, n, unit: "bytes", us });
  }
  return results;
}
