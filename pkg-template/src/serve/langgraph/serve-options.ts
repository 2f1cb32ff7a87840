import type { HandlerOptions } from "../http.js";
import type { RunStore } from "../run-stores/run-store.js";
import type { ConfigObject } from "../../shared/own-config.js";
import type { RunPart } from "./run-parts.js";

/** How `serveLangGraph` answers. */
export interface ServeLangGraphOptions extends HandlerOptions {
  /**
   * More of a run's config, such as `context` by who asks. A function of the request is called for each run, and awaited;
   * that of `serveAgUi` gets the input first. It may throw a `Response`, which is then the answer: a 403 for who may not
   * run it.
   */
  config?: ((request: Request) => object | undefined | Promise<object | undefined>) | ConfigObject | undefined;
  /**
   * Whether clients may write a thread's state and choose which node runs next. It covers `update` and `goto` of a
   * command, updates of a thread's state, and runs from an earlier checkpoint that would repeat approved calls.
   * Default: where no graph of the server has approvals, which are `humanInTheLoopMiddleware` (`interruptOn`) and
   * breakpoints. Give
   * `false` where a node of your own asks by `interrupt()`.
   */
  clientWrites?: boolean | undefined;
  /** The prefix of the paths: `"/api/langgraph"` if the client's `apiUrl` ends so. */
  basePath?: string | undefined;
  /** How many runs that are over can still be joined, if they are in this program's memory. Default 100. */
  keep?: number | undefined;
  /** Where the runs are kept: `RedisRuns` and `PostgresRuns` share them between instances. Default: this program's memory. */
  runs?: RunStore | undefined;
  /**
   * How many threads' metadata are kept. The oldest are forgotten first, but none that has a run under way; what a
   * thread holds is the checkpointer's, and stays. Default 10,000.
   */
  keepThreads?: number | undefined;
  /** The most that a client may ask for as `config.recursion_limit`; more is answered by 422. Default 1,000. */
  maxRecursionLimit?: number | undefined;
  /** Changes the parts of a run before they are sent: leaves some out, adds others, waits. */
  onParts?:
    | ((
        parts: AsyncIterable<RunPart>,
        run: { threadId: string; runId: string },
        request: Request,
      ) => AsyncIterable<RunPart>)
    | undefined;
}
