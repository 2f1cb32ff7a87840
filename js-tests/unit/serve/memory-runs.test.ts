import { MemoryRuns } from "threadfold/serve";
import { describe } from "vitest";
import { serversTests } from "./run-servers.js";
import { storeTests } from "./run-stores.js";

describe("the store", () => {
  const runs = new MemoryRuns();
  storeTests(() => runs);
});

describe("servers with one store", () => {
  const runs = new MemoryRuns();
  serversTests(() => runs);
});
