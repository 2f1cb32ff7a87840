// The same graphs, of either library: what is served must not know which.
import * as theirs from "./graphs";
import { ownChatGraph, ownHalfGraph, ownNestedGraph } from "./own-graphs";

const { chatGraph, nestedGraph, halfGraph } = theirs;
type Graphs = Pick<typeof theirs, "chatGraph" | "nestedGraph" | "halfGraph">;

export const LIBRARIES: readonly (Graphs & { library: string })[] = [
  { library: "langgraph.js", chatGraph, nestedGraph, halfGraph },
  {
    library: "threadfold/graph",
    chatGraph: ownChatGraph as never,
    nestedGraph: ownNestedGraph as never,
    halfGraph: ownHalfGraph as never,
  },
];

/** What the transport decides, and not the graph: of both only where the tests try every case. */
export const OURS = process.env["THREADFOLD_THOROUGH"] ? LIBRARIES : LIBRARIES.slice(1);
