// LangGraph's own tests of savers, on ours.
import "fake-indexeddb/auto";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { IndexedDBSaver, MemorySaver } from "threadfold/graph";
import * as vitest from "vitest";

// The package expects them to be global.
const { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach } = vitest;
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });

validate({ checkpointerName: "MemorySaver of threadfold", createCheckpointer: () => new MemorySaver() });

let databases = 0;
validate({
  checkpointerName: "IndexedDBSaver",
  createCheckpointer: () => new IndexedDBSaver({ name: `validation-${databases++}` }),
  destroyCheckpointer: (saver) => saver.close(),
});
