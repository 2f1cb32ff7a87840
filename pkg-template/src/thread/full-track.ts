// The full track of a conversation: the messages that compactions removed from the server's list, then that list.
import { ThreadfoldError } from "../shared/errors.js";
import { sameJson } from "../shared/same-json.js";
import { addMessages, type MessageObject } from "../state/messages.js";

type Messages = readonly object[];
/** The messages of the shown and of the confirmed state. */
type Look = readonly [shown: Messages, confirmed: Messages];
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
  #front: Messages | undefined;
  /** The messages that an update has cleared: a compaction's removal may arrive before its summary. */
  #cleared = NONE;
  /** The summary with which the server's list begins. */
  #summary: object | undefined;
  #last: readonly [messages: Messages, front: Messages, cleared: Messages, whole: Messages] | undefined;

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

  /** Records an event, from the messages before and after it. */
  heard(type: string, [before, had]: Look, [after, confirmed]: Look): void {
    const at = startOf(confirmed);
    const summary = confirmed.slice(at, at + 1).find(isSummary);
    const last = this.#summary;
    const clears = type === "update" && confirmed.length === 0;
    let front = this.#front as Messages;
    // The most frequent case by far.
    if (!summary && !last && !clears && front.length === 0 && this.#cleared === NONE) return;
    // Without the summary: LangChain's for JavaScript has the id of a message that it stands for.
    const shown = keysOf(withoutSummary(after));
    const known = keysOf(had);
    const isGone = (message: object) => !shown.has(keyOf(message));
    const behind = front.filter(isGone);
    if (behind.length < front.length) front = behind;
    // Of summaries only the one that stands for what nobody here has seen.
    const stays = (message: object) => !isSummary(message) || (behind.length === 0 && idOf(message) !== idOf(summary));
    // A message that the server did not have is not gone: it may have another id now.
    const gone = this.#cleared
      .concat(before.filter((message) => known.has(keyOf(message))))
      .filter(isGone)
      .filter(stays);
    this.#cleared = clears ? gone : NONE;
    if (!clears) this.#summary = summary;
    if (!clears && type !== "run-started") {
      if (!summary) {
        front = [];
        if (last && sameJson(this.context?.summary_message, last)) this.context = undefined;
      } else if (!sameJson(summary, last)) {
        front = front.concat(gone);
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
    const cleared = this.#cleared;
    if (front.length + cleared.length === 0) return messages;
    if (this.#last?.[0] !== messages || this.#last[1] !== front || this.#last[2] !== cleared) {
      const own = withoutSummary(messages);
      const start = startOf(own);
      this.#last = [messages, front, cleared, [...own.slice(0, start), ...front, ...cleared, ...own.slice(start)]];
    }
    return this.#last[3];
  }

  toJSON(): FullTrackRecord {
    return { front: this.#front, summary: this.#summary, context: this.context };
  }
}

/** The position after the system messages at the start of a list, where a summary stands. */
function startOf(messages: Messages): number {
  const start = messages.findIndex((message) => !isSystem(message));
  return start < 0 ? messages.length : start;
}

const isSummary = (message: { additional_kwargs?: { lc_source?: unknown } | null }): boolean =>
  message.additional_kwargs?.lc_source === "summarization";

const isSystem = (message: object) => {
  const { type, role } = message as { type?: unknown; role?: unknown };
  return [type, role].includes("system") && !isSummary(message);
};

const idOf = (message: object | undefined) => (message as { id?: string } | undefined)?.id;

/** A tool's result may get another id. */
const keyOf = (message: object) => (message as { tool_call_id?: string }).tool_call_id ?? idOf(message);
const keysOf = (messages: Messages) => new Set(messages.map(keyOf));
const withoutSummary = (messages: Messages) => messages.filter((message) => !isSummary(message));

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
