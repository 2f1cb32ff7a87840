// The messages that a user sends into a run under way.

/** The key of a run's `configurable` under which its inbox is. Checkpoints do not have it in their metadata. */
const INBOX = "__threadfold_inbox";

/** A user's message, in LangChain's form. */
export interface InboxMessage {
  readonly type: "human";
  readonly id: string;
  readonly content: string | readonly object[];
}

/** How many messages a run takes. More wait for the next run, as all do that it does not take. */
const MOST = 100;

/** Holds messages for the nodes of one run. Each goes to one task, and again to that task if it is tried again. */
export class RunInbox {
  readonly #messages = new Map<string, { readonly message: InboxMessage; task?: string }>();

  /** A message that came before, as one whose answer was lost, changes nothing. */
  add(messages: readonly InboxMessage[]): void {
    for (const message of messages)
      if (!this.#messages.has(message.id) && this.#messages.size < MOST) this.#messages.set(message.id, { message });
  }

  /** Returns a task's messages. One whose id the thread has would replace that: nobody gets it. */
  take(task: string, known: unknown): InboxMessage[] {
    if (this.#messages.size === 0) return [];
    const ids = new Set(Array.isArray(known) ? known.map((message: { id?: unknown }) => message.id) : []);
    return [...this.#messages.values()].flatMap((one) => {
      one.task ??= ids.has(one.message.id) ? "" : task;
      return one.task === task ? one.message : [];
    });
  }
}

/** Returns a run's config with its inbox. */
export function withInbox(config: object, inbox: RunInbox | undefined): object {
  const { configurable } = config as { configurable?: object };
  return inbox ? { ...config, configurable: { ...configurable, [INBOX]: inbox } } : config;
}

export const inboxIn = (configurable: Readonly<Record<string, unknown>>): RunInbox | undefined =>
  configurable[INBOX] as RunInbox | undefined;
