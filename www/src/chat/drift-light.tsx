// One light: green while the server's snapshots agree with the thread's own state.
import { useEffect, useState } from "react";
import type { Chat } from "./connection";

export interface DriftSeen {
  readonly drifts: number;
  readonly errors: number;
  /** The differences, and the events that could not be folded: the latest first. */
  readonly notes: readonly string[];
}

const NOTHING: DriftSeen = { drifts: 0, errors: 0, notes: [] };
const SHOWN = 20;

/** The drift since the last successful run without any. */
export function useDrift({ thread, agent }: Chat): DriftSeen {
  const [seen, setSeen] = useState(NOTHING);
  useEffect(() => {
    let isGood = true;
    const note = (kind: "drifts" | "errors", text: string) => {
      isGood = false;
      setSeen((seen) => ({ ...seen, [kind]: seen[kind] + 1, notes: [text, ...seen.notes].slice(0, SHOWN) }));
    };
    const ends = [
      thread.on("drift", ({ patch }) => note("drifts", JSON.stringify(patch).slice(0, 600))),
      thread.on("error", ({ code, message }) => note("errors", `${code}: ${message}`)),
      agent.subscribe(() => {
        if (agent.status === "submitted") isGood = true;
        if (agent.status === "ready" && isGood) setSeen(NOTHING);
      }),
    ];
    return () => {
      for (const end of ends) end();
      setSeen(NOTHING);
    };
  }, [thread, agent]);
  return seen;
}

export function DriftLight({ drift: { drifts, errors } }: { drift: DriftSeen }) {
  const parts = [
    drifts > 0 ? `Drifted ${drifts === 1 ? "once" : `${drifts} times`}` : "",
    errors > 0 ? `${errors} ${errors === 1 ? "event" : "events"} refused` : "",
  ].filter(Boolean);
  return (
    <p id="drift" className="drift" data-drift={drifts} data-errors={errors}>
      <span className="light" aria-hidden="true" />
      <span id="drift-status" role="status">
        {parts.join(", ") || "In sync"}
      </span>
    </p>
  );
}

export function DriftDetails({ drift: { notes } }: { drift: DriftSeen }) {
  if (notes.length === 0) return null;
  return (
    <details className="drift-details">
      <summary>What does that mean?</summary>
      <p>
        The server’s snapshot differs from its stream. The server owns the state, so its version stands. The light turns
        off after a run in which both agree. The differences:
      </p>
      <ol className="drifts">
        {notes.map((text, at) => (
          <li key={notes.length - at}>
            <code>{text}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}
