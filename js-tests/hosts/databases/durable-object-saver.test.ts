// LangGraph's own tests of savers, and values that JSON alone would lose, over another SQLite than an object's.
import { validate } from "@langchain/langgraph-checkpoint-validation";
import Database from "better-sqlite3";
import { DurableObjectSaver, type ObjectContext } from "threadfold/serve/durable-object";
import * as vitest from "vitest";
import { put, valuesOf } from "../../unit/checkpoint/checkpoints.js";

// The package expects them to be global.
const { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach } = vitest;
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });

function objectOf(database: Database.Database): ObjectContext {
  return {
    storage: {
      sql: {
        exec(query, ...bindings) {
          if (query.trim().split(";").length > 2) database.exec(query);
          else {
            const statement = database.prepare(query);
            if (statement.reader) return { toArray: () => statement.all(...bindings) as never };
            statement.run(...bindings);
          }
          return { toArray: () => [] };
        },
      },
      transactionSync: (work) => database.transaction(work)(),
      setAlarm: async () => {},
    },
  };
}

const open = () => new DurableObjectSaver(objectOf(new Database(":memory:")));

validate({ checkpointerName: "DurableObjectSaver", createCheckpointer: open });

it("gives back dates, maps, sets, bytes, big integers, and an object that looks like one of them", async () => {
  const values = {
    date: new Date(7),
    deep: [{ map: new Map<unknown, unknown>([["a", new Set([1n, Number.NaN])]]) }, undefined, null],
    bytes: new Uint8Array([0, 200, 255]),
    odd: { $threadfold: ["date", 1], more: new Date(8) },
  };
  const saver = open();
  await put(saver, values, { number: 0 });
  expect(await valuesOf(saver)).toEqual(values);
});

it("refuses a function, and a value that contains itself; what was saved before stays", async () => {
  const saver = open();
  await put(saver, { log: ["a"] }, { number: 0 });
  const circle: unknown[] = [];
  circle.push(circle);
  const failure = { code: "STORAGE_FAILED" };
  await expect(put(saver, { log: ["b", () => {}] }, { number: 1, parent: 0 })).rejects.toMatchObject(failure);
  await expect(put(saver, { log: [circle] }, { number: 1, parent: 0 })).rejects.toMatchObject({
    code: expect.stringMatching(/STORAGE_FAILED|UNREADABLE_VALUE/),
  });
  expect(await valuesOf(saver)).toEqual({ log: ["a"] });
});

it("stores each item once, though others read the thread meanwhile", async () => {
  const database = new Database(":memory:");
  const saver = new DurableObjectSaver(objectOf(database));
  const size = () => database.prepare("SELECT count(*) AS rows FROM threadfold_texts").get() as { rows: number };
  let messages = Array.from({ length: 100 }, (_, at) => ({ id: `m${at}` }));
  await put(saver, { messages }, { number: 0 });
  const { rows } = size();
  for (let number = 1; number <= 10; number++) {
    const grown = { messages };
    messages = [...messages, { id: `n${number}` }];
    await valuesOf(saver);
    await valuesOf(saver, 0);
    await put(saver, { messages }, { number, parent: number - 1, grown });
  }
  // A new item and the checkpoint itself.
  expect(size().rows - rows).toBe(20);
  expect(await valuesOf(saver)).toEqual({ messages });
});
