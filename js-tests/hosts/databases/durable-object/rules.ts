// The tests of stores, servers and savers, run within an object: vitest cannot.
import { storeTests } from "../../../unit/serve/run-stores.js";
import { serversTests } from "../../../unit/serve/run-servers.js";
import { saverTests } from "../../../unit/checkpoint/saver-rules.js";
import { DurableObjectRuns, DurableObjectSaver } from "threadfold/serve/durable-object";
import { collected } from "./vitest.js";

const CONTEXT = Symbol("context");
let current;
const SUITES = {
  store: collected(() => storeTests(() => new DurableObjectRuns(current))),
  servers: collected(() => serversTests(() => new DurableObjectRuns(current))),
  saver: collected(() => saverTests(() => emptied(current), { seed: 25, numRuns: 6 })),
};

/** Each random history begins with nothing. */
function emptied(ctx) {
  const saver = new DurableObjectSaver(ctx);
  for (const table of ["texts", "checkpoints", "writes"]) ctx.storage.sql.exec(`DELETE FROM threadfold_${table}`);
  return saver;
}

export const names = Object.entries(SUITES).flatMap(([suite, tests]) => [...tests.keys()].map((name) => [suite, name]));

/** An object for one test. */
export class Rules {
  [CONTEXT];

  constructor(ctx) {
    this[CONTEXT] = ctx;
  }

  async fetch(request) {
    const [suite, name] = await request.json();
    current = this[CONTEXT];
    try {
      await SUITES[suite].get(name)();
      return new Response("passed");
    } catch (error) {
      return new Response(error.stack);
    }
  }

  alarm() {}
}
