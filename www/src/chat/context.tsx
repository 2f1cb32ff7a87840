// The context for the agent's model, and how full it is.
import { useEffect, useSyncExternalStore } from "react";
import { textOf, type Thread } from "threadfold";
import { Context, type ContextDue, type ContextView } from "threadfold/context";

/** A model with little room, so that a visitor sees a full context soon. */
export const ROOM = 1_200;
const context = new Context({ maxInputTokens: ROOM, trigger: { fraction: 0.8 }, keep: { fraction: 0.3 } });

/** The context of a thread; a due compaction is carried out between two runs. */
export function useContextOf(thread: Thread, isIdle: boolean): ContextView {
  const view = useSyncExternalStore(thread.subscribe, () => context.of(thread));
  const { due } = view;
  useEffect(() => {
    if (due && isIdle) thread.compact(due, due.summarize ? summaryOf(due) : null);
  }, [thread, due, isIdle]);
  return view;
}

/** A model would write it; here it lists the questions. */
function summaryOf({ previousSummary, messages }: ContextDue): string {
  const asked = messages.filter((message) =>
    "role" in message ? message.role === "user" : "type" in message && message.type === "human",
  );
  return [previousSummary, ...asked.map((message) => `The user said: ${textOf(message as never).slice(0, 80)}`)]
    .filter(Boolean)
    .join("\n");
}

const RADIUS = 7;
const AROUND = 2 * Math.PI * RADIUS;

export function ContextRing({ view: { usage }, room = ROOM, id }: { view: ContextView; room?: number; id?: string }) {
  const share = Math.min(1, usage.tokens / room);
  const label = `Context: ${usage.tokens.toLocaleString("en")} of ${room.toLocaleString("en")} tokens`;
  return (
    <span
      id={id}
      className="context"
      role="img"
      aria-label={label}
      title={`${label}; ${usage.summary} of them the summary`}
      data-tokens={usage.tokens}
    >
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r={RADIUS} className="ring" />
        <circle
          cx="10"
          cy="10"
          r={RADIUS}
          className="full"
          strokeDasharray={`${share * AROUND} ${AROUND}`}
          transform="rotate(-90 10 10)"
        />
      </svg>
      <span className="share">{Math.round(share * 100)} %</span>
    </span>
  );
}
