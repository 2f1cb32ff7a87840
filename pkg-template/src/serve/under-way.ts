import type { RunnableGraph } from "../stream/graph-parts.js";
import type { RunLog } from "./run-log.js";

/** By where a graph keeps its threads, and by thread. */
const RUNS = new WeakMap<object, Map<string, Set<RunLog>>>();

/**
 * The runs under way of a graph's threads, whichever server began them: two servers of one graph, or of graphs with one
 * checkpointer, would otherwise answer one question twice, and write one thread at the same time.
 */
export class UnderWay {
  readonly #runs: Map<string, Set<RunLog>>;

  constructor(graph: RunnableGraph) {
    const { checkpointer } = graph;
    const place = typeof checkpointer === "object" && checkpointer !== null ? checkpointer : graph;
    const runs = RUNS.get(place) ?? new Map<string, Set<RunLog>>();
    RUNS.set(place, runs);
    this.#runs = runs;
  }

  /** The runs of a thread that have not ended, the first first. */
  of(threadId: string): RunLog[] {
    return [...(this.#runs.get(threadId) ?? [])].filter(({ hasEnded }) => !hasEnded);
  }

  add(run: RunLog): void {
    const { threadId } = run;
    const runs = this.#runs.get(threadId) ?? new Set();
    this.#runs.set(threadId, runs.add(run));
    void run.over.then(() => {
      runs.delete(run);
      if (runs.size === 0 && this.#runs.get(threadId) === runs) this.#runs.delete(threadId);
    });
  }
}
