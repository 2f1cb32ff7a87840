// Stands in for "@langchain/langgraph": threadfold/graph's names are ours, the rest langgraph.js's own. So tests that
// were written for langgraph.js run against threadfold: alias "@langchain/langgraph" to this file.
import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import * as ours from "threadfold/graph";

export * from "@langchain/langgraph/web";
export {
  BaseCheckpointSaver,
  Command,
  END,
  GraphInterrupt,
  GraphRecursionError,
  INTERRUPT,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphInterrupt,
  isInterrupted,
  MemorySaver,
  NodeTimeoutError,
  Send,
  START,
} from "threadfold/graph";

type Context = ours.NodeContext;
const current = new AsyncLocalStorage<Context>();
AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage());

function context(): Context {
  const ctx = current.getStore();
  if (!ctx) throw new Error("Called outside the context of a graph.");
  return ctx;
}

/** langgraph.js finds its context itself, in Node. */
export const interrupt = (value: unknown): unknown => context().interrupt(value);
export const getWriter = (): ((value: unknown) => void) => context().writer;
export const getConfig = (): Context => context();
export const getCurrentTaskInput = (): unknown =>
  (context() as never as Record<symbol, { input: unknown }>)[Symbol.for("threadfold.graph.task")]?.input;

type Work = (...given: unknown[]) => unknown;

/** A node that those functions, and models of `@langchain/core` that are called without a config, know. */
function known(work: unknown): unknown {
  const { invoke } = (work ?? {}) as { invoke?: Work };
  if (typeof invoke === "function" && !(work instanceof ours.CompiledStateGraph))
    return Object.create(work as object, { invoke: { value: known(invoke.bind(work)) } });
  if (typeof work !== "function") return work;
  return (...given: unknown[]) => {
    const ctx = given.at(-1) as Context;
    return current.run(ctx, () =>
      AsyncLocalStorageProviderSingleton.runWithConfig({ ...ctx } as never, () => (work as Work)(...given)),
    );
  };
}

/** A config, with that of the node in which it is given: langgraph.js finds that by itself, too. */
function around(config: object | undefined): object | undefined {
  const ctx = current.getStore();
  return ctx && ctx !== config ? { ...ctx, ...config } : config;
}

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

  override addSequence(given: unknown): never {
    const list = Array.isArray(given) ? (given as unknown[][]) : Object.entries(given as object);
    return super.addSequence(list.map(([name, of, ...rest]) => [name, known(of), ...rest]) as never) as never;
  }

  override addConditionalEdges(...given: unknown[]): never {
    const [from, path, map] = given as [{ path: unknown }, unknown, unknown];
    const name = (typeof from === "object" ? from.path : path) as { name?: string };
    const named = (work: unknown) =>
      typeof work === "function" ? Object.defineProperty(work, "name", { value: name.name }) : work;
    if (typeof from === "object")
      return super.addConditionalEdges({ ...(from as object), path: named(known(from.path)) } as never) as never;
    return super.addConditionalEdges(from as never, named(known(path)) as never, map as never) as never;
  }

  override compile(options?: object): never {
    const graph = super.compile(options) as ours.CompiledStateGraph;
    const { invoke, stream } = graph;
    return Object.assign(graph, {
      invoke: (input: never, config?: object) => invoke.call(graph, input, around(config) as never),
      stream: (input: never, config?: object) => stream.call(graph, input, around(config) as never),
    }) as never;
  }
}
