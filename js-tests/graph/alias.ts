// Stands in for "@langchain/langgraph": what threadfold/graph offers is ours, the rest langgraph.js's own. So tests that were
// written for langgraph.js run against threadfold: alias "@langchain/langgraph" to this file.
import { AsyncLocalStorage } from "node:async_hooks";
import * as ours from "threadfold/graph";

export * from "@langchain/langgraph/web";
export {
  BaseCheckpointSaver,
  Command,
  EmptyInputError,
  END,
  GraphInterrupt,
  GraphRecursionError,
  GraphValueError,
  INTERRUPT,
  InvalidUpdateError,
  isCommand,
  isGraphBubbleUp,
  isGraphInterrupt,
  isInterrupted,
  isParentCommand,
  MemorySaver,
  NodeInterrupt,
  NodeTimeoutError,
  Overwrite,
  ParentCommand,
  Send,
  START,
  StateGraphInputError,
  UnreachableNodeError,
} from "threadfold/graph";

type Context = ours.NodeContext;
const current = new AsyncLocalStorage<Context>();

function context(): Context {
  const ctx = current.getStore();
  if (!ctx) throw new Error("Called outside the context of a graph.");
  return ctx;
}

/** What langgraph.js finds by itself, in Node. */
export const interrupt = (value: unknown): unknown => context().interrupt(value);
export const getWriter = (): ((value: unknown) => void) => context().writer;
export const getConfig = (): Context => context();

type Work = (...given: unknown[]) => unknown;

/** A node that those functions know. */
const known = (work: unknown): unknown =>
  typeof work === "function"
    ? (...given: unknown[]) => current.run(given.at(-1) as Context, () => (work as Work)(...given))
    : work;

export class StateGraph extends ours.StateGraph<never> {
  constructor(state: unknown, options?: object) {
    super(state as never, options);
  }

  override addNode(...given: unknown[]): never {
    const [first, work, options] = given as [unknown, unknown, { errorHandler?: unknown } | undefined];
    const more = options?.errorHandler ? { ...options, errorHandler: known(options.errorHandler) } : options;
    if (typeof first === "string") return super.addNode(first as never, known(work) as never, more as never) as never;
    const list = Array.isArray(first) ? (first as unknown[][]) : Object.entries(first as object);
    return super.addNode(list.map(([name, of, ...rest]) => [name, known(of), ...rest]) as never) as never;
  }
}
