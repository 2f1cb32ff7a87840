/** Returns what langgraph.js answers to a case. */
export declare function record(graph: object): Promise<unknown[]>;
