import {
  AbstractAgent,
  runHttpRequest,
  type AgentCapabilities,
  type AgentConfig,
  type BaseEvent,
  type RunAgentInput,
} from "@ag-ui/client";
import type { Observable } from "rxjs";
import { checkedInterrupts, graphEvents, type GraphEventOptions } from "../graph/graph-events.js";
import { graphCapabilities } from "../graph/graph-capabilities.js";
import { checkedGraph, type RunnableGraph } from "../../stream/graph-parts.js";
import { observableClass } from "./observable-class.js";
import { withFold } from "./with-fold.js";

/** The options of a {@link GraphAgent}, besides those of every `@ag-ui/client` agent. */
export interface GraphAgentConfig extends AgentConfig {
  /** A compiled graph, of `threadfold/graph` or langgraph.js, or an agent of `threadfold/agent`. */
  graph: RunnableGraph;
  /** More of a run's config, such as `recursionLimit` or `context`; a function is called for each run. */
  config?: GraphEventOptions["config"];
  /**
   * How an interrupted run says so. Default `"on_interrupt"`: the custom event of ag-ui-langgraph, which CopilotKit gives
   * to a page as it is. `"outcome"` is AG-UI 1.0's own way, which fills the agent's `pendingInterrupts`.
   */
  interrupts?: GraphEventOptions["interrupts"];
}

/**
 * A graph in this program as an agent of `@ag-ui/client`. CopilotKit, assistant-ui, an `AgUiRunner` and anything else
 * that accepts an `HttpAgent` can run it without a server. It has a thread, as {@link FoldHttpAgent} has.
 *
 * Text, tool calls and results are streamed as they come, and nodes as steps. The state is a snapshot followed by
 * deltas; the messages are a snapshot at the end. An `interrupt()` ends the run, as the option `interrupts` says. An
 * answer resumes the graph: `resume` by the interrupt's id, or `forwardedProps.command.resume`. That needs a checkpointer. Without a checkpointer the graph starts from the client's
 * messages and state. With one it takes only what its thread lacks.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a compiled graph, and for another value of `interrupts`.
 *
 * @example
 * ```ts
 * import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { GraphAgent } from "threadfold/ag-ui/client";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const agent = new GraphAgent({ graph });
 * agent.addMessage({ id: "q", role: "user", content: "Hi" });
 * await agent.runAgent();
 * console.log(agent.messages.map(({ content }) => content)); // [ 'Hi', 'Hello' ]
 * ```
 */
export class GraphAgent extends /* @__PURE__ */ withFold(AbstractAgent) {
  graph: RunnableGraph;
  config: GraphEventOptions["config"];
  interrupts: GraphEventOptions["interrupts"];
  /** Stops the run that is under way. */
  abortController: AbortController = new AbortController();

  constructor({ graph, config, interrupts, ...rest }: GraphAgentConfig) {
    super(rest);
    this.graph = checkedGraph(graph, "GraphAgent");
    this.config = config;
    this.interrupts = checkedInterrupts("new GraphAgent", interrupts);
  }

  override run(input: RunAgentInput): Observable<BaseEvent> {
    // RxJS is the client's own: this request is never sent.
    const Plain = observableClass(runHttpRequest(() => new Promise<never>(() => {})));
    return new Plain<BaseEvent>((subscriber) => {
      const stop = (this.abortController = new AbortController());
      let isOver = false;
      const { config, interrupts } = this;
      const events = graphEvents(this.graph, input, { config, interrupts, signal: stop.signal });
      void (async () => {
        try {
          for await (const event of events) subscriber.next(event as unknown as BaseEvent);
          isOver = true;
          subscriber.complete();
        } catch (error) {
          subscriber.error(error);
        }
      })();
      return () => {
        // Work that a run left when it ended well continues, such as saving its last checkpoint.
        if (!isOver) stop.abort();
      };
    });
  }

  /** Resolves with the capabilities of the graph, as AG-UI declares them. */
  override async getCapabilities(): Promise<AgentCapabilities> {
    return graphCapabilities(this.graph);
  }

  override abortRun(): void {
    super.abortRun();
    this.abortController.abort();
  }

  override clone(): GraphAgent {
    const copy = super.clone() as GraphAgent;
    copy.graph = this.graph;
    copy.config = this.config;
    copy.interrupts = this.interrupts;
    copy.abortController = new AbortController();
    return copy;
  }
}
