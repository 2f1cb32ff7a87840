// The full track of a conversation: what the server has, behind what its compactions took out of its list.
import { ThreadfoldError } from "../errors.js";
import { sameJson } from "../same-json.js";
import { addMessages, type MessageObject } from "../messages.js";

type Messages = readonly object[];
const NONE: Messages = [];

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
  readonly summary?: object | undefined;
  readonly context?: ContextRecord | undefined;
}

export class FullTrack {
  context: ContextRecord | undefined;
  /** What compactions of the server took out, oldest first; undefined where only the server's list counts. */
  #front: Messages | undefined;
  /** What an update has cleared: of a compaction's parts the removal may arrive before the summary. */
  #cleared = NONE;
  /** The summary with which the server's list begins. */
  #summary: object | undefined;
  #last: readonly [messages: Messages, front: Messages, cleared: Messages, whole: Messages] | undefined;

  constructor(isFull: boolean) {
    if (isFull) this.#front = NONE;
  }

  /** Makes it of a thread's record: what was a message's instance is a message again. */
  static of({ front, summary, context }: FullTrackRecord): FullTrack {
    const track = new FullTrack(front !== undefined);
    if (front) track.#front = addMessages([], front as readonly MessageObject[]);
    track.#summary = summary;
    track.context = context;
    return track;
  }

  /** Returns whether an event of this type may be a compaction. */
  hears(type: string): boolean {
    return this.#front !== undefined && (type === "values" || type === "messages" || type === "update");
  }

  /** Takes note of an event: the server has compacted its list if that begins with a summary that it did not have. */
  heard(type: string, shown: Messages, after: Messages): void {
    const before = [...this.#cleared, ...shown];
    const at = summaryIn(after);
    const summary = after[at];
    const front = this.#front ?? [];
    this.#cleared = NONE;
    if (!summary) {
      if (type === "update" && after.length === 0) this.#cleared = before;
      // Otherwise what is gone was removed.
      else this.#front = NONE;
    } else if (!sameJson(summary, this.#summary)) {
      // The summary does not count: LangChain's for JavaScript has the id of a message that it stands for.
      const had = idsOf([...front, ...after.filter((message) => message !== summary)]);
      this.#front = [...front, ...before.filter((message) => !isSummary(message) && !had.has(idOf(message)))];
      this.context = {
        cutoff_index: this.#front.length,
        cutoff_id: idOf(after[at + 1]),
        summary_message: summary,
        file_path: null,
      };
    }
    this.#summary = summary;
  }

  /** Returns the full track around the messages to show. The same list until one of them changes. */
  of(messages: Messages): Messages {
    const [front, cleared] = [this.#front, this.#cleared];
    if (!front) return messages;
    if (front.length + cleared.length === 0 && !this.#summary) return messages;
    const last = this.#last;
    if (last?.[0] === messages && last[1] === front && last[2] === cleared) return last[3];
    const own = messages.filter((message) => !isSummary(message));
    const had = idsOf(own);
    const whole = [...front, ...cleared.filter((message) => !isSummary(message))].filter(
      (message) => !had.has(idOf(message)),
    );
    this.#last = [messages, front, cleared, [...whole, ...own]];
    return this.#last[3];
  }

  toJSON(): FullTrackRecord {
    return { front: this.#front, summary: this.#summary, context: this.context };
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
