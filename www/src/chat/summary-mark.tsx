// The summary that replaces older messages for the model.
import { createContext, useSyncExternalStore } from "react";
import { textOf, type Thread } from "threadfold";
import type { ContextRecord } from "threadfold";

/** The record of the last compaction. */
export const Compacted = createContext<ContextRecord | undefined>(undefined);

export function useRecord(thread: Thread): ContextRecord | undefined {
  return useSyncExternalStore(thread.subscribe, () => thread.context);
}

/** Stands above the first message that is sent whole. */
export function SummaryMark({ of: { summary_message: summary } }: { of: ContextRecord }) {
  return (
    <li className="summary-mark">
      <details>
        <summary>The model gets {summary ? "a summary" : "nothing"} of the messages above</summary>
        {summary && <p>{textOf(summary as never)}</p>}
      </details>
    </li>
  );
}
