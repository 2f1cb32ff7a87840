import type { RunnableGraph } from "../stream/graph-parts.js";
import type { WorkedRun } from "./run-stores/worked-run.js";

/** By graph, and by thread. */
const RUNS = new WeakMap<object, Map<string, Set<WorkedRun>>>();

/**
 * The active runs of a graph's threads, whichever server began them. Without it, two servers of one graph could answer
 * one interrupt twice, and write one thread at the same time.
 */
export class UnderWay {
  readonly #runs: Map<string, Set<WorkedRun>>;

  constructor(graph: RunnableGraph) {
    const runs = RUNS.get(graph) ?? new Map<string, Set<WorkedRun>>();
    RUNS.set(graph, runs);
    this.#runs = runs;
  }

  /** The runs of a thread that have not ended, the first first. */
  of(threadId: string): WorkedRun[] {
    return [...(this.#runs.get(threadId) ?? [])].filter(({ hasEnded }) => !hasEnded);
  }

  add(run: WorkedRun): void {
    const { threadId } = run;
    const runs = this.#runs.get(threadId) ?? new Set();
    this.#runs.set(threadId, runs.add(run));
    void run.over.then(() => {
      runs.delete(run);
      if (runs.size === 0 && this.#runs.get(threadId) === runs) this.#runs.delete(threadId);
    });
  }
}
