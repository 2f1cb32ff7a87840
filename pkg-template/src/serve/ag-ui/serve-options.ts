import type { GraphEvent } from "../../ag-ui/graph/graph-event.js";
import type { GraphEventOptions } from "../../ag-ui/graph/graph-events.js";
import type { GraphRunInput } from "../../ag-ui/graph/graph-input.js";
import type { ConfigObject } from "../../shared/own-config.js";
import type { HandlerOptions } from "../http.js";
import type { RunStore } from "../run-stores/run-store.js";

/** How `serveAgUi` answers. */
export interface ServeAgUiOptions extends HandlerOptions {
  /**
   * More of a run's config, such as `recursionLimit` or `context`. A function of the input and the request is called for
   * each run, and awaited. It may throw a `Response`, which is then the answer: a 403 for who may not run it.
   */
  config?:
    | ((input: GraphRunInput, request: Request) => object | undefined | Promise<object | undefined>)
    | ConfigObject
    | undefined;
  /**
   * Whether a run continues when its caller leaves, and can be joined again. Without it a run stops with its connection.
   * Default: where `runs` is given.
   */
  resumable?: boolean | undefined;
  /** How many runs that are over can still be joined, if they are in this program's memory. Default 100. */
  keep?: number | undefined;
  /** Where the runs are kept: `RedisRuns` and `PostgresRuns` share them between instances. Default: this program's memory. */
  runs?: RunStore | undefined;
  /**
   * How an interrupted run says so. Default `"on_interrupt"`: the custom event of ag-ui-langgraph, which CopilotKit gives
   * to a page as it is. `"outcome"` is AG-UI 1.0's own way, for `HttpAgent` and its `pendingInterrupts`. Clients that
   * fold get the interrupts either way.
   */
  interrupts?: GraphEventOptions["interrupts"];
  /**
   * Whether to emit AG-UI 1.0's events of sub-agents: their starts, messages and ends. Clients other than
   * `foldAgUi` and `AgUiRunner` show those messages in the conversation. Default false.
   */
  subagents?: boolean | undefined;
  /** Changes the events of a run before they are sent: leaves some out, adds others, waits. */
  onEvents?:
    | ((events: AsyncIterable<GraphEvent>, input: GraphRunInput, request: Request) => AsyncIterable<GraphEvent>)
    | undefined;
}
