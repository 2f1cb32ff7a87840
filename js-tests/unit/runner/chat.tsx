// A chat: an app's code around its runner.
import { useSyncExternalStore } from "react";
import { textOf, type AgUiMessage, type AgUiState, type Thread } from "threadfold";
import type { AgUiRunner } from "threadfold/ag-ui";
import { useMessage, useMessageIds, usePending } from "threadfold/react";

function Message({ thread, id }: { thread: Thread<AgUiState>; id: string }) {
  const message = useMessage<AgUiMessage>(thread, id);
  const failed = usePending(thread, id).some(({ status }) => status === "failed");
  return <p className={message?.role}>{message && textOf(message) + (failed ? " (failed)" : "")}</p>;
}

export function Chat({ runner }: { runner: AgUiRunner }) {
  const { thread, interrupts, error } = runner;
  const status = useSyncExternalStore(runner.subscribe, runner.getStatus, runner.getStatus);
  const isRunning = status === "submitted" || status === "streaming";
  return (
    <main>
      {useMessageIds(thread).map((id) => (
        <Message key={id} thread={thread} id={id} />
      ))}
      {interrupts.map(({ id, message = "May I?" }) => (
        <p key={id}>
          {message} <button onClick={() => runner.resume({ id, value: true })}>Yes</button>
          <button onClick={() => runner.resume({ id, value: false })}>No</button>
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      {status === "error" && <button onClick={() => runner.retry()}>Retry</button>}
      <form action={(form) => void runner.sendMessage(String(form.get("text")))}>
        <input name="text" aria-label="Message" required />
        <button>Send</button>
        {isRunning && <button type="button" onClick={() => runner.stop()} children="Stop" />}
      </form>
    </main>
  );
}
