// The run's status, in words, and the button that stops it.
import { useRun } from "threadfold/react";
import { sentence } from "./bubble";
import type { Chat } from "./connection";

export function RunStatus({ chat: { thread, agent }, status }: { chat: Chat; status: Chat["agent"]["status"] }) {
  const isLost = useRun(thread, (run) => run.status === "disconnected");
  const goesOn = status === "submitted" || status === "streaming";
  return (
    <div className="run">
      <p id="run-status" role="status" data-status={status}>
        {words(chatWords(status, isLost), agent.error)}
      </p>
      {goesOn && (
        <button type="button" className="quiet" onClick={() => void agent.stop()}>
          Stop
        </button>
      )}
      {status === "disconnected" && (
        <button type="button" className="quiet" onClick={() => void agent.load()}>
          Join again
        </button>
      )}
      {status === "error" && (
        <button type="button" className="quiet" onClick={() => void agent.retry()}>
          Try again
        </button>
      )}
    </div>
  );
}

function chatWords(status: Chat["agent"]["status"], isLost: boolean): string {
  switch (status) {
    case "submitted":
      return isLost ? "The connection broke. Joining the run again…" : "Waiting for the server…";
    case "streaming":
      return "The agent is answering…";
    case "interrupted":
      return "The agent waits for you.";
    case "error":
      return "Failed";
    case "disconnected":
      return "The connection broke";
    default:
      return "";
  }
}

const words = (text: string, error: unknown) => (error === undefined ? text : `${text}: ${sentence(error)}`);
