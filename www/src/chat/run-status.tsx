// The run's status, in words, and the button that stops it.
import { useSyncExternalStore } from "react";
import { sentence } from "./bubble";
import type { Chat } from "./connection";

export function RunStatus({ chat: { agent }, status }: { chat: Chat; status: Chat["agent"]["status"] }) {
  const error = useSyncExternalStore(agent.subscribe, () => agent.error);
  const rejoins = status === "disconnected" && error === undefined;
  const goesOn = status === "submitted" || status === "streaming" || rejoins;
  return (
    <div className="run">
      <p id="run-status" role="status" data-status={status}>
        {words(rejoins ? "The connection broke. Joining the run again…" : chatWords(status), error)}
      </p>
      {goesOn && (
        <button type="button" className="quiet" onClick={() => void agent.stop()}>
          Stop
        </button>
      )}
      {status === "disconnected" && !rejoins && (
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

function chatWords(status: Chat["agent"]["status"]): string {
  switch (status) {
    case "submitted":
      return "Waiting for the server…";
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
