// The full track of a conversation: the messages that compactions removed from the server's list, then that list.
import { ThreadfoldError } from "../shared/errors.js";
import { sameJson } from "../shared/same-json.js";
import { addMessages, type MessageObject } from "../state/messages.js";

type Messages = readonly object[];
const NONE: Messages = [];

/**
 * The record that replaces the older messages in the model's input. It is deepagents' `_summarization_event`, field for
 * field. It adds ids, which stay right when earlier messages are removed. `Context` of `threadfold/context` reads it.
 */
export interface ContextRecord {
  /** How many messages of the full track are not sent any more. */
  readonly cutoff_index: number;
  /** The id of the first message that is sent. It counts before the index. */
  readonly cutoff_id?: string | undefined;
  /**
   * The id of the last message that is not sent. If the first sent message is gone, the messages after this one are
   * sent.
   */
  readonly summarized_id?: string | undefined;
  /** The message sent in their place; null for none. */
  readonly summary_message: object | null;
  /** Where the older messages are kept as a file, if anywhere. */
  readonly file_path?: string | null | undefined;
  /** How many messages there were when the summary was made. */
  readonly created_at_index?: number | undefined;
  /** The message before which tool results are cleared and arguments truncated: its id, or its position if it has none. */
  readonly edited_before?: string | number | undefined;
  /** The id of the message in front of that one: where that one is gone, edits apply up to and with this one. */
  readonly edited_id?: string | undefined;
}

/** The part of it in a thread's record. */
export interface FullTrackRecord {
  readonly front?: Messages | undefined;
  readonly summary?: object | undefined;
  readonly context?: ContextRecord | undefined;
}

/**
 * The front of the track is the messages that the server's compactions removed from its list. It exists while the list
 * begins with a summary, and contains no message that is shown.
 */
export class FullTrack {
  context: ContextRecord | undefined;
  /** Oldest first; undefined where only the server's list counts. */
  #front: object[] | undefined;
  /** The messages that an update has cleared: a compaction's removal may arrive before its summary. */
  #cleared = NONE;
  /** The summary with which the server's list begins. */
  #summary: object | undefined;
  #last: readonly [messages: Messages, front: Messages, length: number, whole: Messages] | undefined;

  constructor(isFull: boolean) {
    if (isFull) this.#front = [];
  }

  /** Continues from a thread's record: saved message instances become messages again. */
  restore({ front, summary, context }: FullTrackRecord): void {
    if (front) this.#front = addMessages([], front as readonly MessageObject[]);
    this.#summary = summary;
    this.context = context;
  }

  /** Returns whether an event of this type may be a compaction, or revert one. */
  hears(type: string): boolean {
    return this.#front !== undefined && /^(values|messages|update|run-)/.test(type);
  }

  /** Records an event, from the earlier and current shown state, and from the confirmed state. */
  heard(type: string, before: Messages, after: Messages, confirmed: Messages): void {
    const at = summaryIn(confirmed);
    const summary = confirmed[at];
    const last = this.#summary;
    const clears = type === "update" && confirmed.length === 0;
    let front = this.#front ?? [];
    // The most frequent case by far.
    if (!summary && !last && !clears && front.length === 0 && this.#cleared === NONE) return;
    // Without the summary: LangChain's for JavaScript has the id of a message that it stands for.
    const shown = idsOf(after.filter((message) => !isSummary(message)));
    const isGone = (message: object) => !shown.has(idOf(message));
    const behind = front.filter(isGone);
    if (behind.length < front.length) front = behind;
    // Of summaries only the one that stands for what nobody here has seen.
    const isDone = (message: object) => isSummary(message) && (behind.length > 0 || idOf(message) === idOf(summary));
    const gone = [...this.#cleared, ...before].filter((message) => isGone(message) && !isDone(message));
    this.#cleared = clears ? gone : NONE;
    if (!clears) this.#summary = summary;
    if (!clears && type !== "run-started") {
      if (!summary) {
        front = [];
        if (last && sameJson(this.context?.summary_message, last)) this.context = undefined;
      } else if (!sameJson(summary, last)) {
        for (const message of gone) front.push(message);
        this.context = {
          cutoff_index: front.length,
          cutoff_id: idOf(confirmed[at + 1]),
          summarized_id: idOf(front.at(-1)),
          summary_message: summary,
          file_path: null,
        };
      }
    }
    this.#front = front;
  }

  /** Returns the full track around the messages to show. The same list until one of them changes. */
  of(messages: Messages): Messages {
    const front = this.#front ?? NONE;
    const behind = this.#cleared.length > 0 ? front.concat(this.#cleared) : front;
    if (behind.length === 0) return messages;
    if (this.#last?.[0] !== messages || this.#last[1] !== front || this.#last[2] !== behind.length) {
      const start = messages.findIndex((message) => !isSystem(message));
      const at = messages.findIndex(isSummary);
      const rest = at < 0 ? messages.slice(start) : [...messages.slice(start, at), ...messages.slice(at + 1)];
      this.#last = [messages, front, behind.length, [...messages.slice(0, start), ...behind, ...rest]];
    }
    return this.#last[3];
  }

  toJSON(): FullTrackRecord {
    return { front: this.#front, summary: this.#summary, context: this.context };
  }
}

/** The position of the summary at the start of a list, after system messages; -1 if there is none. */
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
  return (type === "system" || role === "system") && !isSummary(message);
};

const idOf = (message: object | undefined) => (message as { id?: string } | undefined)?.id;
const idsOf = (messages: Messages) => new Set(messages.map(idOf));

/** Returns the record that a compaction makes. */
export function compacted(due: Compaction | null | undefined, summary: unknown): ContextRecord {
  if (typeof due?.toRecord !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", "compact takes what a Context says is due.");
  return due.toRecord(summary);
}

/** A due compaction, in the form of `Context` of `threadfold/context`. */
export interface Compaction {
  toRecord(summary: unknown): ContextRecord;
}
