import type { HandlerOptions } from "../http.js";
import type { RunPart } from "./run-parts.js";

/** How `serveLangGraph` answers. */
export interface ServeLangGraphOptions extends HandlerOptions {
  /**
   * More of a run's config, such as `context` by who asks; a function is called for each run. It may throw a `Response`,
   * which is then the answer: a 403 for who may not run it.
   */
  config?: ((request: Request) => object | undefined) | object | undefined;
  /** What the paths begin with: `"/api/langgraph"` where the client's `apiUrl` ends so. */
  basePath?: string | undefined;
  /** How many runs that are over can still be joined. Default 100. */
  keep?: number | undefined;
  /** Changes the parts of a run before they are sent: leaves some out, adds others, waits. */
  parts?:
    | ((
        parts: AsyncIterable<RunPart>,
        run: { threadId: string; runId: string },
        request: Request,
      ) => AsyncIterable<RunPart>)
    | undefined;
}
