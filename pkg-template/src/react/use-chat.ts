// The state and the calls of a chat, in a component.
import { useCallback, useSyncExternalStore } from "react";
import type { Runner } from "../runner/runner.js";
import type { ThreadfoldError } from "../shared/errors.js";
import type { Interrupt } from "../stream/run-result.js";
import type { RunStatus } from "../thread/thread-types.js";
import type { Thread } from "../thread/thread.js";
import { initially } from "./initial-messages.js";

/** The state and the calls of a chat: what {@link useChat} returns. The calls work detached. */
export interface Chat<S extends object, U extends object> extends Pick<
  Runner<S, U>,
  "sendMessage" | "regenerate" | "stop" | "retry" | "resume"
> {
  readonly thread: Thread<S, U>;
  /** The ids of the messages to show, in order. */
  readonly messageIds: readonly string[];
  readonly status: RunStatus;
  /** Why the last run failed, or why its connection broke. */
  readonly error: ThreadfoldError | undefined;
  /** The run's interrupts. */
  readonly interrupts: readonly Interrupt[];
  /** Whether the thread is being opened, and has no message yet. */
  readonly isThreadLoading: boolean;
}

/**
 * Returns the state and the calls of a chat. Renders the component again when a message comes, goes or moves, and when
 * the status, the error or the interrupts change. A token renders only the {@link useMessage} of its message.
 *
 * On a server, and during hydration, it has the messages that the thread was made with, and the status `ready`.
 *
 * @example
 * ```tsx
 * import { textOf } from "threadfold";
 * import type { AgUiRunner } from "threadfold/ag-ui";
 * import { useChat, useMessage } from "threadfold/react";
 *
 * export function Chat({ agent }: { agent: AgUiRunner }) {
 *   const { messageIds, status, error, sendMessage, stop, retry } = useChat(agent);
 *   return (
 *     <form action={(form: FormData) => void sendMessage(String(form.get("text")))}>
 *       {messageIds.map((id) => <Message key={id} agent={agent} id={id} />)}
 *       {status === "streaming" && <button type="button" onClick={() => void stop()}>Stop</button>}
 *       {error && <p role="alert">{error.message} <button type="button" onClick={() => void retry()}>Retry</button></p>}
 *       <input name="text" />
 *     </form>
 *   );
 * }
 *
 * function Message({ agent, id }: { agent: AgUiRunner; id: string }) {
 *   const message = useMessage(agent, id);
 *   return message && <p>{textOf(message)}</p>;
 * }
 * ```
 */
export function useChat<S extends object, U extends object>(runner: Runner<S, U>): Chat<S, U> {
  const subscribe = useCallback(
    (listener: () => void) => {
      const leaveThread = runner.thread.subscribe(listener);
      const leaveRunner = runner.subscribe(listener);
      return () => {
        leaveRunner();
        leaveThread();
      };
    },
    [runner],
  );
  return useSyncExternalStore(
    subscribe,
    () => chatOf(runner),
    () => firstChatOf(runner),
  );
}

type Calls = Pick<Chat<object, object>, "sendMessage" | "regenerate" | "stop" | "retry" | "resume" | "thread">;
type AnyRunner = Runner<object, object>;

const calls = new WeakMap<object, Calls>();
const chats = new WeakMap<object, Chat<object, object>>();
const firstChats = new WeakMap<object, Chat<object, object>>();

/** The runner's calls, bound once. */
function callsOf(runner: AnyRunner): Calls {
  let own = calls.get(runner);
  if (!own) {
    own = {
      thread: runner.thread,
      sendMessage: runner.sendMessage.bind(runner),
      regenerate: runner.regenerate.bind(runner),
      stop: runner.stop.bind(runner),
      retry: runner.retry.bind(runner),
      resume: runner.resume.bind(runner),
    };
    calls.set(runner, own);
  }
  return own;
}

/** The same object while nothing of it has changed. */
function chatOf<S extends object, U extends object>(given: Runner<S, U>): Chat<S, U> {
  const runner = given as unknown as AnyRunner;
  const { status, error, interrupts, isThreadLoading } = runner;
  const { messageIds } = runner.thread;
  const before = chats.get(runner);
  const isSame =
    before?.messageIds === messageIds &&
    before.status === status &&
    before.error === error &&
    before.interrupts === interrupts &&
    before.isThreadLoading === isThreadLoading;
  if (!isSame) chats.set(runner, { ...callsOf(runner), messageIds, status, error, interrupts, isThreadLoading });
  return chats.get(runner) as unknown as Chat<S, U>;
}

function firstChatOf<S extends object, U extends object>(given: Runner<S, U>): Chat<S, U> {
  const runner = given as unknown as AnyRunner;
  let first = firstChats.get(runner);
  if (!first) {
    const { ids: messageIds } = initially(runner.thread);
    const rest = { status: "ready", error: undefined, interrupts: [], isThreadLoading: false } as const;
    firstChats.set(runner, (first = { ...callsOf(runner), messageIds, ...rest }));
  }
  return first as unknown as Chat<S, U>;
}
