import type { Thread } from "../thread/thread.js";
import type { WithLangChainMessages } from "../state/message-types.js";
import type { ThreadState, ThreadUpdate } from "../thread/thread-types.js";
import { Runner, runnersThread } from "../runner/runner.js";
import { LangGraphProtocol } from "./run-protocol.js";
import type { LangGraphRunnerOptions } from "./runner-options.js";

/**
 * Runs a LangGraph assistant for a thread. It creates the thread on the server, sends messages and folds the stream. It
 * also queues, stops, retries and rejoins runs, and answers interrupts.
 *
 * Runs are resumable and continue when the user leaves the page. The runner rejoins a broken connection after the last
 * part received, and {@link Runner.load} does the same after a reload.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { LangGraphRunner } from "threadfold/langgraph";
 *
 * const thread = new Thread();
 * const runner = new LangGraphRunner(thread, {
 *   apiUrl: "http://localhost:2024",
 *   assistantId: "agent",
 *   onThreadId: (id) => history.replaceState(null, "", `?thread=${id}`),
 * });
 * let end = await runner.sendMessage("Mail Ada that I am late");
 * if (end.status === "interrupted") end = await runner.resume({ value: true });
 * if (end.status === "error") console.warn(end.error?.message);
 * ```
 */
export class LangGraphRunner<
  S extends WithLangChainMessages = ThreadState,
  U extends object = ThreadUpdate<S>,
> extends Runner<S, U> {
  /**
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a thread, for an unknown option, without an
   *   `assistantId`, and unless either `apiUrl` or `transport` is given.
   */
  constructor(thread: Thread<S, U>, options: LangGraphRunnerOptions) {
    super(
      runnersThread("new LangGraphRunner", thread),
      new LangGraphProtocol(thread as unknown as Thread, options),
      options,
    );
  }
}
