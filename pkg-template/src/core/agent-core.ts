// The types of "#agent-core". Its bundle is inline.ts or workerd.ts, with these two instead of the core's own.
export * from "./agent-calls.js";
export * from "../../generated/agent/threadfold_core.js";
