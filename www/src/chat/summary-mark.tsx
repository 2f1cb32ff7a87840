// What stands for the messages that the model is not sent any more.
import { createContext, useSyncExternalStore } from "react";
import { textOf, type ContextRecord, type Thread } from "threadfold";

/** What the last compaction came to. */
export const Compacted = createContext<ContextRecord | undefined>(undefined);

export function useRecord(thread: Thread): ContextRecord | undefined {
  return useSyncExternalStore(thread.subscribe, () => thread.context);
}

/** Stands above the first message that is sent whole. */
export function SummaryMark({ of: { summary_message: summary } }: { of: ContextRecord }) {
  return (
    <li className="summary-mark">
      <details>
        <summary>What is above is sent to the model as {summary ? "a summary" : "nothing"}</summary>
        {summary && <p>{textOf(summary as never)}</p>}
      </details>
    </li>
  );
}
