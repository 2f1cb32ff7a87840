// Which message of a thread is the result of a tool call, and who listens to that.

interface Store {
  readonly messageIds: readonly string[];
  getMessage(id: string): object | undefined;
  subscribe(listener: () => void): () => void;
}

/** One subscription for all components of a thread: while no message comes, goes or moves, a change wakes none of them. */
export class ResultIds {
  readonly #thread: Store;
  #ids: readonly string[] | undefined;
  #byCall: ReadonlyMap<string, string> = new Map();
  /** `messageIds`, when listeners were last notified. */
  #told: readonly string[] | undefined;
  readonly #listeners = new Set<() => void>();
  #end = () => {};

  constructor(thread: Store) {
    this.#thread = thread;
  }

  /** Returns the id of the call's result. Looks through the messages once for each list of ids. */
  get(toolCallId: string): string | undefined {
    const { messageIds } = this.#thread;
    if (messageIds !== this.#ids) {
      this.#byCall = resultsOf(messageIds.map((id) => this.#thread.getMessage(id)));
      this.#ids = messageIds;
    }
    return this.#byCall.get(toolCallId);
  }

  add(listener: () => void): () => void {
    const own = () => listener();
    if (this.#listeners.size === 0) {
      this.#told = this.#thread.messageIds;
      this.#end = this.#thread.subscribe(() => this.#tell());
    }
    this.#listeners.add(own);
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#end();
    };
  }

  #tell(): void {
    if (this.#thread.messageIds === this.#told) return;
    this.#told = this.#thread.messageIds;
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener();
  }
}

/** Returns the ids of results by the ids of their calls, in either form of messages. */
export function resultsOf(messages: Iterable<object | undefined>): ReadonlyMap<string, string> {
  const byCall = new Map<string, string>();
  for (const message of messages) {
    const { id, toolCallId, tool_call_id: callId = toolCallId } = (message ?? {}) as Record<string, unknown>;
    if (typeof id === "string" && typeof callId === "string") byCall.set(callId, id);
  }
  return byCall;
}
