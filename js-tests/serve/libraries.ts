// The same graphs, of either library: what is served must not know which.
import * as theirs from "./graphs";
import { ownChatGraph, ownNestedGraph } from "./own-graphs";

export const LIBRARIES = [
  { library: "langgraph.js", chatGraph: theirs.chatGraph, nestedGraph: theirs.nestedGraph },
  { library: "threadfold/graph", chatGraph: ownChatGraph as never, nestedGraph: ownNestedGraph as never },
] satisfies readonly { library: string; chatGraph: typeof theirs.chatGraph; nestedGraph: typeof theirs.nestedGraph }[];

/** What the transport decides, and not the graph: of both only where the tests try every case. */
export const OURS = process.env["THREADFOLD_THOROUGH"] ? LIBRARIES : LIBRARIES.slice(1);
