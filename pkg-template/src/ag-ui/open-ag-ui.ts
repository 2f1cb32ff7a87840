import { OPEN_OPTIONS, opened, type OpenOptions } from "../open/open-conversation.js";
import type { AgUiState, ThreadUpdate } from "../thread/thread-types.js";
import type { WithAgUiMessages } from "../state/message-types.js";
import { checkRunnerOptions } from "../runner/options.js";
import { AgUiRunner, type AgUiRunnerOptions, OWN_OPTIONS } from "./runner.js";

/**
 * Opens a conversation and returns its runner. The thread is saved in the tab and read again after a reload. It is
 * loaded from a server that supports that, and joins a run under way. This all begins with the first subscriber or
 * call, so you may call it in a module or in a render.
 *
 * The same key gives the same runner, in every component, in StrictMode and after a hot reload. New options replace the
 * earlier ones, except the address and the storage. On a server the thread is empty, and calls reject with
 * `UNSUPPORTED`, because all requests would share them.
 *
 * @param options - Those of {@link AgUiRunner} and of {@link OpenOptions}.
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION`; `INVALID_ARGUMENT` without an address or transport, and for a
 *   transport of your own without a `key`.
 *
 * @example
 * ```tsx
 * import { textOf } from "threadfold";
 * import { openAgUi } from "threadfold/ag-ui";
 * import { useChat, useMessage } from "threadfold/react";
 *
 * const chat = openAgUi({ url: "/agent" });
 *
 * export function Chat() {
 *   const { messageIds, sendMessage } = useChat(chat);
 *   const send = (form: FormData) => void sendMessage(String(form.get("text")));
 *   return <form action={send}>{messageIds.map((id) => <Message key={id} id={id} />)}<input name="text" /></form>;
 * }
 *
 * function Message({ id }: { id: string }) {
 *   const message = useMessage(chat, id);
 *   return message && <p>{message.role}: {textOf(message)}</p>;
 * }
 * ```
 */
export function openAgUi<S extends WithAgUiMessages = AgUiState, U extends object = ThreadUpdate<S>>(
  options: AgUiRunnerOptions & OpenOptions<S, U>,
): AgUiRunner<S, U> {
  checkRunnerOptions<AgUiRunnerOptions & OpenOptions<S, U>>("openAgUi", options, { ...OWN_OPTIONS, ...OPEN_OPTIONS });
  return opened<S, U, AgUiRunnerOptions, AgUiRunner<S, U>>({
    call: "openAgUi",
    runner: "AgUiRunner",
    address: options.url === undefined ? undefined : `ag-ui:${String(options.url)}`,
    options,
    make: (thread, own) => new AgUiRunner<S, U>(thread, own),
  });
}
