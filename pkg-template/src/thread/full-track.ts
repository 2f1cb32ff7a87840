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
  /** The message in front of which tool results are cleared and long arguments cut: its id, or its position. */
  readonly edited_before?: string | number | undefined;
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
  #front: object[] | undefined;
  /** What an update has cleared: of a compaction's parts the removal may arrive before the summary. */
  #cleared = NONE;
  /** The summary with which the server's list begins. */
  #summary: object | undefined;
  #last: readonly [messages: Messages, front: Messages, length: number, whole: Messages] | undefined;

  constructor(isFull: boolean) {
    if (isFull) this.#front = [];
  }

  /** Makes it of a thread's record: what was a message's instance is a message again. */
  static of({ front, summary, context }: FullTrackRecord): FullTrack {
    const track = new FullTrack(front !== undefined);
    if (front) track.#front = addMessages([], front as readonly MessageObject[]);
    track.#summary = summary;
    track.context = context;
    return track;
  }

  /** Returns whether an event of this type may be a compaction, or take one back. */
  hears(type: string): boolean {
    return this.#front !== undefined && ["values", "messages", "update", "run-started"].includes(type);
  }

  /** Takes note of an event: the server has compacted its list if that begins with a summary that it did not have. */
  heard(type: string, shown: Messages, after: Messages): void {
    const before = [...this.#cleared, ...shown];
    const at = summaryIn(after);
    const summary = after[at];
    // The summary does not count: LangChain's for JavaScript has the id of a message that it stands for.
    const stays = idsOf(after.filter((message) => message !== summary));
    const goesBehind = (message: object) => !isSummary(message) && !stays.has(idOf(message));
    this.#cleared = NONE;
    // A run that is joined again from its start goes back to before what it compacted.
    if (this.#front?.some((message) => stays.has(idOf(message)))) this.#front = this.#front.filter(goesBehind);
    const isNew = !sameJson(summary, this.#summary);
    this.#summary = summary;
    if (type === "run-started") return;
    const front = (this.#front ??= []);
    if (!summary) {
      if (type === "update" && after.length === 0) this.#cleared = before.filter(goesBehind);
      // Otherwise what is gone was removed.
      else this.#front = [];
    } else if (isNew) {
      for (const message of before) if (goesBehind(message)) front.push(message);
      this.context = {
        cutoff_index: front.length,
        cutoff_id: idOf(after[at + 1]),
        summary_message: summary,
        file_path: null,
      };
    }
  }

  /** Returns the full track around the messages to show. The same list until one of them changes. */
  of(messages: Messages): Messages {
    const front = this.#front;
    if (!front) return messages;
    const behind = this.#cleared.length > 0 ? [...front, ...this.#cleared] : front;
    const last = this.#last;
    if (last?.[0] === messages && last[1] === front && last[2] === behind.length) return last[3];
    const at = summaryIn(messages);
    let own = at < 0 ? messages : [...messages.slice(0, at), ...messages.slice(at + 1)];
    // Between the parts of a compaction the summary stands anywhere.
    if (behind !== front) own = messages.filter((message) => !isSummary(message));
    const whole = behind.length > 0 ? behind.concat(own) : own;
    this.#last = [messages, front, behind.length, whole];
    return whole;
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
