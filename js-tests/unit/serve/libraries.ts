// The same graphs, of either library: the server must not depend on it.
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

/** The libraries for tests of the transport rather than the graph: both only where the tests try every case. */
export const OURS = process.env["THREADFOLD_THOROUGH"] ? LIBRARIES : LIBRARIES.slice(1);
