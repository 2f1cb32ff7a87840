import type { CompiledStateGraph } from "../compiled-graph.js";

/** Tells whether a value is a compiled graph. */
export const isCompiledGraph = (value: unknown): value is CompiledStateGraph =>
  typeof value === "object" && value !== null && "lg_is_pregel" in value && "spec" in value;
