import type { RunFinished } from "./event-types.js";

/** The tool calls of a run: those it started, and those it answered itself. */
export class RunCalls {
  #started = new Set<string>();
  #answered = new Set<string>();

  begin(): void {
    this.#started = new Set();
    this.#answered = new Set();
  }

  started(callId: string): void {
    this.#started.add(callId);
  }

  answered(callId: string): void {
    this.#answered.add(callId);
  }

  /**
   * Returns the tool calls that a run leaves to the client: those it names, else those it started and did not answer.
   */
  leftOver({ outcome }: RunFinished): string[] {
    const named = outcome?.type === "success" ? outcome.pendingToolCallIds : undefined;
    return named && named.length > 0 ? [...named] : [...this.#started].filter((id) => !this.#answered.has(id));
  }
}
