import { isGraphBubbleUp } from "../../graph/build/graph-errors.js";
import { isAbort } from "../../shared/abort.js";
import type { Runtime } from "../types.js";

/** Whether no middleware may catch an error: it interrupts or leaves the graph, or the run was stopped. */
export const mustPass = (error: unknown, { signal }: Pick<Runtime, "signal">): boolean =>
  isGraphBubbleUp(error) || isAbort(error, signal);
