// "threadfold/serve/durable-object": a thread of `serveAgUi` or `serveLangGraph` in a Durable Object of its own.
export { DurableObjectSaver } from "../../checkpoint/durable-object-saver.js";
export { DurableObjectRuns, type DurableObjectRunsOptions } from "../../serve/durable-object/durable-object-runs.js";
export { threadIdOf } from "../../serve/durable-object/thread-id-of.js";
export type { ObjectContext, ObjectStorage } from "../../shared/object-storage.js";
