import { isGraph } from "./build/graph-spec.js";
import type { CompiledStateGraph } from "./compiled-graph.js";

/** Returns whether a value is a compiled graph. */
export const isCompiledGraph: (value: unknown) => value is CompiledStateGraph = isGraph as never;
