import { OPEN_OPTIONS, opened, type OpenOptions } from "../open/open-conversation.js";
import type { ThreadState, ThreadUpdate } from "../thread/thread-types.js";
import type { WithLangChainMessages } from "../state/message-types.js";
import { checkRunnerOptions } from "../runner/options.js";
import { LangGraphRunner } from "./runner.js";
import { type LangGraphRunnerOptions, OWN_OPTIONS } from "./runner-options.js";

/**
 * Opens a conversation with a LangGraph deployment, like `openAgUi` of `threadfold/ag-ui` with an AG-UI server. Returns
 * its runner, with a thread that is saved in the tab, loaded again after a reload, and joined to a current run. This
 * all begins with the first subscriber or call. The same key gives the same runner.
 *
 * @param options - Those of {@link LangGraphRunner} and of {@link OpenOptions}.
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION`; `INVALID_ARGUMENT` without an address or transport, and for a
 *   transport of your own without a `key`.
 *
 * @example
 * ```tsx
 * import { openLangGraph } from "threadfold/langgraph";
 * import { useChat } from "threadfold/react";
 *
 * const chat = openLangGraph({ apiUrl: "http://localhost:2024", assistantId: "agent" });
 *
 * export function Status() {
 *   const { status, messageIds } = useChat(chat);
 *   return <p>{status}, {messageIds.length} messages</p>;
 * }
 * ```
 */
export function openLangGraph<S extends WithLangChainMessages = ThreadState, U extends object = ThreadUpdate<S>>(
  options: LangGraphRunnerOptions & OpenOptions<S, U>,
): LangGraphRunner<S, U> {
  checkRunnerOptions<LangGraphRunnerOptions & OpenOptions<S, U>>("openLangGraph", options, {
    ...OWN_OPTIONS,
    ...OPEN_OPTIONS,
  });
  const { apiUrl, assistantId } = options;
  return opened<S, U, LangGraphRunnerOptions, LangGraphRunner<S, U>>({
    call: "openLangGraph",
    runner: "LangGraphRunner",
    address: apiUrl === undefined ? undefined : `langgraph:${String(apiUrl)}:${String(assistantId)}`,
    options,
    make: (thread, own) => new LangGraphRunner<S, U>(thread, own),
  });
}
