// Whether a thread's run is under way.
interface WithRun {
  readonly run: { readonly status: string };
}

/** Whether a run is under way, and its connection holds as far as anybody knows. */
export const isConnected = ({ run: { status } }: WithRun): boolean => status === "submitted" || status === "streaming";

/** Whether a run is under way, connected or not. */
export const isOpen = (thread: WithRun): boolean => isConnected(thread) || thread.run.status === "disconnected";
