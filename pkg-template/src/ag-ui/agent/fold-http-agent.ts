import { HttpAgent } from "@ag-ui/client";
import { requireEvents } from "./require-events.js";
import { withFold } from "./with-fold.js";

/**
 * `@ag-ui/client`'s HttpAgent with a thread: see {@link withFold}. If you use `HttpAgent`, change one import. A
 * response without a single event, such as a page of HTML, is the error `BAD_RESPONSE`. The plain agent treats it as a
 * successful run.
 *
 * @example
 * ```ts
 * // import { HttpAgent } from "@ag-ui/client";
 * import { FoldHttpAgent as HttpAgent } from "threadfold/ag-ui/client";
 *
 * const agent = new HttpAgent({ url: "https://example.com/agent" });
 * agent.addMessage({ id: "q", role: "user", content: "Hi" });
 * await agent.runAgent();
 * ```
 */
export class FoldHttpAgent extends /* @__PURE__ */ withFold(HttpAgent) {
  override run(...args: Parameters<HttpAgent["run"]>): ReturnType<HttpAgent["run"]> {
    return requireEvents(super.run(...args));
  }
}
