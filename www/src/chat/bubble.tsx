// How one message looks, whichever protocol it came by.
import { createContext, use, type ReactNode } from "react";
import type { PendingUpdate, RunStatus } from "threadfold";
import { read } from "./message";
import { Compacted, SummaryMark } from "./summary-mark";
import { ToolCall, ToolResult } from "./tool-call";

/** The actions on a message that the server does not have, and the runner's next step. */
export const WaysOut = createContext<
  { readonly status: RunStatus; retry(update: PendingUpdate): void; takeBack(update: PendingUpdate): void } | undefined
>(undefined);

const NAMES = { user: "You", assistant: "Agent", tool: "Tool", system: "System" };

interface Props {
  readonly message: object;
  readonly unconfirmed?: PendingUpdate | undefined;
  /** Draws the work of a call, inside it. */
  readonly within?: ((callId: string) => ReactNode) | undefined;
}

export function Bubble({ message, unconfirmed, within }: Props) {
  const { id, role, text, calls } = read(message);
  const record = use(Compacted);
  // A server's own summary is a message of its list.
  if (id === (record?.summary_message as { id?: string } | null | undefined)?.id) return;
  return (
    <>
      {id === record?.cutoff_id && <SummaryMark of={record} />}
      <li className={`message ${role}`} data-id={id} data-status={unconfirmed?.status ?? "confirmed"}>
        <span className="who">{NAMES[role]}</span>
        {role === "tool" ? <ToolResult text={text} /> : text && <p className="text">{text}</p>}
        {calls.map((call, at) => (
          <ToolCall key={at} {...call}>
            {within?.(call.id)}
          </ToolCall>
        ))}
        {unconfirmed && <Note update={unconfirmed} />}
      </li>
    </>
  );
}

/** The note on a message that the server has not confirmed. */
function Note({ update }: { update: PendingUpdate }) {
  const ways = use(WaysOut);
  if (update.status === "sent") return <p className="note">sent, not confirmed yet</p>;
  const isWaiting = update.status === "pending";
  if (isWaiting && ways?.status === "interrupted") return <p className="note">goes out after your answer</p>;
  if (isWaiting && ways?.status !== "ready") return <p className="note">goes out when the agent is done</p>;
  return (
    <p className="note">
      {isWaiting ? "Stopped before the server had it" : `Failed: ${sentence(update.error)}`}
      {ways && (
        <span className="ways-out">
          <button type="button" className="quiet" onClick={() => ways.retry(update)}>
            Send again
          </button>
          <button type="button" className="quiet" onClick={() => ways.takeBack(update)}>
            Take back
          </button>
        </span>
      )}
    </p>
  );
}

/** The message of a server or network error: an Error, or an object with a message. */
export const sentence = (error: unknown): string =>
  String((error as { message?: unknown } | undefined)?.message ?? error ?? "the server gave no reason");
