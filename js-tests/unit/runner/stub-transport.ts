// The way to a stub server that keeps its runs: joined at an address of their own, stopped at another.
import { httpTransport, type AgUiTransport } from "threadfold/ag-ui";

type Fetch = typeof globalThis.fetch;

/** Joins runs at this address, after the last part received. */
export const joinAt =
  (fetch: Fetch, addressOf: (run: { threadId: string; runId: string }) => string): NonNullable<AgUiTransport["join"]> =>
  ({ lastEventId, ...run }, { signal }) =>
    fetch(addressOf(run), {
      headers: { accept: "text/event-stream", ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
      signal,
    });

export const stubTransport = (fetch: Fetch): AgUiTransport => ({
  ...httpTransport({ url: "http://stub/agent", fetch }),
  join: joinAt(fetch, ({ runId }) => `http://stub/runs/${runId}`),
  cancel: ({ runId }, { signal }) => fetch(`http://stub/runs/${runId}/cancel`, { method: "POST", signal }),
});
