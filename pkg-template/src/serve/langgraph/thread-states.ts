// The states of a server's threads: which graph's each is, and what its checkpoints hold.
import type { CheckpointSaver } from "../../checkpoint/types.js";
import { isDict } from "../../shared/dict.js";
import type { GraphState, RunnableGraph } from "../../stream/graph-parts.js";
import { beforeRefusedInput } from "../../stream/refused-input.js";
import { Refusal } from "../refusal.js";
import { refusedWith } from "../threads/graph-refusals.js";
import type { KeptThreads } from "../threads/kept-threads.js";
import { countOf } from "../threads/list-query.js";
import { configOf } from "../threads/thread-config.js";
import type { Assistants } from "./assistants.js";
import type { Runs } from "./runs.js";
import { selected } from "./selected.js";
import { stateDigest } from "./state-digest.js";
import { checkpointOf, threadStateOf } from "./thread-state.js";

/** How many of a thread's newest checkpoints are asked which graph made them. */
const UPDATES = 20;

export class ThreadStates {
  readonly #assistants: Assistants;
  readonly #threads: KeptThreads;
  readonly #runs: Pick<Runs, "of">;

  constructor(assistants: Assistants, threads: KeptThreads, runs: Pick<Runs, "of">) {
    this.#assistants = assistants;
    this.#threads = threads;
    this.#runs = runs;
  }

  async state(
    id: string,
    { checkpoint, subgraphs, select }: { checkpoint?: unknown; subgraphs?: unknown; select?: unknown },
  ): Promise<object> {
    const state = await this.#orBefore(id, () => this.at(id, checkpoint, subgraphs === true || subgraphs === "true"));
    return selected(threadStateOf(state), select);
  }

  /** The digests of the committed values: without what an unfinished super-step has written. */
  async digest(id: string, { fields }: Record<string, unknown>): Promise<object> {
    return stateDigest(await this.committed(id, await this.newest(id)), fields);
  }

  async history(
    id: string,
    { before, metadata, checkpoint, select, ...page }: Record<string, unknown>,
  ): Promise<object[]> {
    const limit = countOf(page, "limit", 10);
    await this.checkKnown(id);
    const graph = await this.graphOf(id);
    if (!graph.getStateHistory || !graph.checkpointer) return [];
    const earlier = typeof before === "string" ? configOf(id, before) : before;
    const options = {
      limit,
      ...(isDict(earlier) && {
        before: configOf(id, isDict(earlier["configurable"]) ? earlier["configurable"] : earlier),
      }),
      ...(isDict(metadata) && { filter: metadata }),
    };
    const states: object[] = [];
    try {
      for await (const state of graph.getStateHistory(configOf(id, checkpoint, true) as never, options as never)) {
        states.push(selected(threadStateOf(state as GraphState), select));
        if (states.length >= limit) break;
      }
    } catch (error) {
      refusedWith(400)(error);
    }
    return states;
  }

  /** The graph that last ran on a thread; for one of an earlier program, as its checkpoints name it. */
  async assistantOf(id: string): Promise<string | undefined> {
    const known = this.#threads.get(id)?.assistant;
    if (known !== undefined) return known;
    const names = this.#assistants.names();
    if (names.length === 1) return names[0];
    const config = { configurable: { ...configOf(id).configurable, checkpoint_ns: "" } };
    for (const saver of this.#assistants.savers()) {
      const { list } = (saver ?? {}) as Partial<CheckpointSaver>;
      // An update's checkpoint names no graph.
      for await (const { metadata } of list?.call(saver, config, { limit: UPDATES }) ?? []) {
        const { graph_id: name } = (metadata ?? {}) as { graph_id?: unknown };
        if (typeof name === "string" && names.includes(name)) return name;
      }
    }
    return undefined;
  }

  async graphOf(threadId: string): Promise<RunnableGraph> {
    const name = await this.assistantOf(threadId);
    return (name === undefined ? this.#assistants.graphs()[0] : this.#assistants.graph(name)) as RunnableGraph;
  }

  /** @throws {@link Refusal} 404 for a thread that was not made here, has no run and is in no checkpointer. */
  async checkKnown(id: string): Promise<void> {
    if (this.#threads.has(id) || (await this.#runs.of(id)).length > 0) return;
    const config = configOf(id);
    for (const saver of this.#assistants.savers()) {
      const { getTuple } = (saver ?? {}) as { getTuple?(config: object): Promise<unknown> };
      if (await getTuple?.call(saver, config)) return;
    }
    throw new Refusal(404, `There is no thread ${id}.`);
  }

  /** A thread is known if it was made here, or if the checkpointer has it. */
  async at(id: string, checkpoint: unknown, subgraphs = false): Promise<GraphState> {
    const config = configOf(id, checkpoint, true);
    const known = this.#threads.get(id);
    const name = await this.assistantOf(id);
    // Older checkpoints name no graph: the one whose checkpointer has the thread.
    const graphs = name === undefined ? this.#assistants.graphs() : [this.#assistants.graph(name)];
    for (const graph of graphs) {
      if (!graph.getState || !graph.checkpointer) continue;
      const asked = (graph.getState as (...args: unknown[]) => unknown)(config, { subgraphs });
      const state = (await Promise.resolve(asked).catch(refusedWith(400))) as GraphState;
      if (checkpointOf(state.config) !== null || (known && graph === graphs.at(-1))) return state;
    }
    if (!known) throw new Refusal(404, `There is no thread ${id}.`);
    return { config };
  }

  /** The state of a thread; undefined for one that is made, as its owner's, and has no checkpoint yet. */
  async ifAny(id: string): Promise<GraphState | undefined> {
    try {
      return await this.newest(id);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** A thread's newest state without the pending writes that it shows. */
  async committed(id: string, state: GraphState): Promise<GraphState> {
    const isPending = state.tasks?.some(({ result }) => result !== undefined) === true;
    return isPending ? this.at(id, checkpointOf(state.config)) : state;
  }

  /** The state of a thread, or the one before it if the graph refuses the last input. */
  async newest(id: string): Promise<GraphState> {
    return this.#orBefore(id, () => this.at(id, undefined));
  }

  async #orBefore(id: string, read: () => Promise<GraphState>): Promise<GraphState> {
    try {
      return await read();
    } catch (error) {
      const isRefused = error instanceof Refusal && error.status === 400;
      const before = isRefused && (await beforeRefusedInput(await this.graphOf(id), configOf(id)));
      if (before) return before;
      throw error;
    }
  }
}
