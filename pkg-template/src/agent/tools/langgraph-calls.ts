// langgraph.js's `interrupt()` and `getCurrentTaskInput()` inside a tool of `@langchain/core`.
import { GraphInterrupt, isGraphInterrupt } from "../../graph/build/graph-errors.js";
import type { Fields } from "../message.js";
import type { LangChainTool, ToolRuntime } from "../types.js";

/** A tool that `tool()` of `@langchain/core` made: its function runs within LangChain's config. */
type FunctionTool = LangChainTool & { func(input: unknown, manager: unknown, config?: Fields): unknown };

/**
 * Invokes a tool of `@langchain/core`. langgraph.js's functions find their graph by keys of the config. A graph of
 * langgraph.js that the tool runs must not find them: it would run as a subgraph.
 */
export async function invokedInGraph(source: LangChainTool, call: object, config: Fields, runtime: ToolRuntime) {
  if (typeof (source as Partial<FunctionTool>).func !== "function") return source.invoke(call, config);
  const scratchpad = new Scratchpad(runtime);
  const tool = Object.create(source, {
    func: {
      value: (input: unknown, manager: unknown, inner: Fields = {}) => {
        // The functions read the keys from this object; graphs copy what is enumerable.
        Object.defineProperties((inner["configurable"] ??= {}), {
          __pregel_checkpointer: { value: true },
          __pregel_scratchpad: { value: scratchpad },
        });
        return (source as FunctionTool).func(input, manager, inner);
      },
    },
  }) as FunctionTool;
  try {
    return (await tool.invoke(call, config)) as unknown;
  } catch (error) {
    throw scratchpad.asOurs(error);
  }
}

/** The part of langgraph.js's scratchpad that its functions read. The task has the answers. */
class Scratchpad {
  interruptCounter = -1;
  readonly resume: unknown[] = [];
  readonly #runtime: ToolRuntime;
  #answer: unknown;
  #asked: GraphInterrupt | undefined;

  constructor(runtime: ToolRuntime) {
    this.#runtime = runtime;
  }

  get currentTaskInput(): unknown {
    return this.#runtime.state;
  }

  /** Whether the next interrupt has an answer; undefined if not. Each interrupt reads this once. */
  get nullResume(): true | undefined {
    try {
      this.#answer = this.#runtime.interrupt(undefined);
      return true;
    } catch (error) {
      if (!isGraphInterrupt(error)) throw error;
      this.#asked = error;
      return undefined;
    }
  }

  consumeNullResume(): unknown {
    return this.#answer;
  }

  /** langgraph.js's interrupt under the id that this graph gave it. Other errors are returned as they are. */
  asOurs(error: unknown): unknown {
    const id = this.#asked?.interrupts[0]?.id;
    if (id === undefined || !isGraphInterrupt(error)) return error;
    return new GraphInterrupt(error.interrupts.map((one) => ({ ...one, id })));
  }
}
