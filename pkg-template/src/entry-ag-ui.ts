// "threadfold/ag-ui": threads for AG-UI, with or without the agents of `@ag-ui/client`.
import { HttpAgent } from "@ag-ui/client";
import { withFold } from "./ag-ui/with-fold.js";

export type { AgentThread } from "./ag-ui/agent-thread.js";
export { withFold, type FoldedAgent } from "./ag-ui/with-fold.js";
export * from "./entry-ag-ui-events.js";

/**
 * `@ag-ui/client`'s HttpAgent with a thread: see {@link withFold}.
 *
 * @example
 * ```ts
 * // import { HttpAgent } from "@ag-ui/client";
 * import { FoldHttpAgent as HttpAgent } from "threadfold/ag-ui";
 *
 * const agent = new HttpAgent({ url: "https://example.com/agent" });
 * agent.addMessage({ id: "q", role: "user", content: "Hi" });
 * await agent.runAgent();
 * ```
 */
export class FoldHttpAgent extends /* @__PURE__ */ withFold(HttpAgent) {}
