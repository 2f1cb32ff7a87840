// The first mark of a run: where it begins, and with which input.
import { isDict, type Dict } from "../../shared/dict.js";
import type { GraphPart, RunnableGraph } from "../../stream/graph-parts.js";
import { unshown, untaken } from "./exact.js";
import { withoutIds } from "./message-ids.js";

/** Returns the part that a caller may see of another. */
export type Show = (part: GraphPart) => GraphPart;

/** A part of a run with marks. */
export interface MarkedPart extends GraphPart {
  /** The payload for the client that started the run, if it is another. */
  readonly starters?: unknown;
}

/** The key of an input among the updates of nodes: that of the node by which a graph takes it. */
const START = "__start__";

/** The input of a run. Clients that join it fold the input as its starter has done. */
export class Begun {
  readonly #hidden: readonly string[];
  /** The input as a caller may see it; undefined for a run without new input. */
  readonly #shown: Dict | undefined;
  /** The fields that the shown input lacks. */
  readonly #lacks: readonly string[];

  constructor(graph: RunnableGraph, input: unknown, show: Show) {
    const { hidden = [] } = untaken(graph, input);
    this.#hidden = this.#lacks = hidden;
    if (!isDict(input) || "lg_name" in input) return;
    // Only the graph knows the ids that it gives.
    const isKnown = ([name, value]: [string, unknown]) =>
      !hidden.includes(name) && !withoutIds({ [START]: { [name]: value } });
    const known = Object.fromEntries(Object.entries(input).filter(isKnown));
    const { payload } = show({ mode: "updates", ns: [], payload: { [START]: known } });
    const shown = (payload as { readonly [START]: Dict })[START];
    this.#shown = shown;
    this.#lacks = unshown(input, shown).hidden ?? [];
  }

  /** Returns the mark, with more marks. */
  part(marks: object): MarkedPart {
    const own = { __metadata__: { ...marks, ...named(this.#hidden) } };
    const part = { mode: "updates", ns: [], payload: own };
    if (!this.#shown) return part;
    return {
      ...part,
      payload: { [START]: this.#shown, __metadata__: { ...marks, ...named(this.#lacks) } },
      starters: own,
    };
  }
}

const named = (hidden: readonly string[]) => hidden.length > 0 && { hidden };
