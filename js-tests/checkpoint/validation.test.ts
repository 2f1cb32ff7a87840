// LangGraph's own tests of savers, on ours.
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { MemorySaver } from "threadfold/graph";
import * as vitest from "vitest";

// The package expects them to be global.
const { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach } = vitest;
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });

validate({ checkpointerName: "MemorySaver of threadfold", createCheckpointer: () => new MemorySaver() as never });
