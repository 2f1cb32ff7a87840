// Assistants in the words of LangGraph's API: each graph of a server is one.
import { isDict } from "../../shared/dict.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import type { WorkedRun } from "../run-stores/worked-run.js";
import { UnderWay } from "../under-way.js";
import { hasFields, ordered, rangeOf } from "../threads/list-query.js";

/** When the assistants were made: with this program. */
const BEGAN = new Date().toISOString();

const assistantNamed = (name: string) => ({
  assistant_id: name,
  graph_id: name,
  name,
  description: null,
  config: {},
  context: {},
  metadata: {},
  version: 1,
  created_at: BEGAN,
  updated_at: BEGAN,
});

type Assistant = ReturnType<typeof assistantNamed>;

/** The orders of a search. All assistants are of one moment. */
const ORDERS: Readonly<Record<string, keyof Assistant>> = {
  assistant_id: "assistant_id",
  graph_id: "graph_id",
  name: "name",
  created_at: "created_at",
  updated_at: "updated_at",
};

/** As much of a compiled graph as draws it. */
type DrawableGraph = RunnableGraph & {
  getGraphAsync?(options: { xray: boolean | number }): Promise<{ toJSON(): object }>;
};

/** The graphs of a server, by the names of their assistants. */
export class Assistants {
  readonly #graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>;

  /** @param graphs - Graphs by their names, or one that is the assistant of every name. */
  constructor(graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>) {
    this.#graphs = graphs;
  }

  graphs(): RunnableGraph[] {
    return this.#graphs instanceof Map ? [...this.#graphs.values()] : [this.#graphs as RunnableGraph];
  }

  names(): string[] {
    return this.#graphs instanceof Map ? [...this.#graphs.keys()] : ["agent"];
  }

  /** Returns the graph of this name, if the server has it. */
  find(name: string): RunnableGraph | undefined {
    return this.#graphs instanceof Map ? this.#graphs.get(name) : (this.#graphs as RunnableGraph);
  }

  /** @throws {@link Refusal} 404 for a name that the server does not have. */
  graph(name: string): RunnableGraph {
    const graph = this.find(name);
    if (!graph) throw new Refusal(404, `There is no assistant ${name}.`);
    return graph;
  }

  /** Returns the different checkpointers of the graphs. A graph without one gives undefined. */
  savers(): Set<unknown> {
    return new Set(this.graphs().map(({ checkpointer }) => checkpointer));
  }

  /** Returns a thread's runs under way in this program, whichever server began them. */
  underWay(threadId: string): WorkedRun[] {
    return this.graphs().flatMap((graph) => new UnderWay(graph).of(threadId));
  }

  get(name: string): object {
    this.graph(name);
    return assistantNamed(name);
  }

  /** Returns the assistants that a search asks for, in its order and with its fields. */
  search(asked: Record<string, unknown>): object[] {
    const { graph_id, name, metadata, select } = asked;
    const found = this.names()
      .map(assistantNamed)
      .filter((one) => graph_id == null || one.graph_id === graph_id)
      .filter((one) => typeof name !== "string" || one.name.toLowerCase().includes(name.toLowerCase()))
      .filter((one) => !isDict(metadata) || hasFields(one.metadata, metadata));
    const list = ordered(found, asked, ORDERS).slice(...rangeOf(asked));
    if (!Array.isArray(select)) return list;
    return list.map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => select.includes(key))));
  }

  count(asked: Record<string, unknown>): number {
    return this.search({ ...asked, limit: this.names().length }).length;
  }

  /** The versions of an assistant: the program has one. */
  versions(name: string, { metadata, ...page }: Record<string, unknown>): object[] {
    const all = [this.get(name)];
    return all.filter(() => hasFields({}, metadata)).slice(...rangeOf(page));
  }

  /** A graph's nodes and edges. */
  async drawing(name: string, xray: string | null): Promise<object> {
    const { getGraphAsync } = this.graph(name) as DrawableGraph;
    if (!getGraphAsync) throw new Refusal(422, "The graph has no getGraphAsync().");
    const depth = xray === null || xray === "false" ? false : xray === "true" || Number(xray);
    const drawn = await getGraphAsync.call(this.graph(name), { xray: depth });
    return drawn.toJSON();
  }
}
