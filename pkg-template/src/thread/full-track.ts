// The full track of a conversation: what the server has, behind what its compactions took out of its list.
import { ThreadfoldError } from "../errors.js";
import { addMessages, type MessageObject } from "../messages.js";

type Messages = readonly object[];

/**
 * What stands for the older messages in what a model is sent: deepagents' `_summarization_event`, and ids. `contextOf`
 * of `threadfold/context` reads it.
 */
export interface ContextRecord {
  /** How many messages of the full track it stands for. */
  readonly cutoff_index: number;
  /** The id of the first message that is sent whole. It counts before the index. */
  readonly cutoff_id?: string | undefined;
  /** What is sent in their place; null for nothing. */
  readonly summary_message: object | null;
  /** Where the older messages are kept as a file, if anywhere. */
  readonly file_path?: string | null | undefined;
  readonly created_at_index?: number | undefined;
  /** The id of the message in front of which tool results are cleared and long arguments cut. */
  readonly edited_before?: string | undefined;
}

/** What a thread's record has of it. */
export interface FullTrackRecord {
  readonly front?: Messages | undefined;
  readonly context?: ContextRecord | undefined;
}

export class FullTrack {
  context: ContextRecord | undefined;
  /** What compactions of the server took out, oldest first; undefined where only the server's list counts. */
  #front: Messages | undefined;
  #of: readonly [messages: Messages, front: Messages | undefined] | undefined;
  #whole: Messages = [];

  constructor(isFull: boolean) {
    if (isFull) this.#front = [];
  }

  /** Makes it of the thread's record: what was a message's instance is a message again. */
  static of({ front, context }: FullTrackRecord): FullTrack {
    const history = new FullTrack(front !== undefined);
    if (front) history.#front = addMessages([], front as readonly MessageObject[]);
    history.context = context;
    return history;
  }

  /** Returns whether an event of this type may be a compaction. */
  hears(type: string): boolean {
    return this.#front !== undefined && (type === "values" || type === "messages" || type === "update");
  }

  /** Takes note of what the server said: it compacted its list if that begins with another summary than before. */
  heard(before: Messages, after: Messages): void {
    const at = summaryIn(after);
    const summary = after[at];
    if (!summary) {
      // Whatever else goes is removed.
      if (this.#front && this.#front.length > 0) this.#front = [];
      return;
    }
    if (before.includes(summary)) return;
    // Compared without the summary: LangChain's for JavaScript has the id of a message that it stands for.
    const stays = idsOf(after.filter((message) => message !== summary));
    const known = idsOf(this.#front ?? []);
    const gone = before.filter(
      (message) => !isSummary(message) && !stays.has(idOf(message)) && !known.has(idOf(message)),
    );
    this.#front = [...(this.#front ?? []), ...gone];
    this.context = {
      cutoff_index: this.#front.length,
      cutoff_id: idOf(after[at + 1]),
      summary_message: summary,
      file_path: null,
    };
  }

  /** Returns the full track around the messages to show. The same list until either changes. */
  of(messages: Messages): Messages {
    const front = this.#front;
    if (!front) return messages;
    if (this.#of?.[0] !== messages || this.#of[1] !== front) {
      const own = messages.filter((message) => !isSummary(message));
      const shown = idsOf(own);
      this.#whole = [...front.filter((message) => !shown.has(idOf(message))), ...own];
      this.#of = [messages, front];
    }
    return this.#whole;
  }

  toJSON(): FullTrackRecord {
    return { front: this.#front, context: this.context };
  }
}

/** The place of the summary with which a list begins, behind system messages; -1 if it begins otherwise. */
function summaryIn(messages: Messages): number {
  const first = messages.findIndex((message) => !isSystem(message));
  return isSummary(messages[first]) ? first : -1;
}

function isSummary(message: object | undefined): boolean {
  const { additional_kwargs: more } = (message ?? {}) as { additional_kwargs?: { lc_source?: unknown } | null };
  return more?.lc_source === "summarization";
}

const isSystem = (message: object) => {
  const { type, role } = message as { type?: unknown; role?: unknown };
  return type === "system" || role === "system";
};

const idOf = (message: object | undefined) => (message as { id?: string } | undefined)?.id;
const idsOf = (messages: Messages) => new Set(messages.map(idOf));

/** Returns the record that a compaction makes. */
export function compacted(due: Compaction | null | undefined, summary: unknown): ContextRecord {
  if (typeof due?.toRecord !== "function")
    throw new ThreadfoldError("INVALID_VALUE", "compact takes what a Context says is due.");
  return due.toRecord(summary);
}

/** What is due, as `Context` of `threadfold/context` says it. */
export interface Compaction {
  toRecord(summary: unknown): ContextRecord;
}
