// The model's input, from a full track and a record, with its cost and what is due.
import { removeMessage, REMOVE_ALL_MESSAGES } from "../state/removal.js";
import { type Edit, edited, type Effective, isSystem, systemsBefore } from "./effective.js";
import { type EditedBefore, idOf } from "./edited.js";
import type { Decision, Ledger } from "./ledger.js";
import type { Offload, Overhead, Rules } from "./policy.js";
import { textIn } from "./message-parts.js";
import { defined, reading, wrong } from "./options.js";
import { isDict } from "../shared/dict.js";
import { type ContextRecord, marked, summaryMessage, summaryOf, withoutReasoning } from "./record.js";
import { type Listed, listOf } from "./shared-list.js";
import { repairToolCalls } from "./tool-calls.js";

/** The usage of a context, in tokens. */
export interface ContextUsage {
  readonly tokens: number;
  /** The model's limit, or the number of tokens at which something is due; null if neither is known. */
  readonly limit: number | null;
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly summary: number;
}

/** The work that is due: {@link ContextView.due}. */
export interface ContextDue<M = object> {
  /** The position in the full track of the first message that stays; as before, if only edits are due. */
  readonly cutoff: number;
  /** Its id. */
  readonly cutoffId: string | undefined;
  /** The message before which tool results are cleared and arguments truncated from now on. */
  readonly editedBefore: EditedBefore | undefined;
  /** Whether to summarize `messages`; else compact with null. */
  readonly summarize: boolean;
  /** The messages to summarize, without the last summary. */
  readonly messages: readonly M[];
  /** The messages that stay, without those in front. */
  readonly kept: readonly M[];
  /** The summary that the new one replaces: put it in front of the messages to summarize. */
  readonly previousSummary: string | null;
  /** The files to write before it is compacted, by their paths: those that the context's `offload` makes. */
  readonly files: Readonly<Record<string, string>>;
  /** Makes the record; `summary` is a text, a message, or null to leave the messages out. */
  toRecord(summary: string | object | null, filePath?: string | null): ContextRecord;
  /**
   * Makes the update for a graph that keeps no record: all messages removed, and those that the model is sent. A
   * summary has `additional_kwargs.lc_source: "summarization"`, by which a thread with `history: "full"` knows it; give
   * it to a message of your own, too. Without a summary nothing in the list says that messages were taken out of it.
   */
  toUpdate(summary: string | object | null): object[];
}

/** The settings that all views of a context share. */
export interface Setting {
  readonly ledger: Ledger;
  readonly count: (message: object) => number;
  readonly overhead: Overhead;
  readonly limit: number | null;
  readonly edits: readonly Edit[];
  /** The last edit, if it moves anything to files. */
  readonly offload: Offload | undefined;
  readonly preserveSystem: boolean;
  readonly rules: ViewRules;
}

/** The deviations of the presets. */
export interface ViewRules extends Rules {
  /** Sends the list as it is. */
  readonly unrepaired?: boolean;
  readonly keepsReasoning?: boolean;
  /** Never asks for a summary. */
  readonly drops?: boolean;
  /** Changes the list at each look. */
  readonly rewrite?: (list: readonly object[], tokens: () => number) => readonly object[];
  /** The messages to summarize, of those that go. */
  readonly toSummarize?: (messages: readonly object[]) => readonly object[];
  /** The summary where there is nothing to summarize. */
  readonly empty?: string;
  readonly summaryMessage?: (summary: string, filePath: string | null) => object;
}

/** The model's input for a conversation, computed when you read it: {@link Context.of}. */
export class ContextView<M extends object = object> {
  /** @internal */
  static readonly name = "ContextView";
  /** The record that it was made by. */
  readonly record: ContextRecord | null;
  readonly #of: Effective<M>;
  readonly #setting: Setting;
  #list: Listed<M> | undefined;
  #messages: readonly M[] | undefined;
  #beside: number | undefined;
  #due: ContextDue<M> | null | undefined;
  #usage: ContextUsage | undefined;

  /** @internal */
  constructor(record: ContextRecord | null, of: Effective<M>, setting: Setting) {
    this.record = record;
    this.#of = of;
    this.#setting = setting;
  }

  /** The messages to send: a list that every provider takes. Do not change it. */
  get messages(): readonly M[] {
    return (this.#messages ??= reading(() => {
      const { array } = this.#shown();
      return this.#isWhole ? array : (repairToolCalls(array as never) as M[]);
    }));
  }

  /** Their tokens, with the system prompt and the tools. */
  get tokens(): number {
    return reading(() => this.#ledger.tokens(this.#repairs()));
  }

  /** The tokens used, by purpose. */
  get usage(): ContextUsage {
    return (this.#usage ??= reading(() => {
      const { tokens } = this;
      const { count, limit, overhead } = this.#setting;
      const summary = this.#of.summary ? count(this.#of.summary) : 0;
      const messages = tokens - overhead.system - overhead.tools - summary;
      return { tokens, limit, ...overhead, messages, summary };
    }));
  }

  /** The work to do before the model is called: null, or what to summarize or only to record. */
  get due(): ContextDue<M> | null {
    if (this.#due === undefined) this.#due = reading(() => this.#decide());
    return this.#due;
  }

  /** Whether the model gets less than the whole conversation. */
  get compression_applied(): boolean {
    const { cutoff, editedBefore, front } = this.#of;
    return cutoff > 0 || editedBefore > front;
  }

  /** The summary of the messages that are not sent. */
  get conversation_summary(): string | null {
    return reading(() => (this.#of.summary ? summaryOf(this.record) : null));
  }

  /** The list before repair. */
  #shown(): Listed<M> {
    if (!this.#list) {
      const { list } = this.#of;
      const { ledger, rules } = this.#setting;
      const made = rules.rewrite?.(list.array, () => ledger.show(list).tokens());
      this.#list = made && made !== list.array ? listOf(made as readonly M[]) : list;
    }
    return this.#list;
  }

  get #ledger(): Ledger {
    const list = this.#shown();
    return this.#setting.ledger.show(list, list === this.#of.list ? this.#of.grown : undefined);
  }

  /** Whether it is sent as it is. */
  get #isWhole(): boolean {
    return this.#setting.rules.unrepaired || this.#ledger.isWhole;
  }

  /** How many tokens repairing the list adds. */
  #repairs(): number {
    if (this.#beside === undefined) {
      const sum = (list: readonly M[]) => list.reduce((all, message) => all + this.#setting.count(message), 0);
      this.#beside = this.#isWhole ? 0 : sum(this.messages) - sum(this.#shown().array);
    }
    return this.#beside;
  }

  #decide(): ContextDue<M> | null {
    const beside = this.#repairs();
    const ledger = this.#ledger;
    if (!ledger.isDue(beside)) return null;
    const { edits, count } = this.#setting;
    const list = this.#shown();
    const short = edits.length > 0 ? edited(list.array, edits, ledger.editBoundary()) : undefined;
    let room = 0;
    const upTo = (one: M, at: number) => (room += short?.[at] === one ? 0 : count(one) - count(short?.[at] as M));
    const saved = short && short !== list.array ? list.array.map(upTo) : [];
    const due = ledger.due(this.#of.front, beside, saved);
    if (!due) return null;
    const now = short && due.editedBefore > 0 ? listOf(short) : list;
    return new Due(this.record, this.#setting, this.#of, list, now, due);
  }
}

/** A list is made when somebody reads it: that something is due costs what the decision costs. */
class Due<M extends object> implements ContextDue<M> {
  readonly cutoff: number;
  readonly cutoffId: string | undefined;
  readonly editedBefore: EditedBefore | undefined;
  readonly previousSummary: string | null;
  readonly #setting: Setting;
  readonly #of: Effective<M>;
  /** The list, edited as is due, and the positions up to where it goes and from where it stays. */
  readonly #list: Listed<M>;
  readonly #gone: number;
  readonly #first: number;
  /** The parts of the record that are known by now. */
  readonly #record: object;
  readonly #offload: () => Readonly<Record<string, string>>;
  #messages: readonly M[] | undefined;
  #kept: readonly M[] | undefined;
  #files: Readonly<Record<string, string>> | undefined;

  constructor(
    record: ContextRecord | null,
    setting: Setting,
    of: Effective<M>,
    list: Listed<M>,
    now: Listed<M>,
    { cutoff, editedBefore: boundary }: Decision,
  ) {
    const { edits, offload, rules } = setting;
    const { track, placed, length, front } = of;
    // A position of the list as one of the track, and of that as one of the full track.
    const tracked = (at: number) => of.cutoff + Math.max(0, at - front);
    const idAt = (at: number) => textIn(idOf(track.at(at)));
    this.#first = cutoff === 0 ? front : cutoff;
    const [kept, edge] = [tracked(this.#first), tracked(boundary)];
    this.cutoff = placed(kept);
    this.cutoffId = idAt(kept);
    this.editedBefore = boundary === 0 ? record?.edited_before : (idAt(edge) ?? placed(edge));
    this.#record = {
      ...(!rules.keepsReasoning && { created_at_index: length }),
      ...defined({
        cutoff_id: this.cutoffId,
        summarized_id: idAt(kept - 1),
        edited_before: this.editedBefore,
        edited_id: boundary === 0 ? record?.edited_id : idAt(edge - 1),
      }),
    };
    this.previousSummary = of.summary ? summaryOf(record) : null;
    this.#setting = setting;
    this.#of = of;
    this.#list = now;
    this.#gone = cutoff;
    this.#offload = () =>
      offload && boundary > 0 ? offload(edited(list.array, edits.slice(0, -1), boundary).slice(0, boundary)).files : {};
  }

  get summarize(): boolean {
    return !this.#setting.rules.drops && this.messages.length > 0;
  }

  get messages(): readonly M[] {
    return (this.#messages ??= reading(() => {
      const { preserveSystem, rules } = this.#setting;
      const gone = this.#gone === 0 ? [] : this.#list.array.slice(rules.asLangchain ? 0 : this.#of.front, this.#gone);
      const old = preserveSystem ? gone.filter((message) => !isSystem(message)) : gone;
      return (rules.toSummarize?.(old) ?? repaired(old, rules, "answer")) as readonly M[];
    }));
  }

  get kept(): readonly M[] {
    return (this.#kept ??= reading(() => {
      const { rules } = this.#setting;
      const rest = this.#list.array.slice(this.#first);
      return repaired(rules.keepsReasoning ? rest : rest.map(withoutReasoning), rules);
    }));
  }

  get files(): Readonly<Record<string, string>> {
    return (this.#files ??= reading(this.#offload));
  }

  toRecord(summary: string | object | null, filePath: string | null = null): ContextRecord {
    if (filePath !== null && typeof filePath !== "string") throw wrong("filePath", "a path or null");
    const message = this.#summary(summary, filePath);
    return { cutoff_index: this.cutoff, summary_message: message, file_path: filePath, ...this.#record };
  }

  toUpdate(summary: string | object | null): object[] {
    const made = this.#summary(summary, null);
    const message = made && made !== summary ? marked(made) : made;
    const { track, cutoff, front } = this.#of;
    const end = this.#setting.preserveSystem ? cutoff + Math.max(0, this.#first - front) : 0;
    const systems = systemsBefore(track.array, end);
    return [removeMessage(REMOVE_ALL_MESSAGES), ...systems, ...(message ? [message] : []), ...this.kept];
  }

  #summary(summary: unknown, filePath: string | null): object | null {
    const { drops, empty, summaryMessage: make = summaryMessage } = this.#setting.rules;
    if (this.#gone === 0) return this.#of.summary;
    if (drops) return null;
    const text = this.messages.length === 0 && empty !== undefined ? empty : summary;
    if (text === null || reading(() => isDict(text))) return text as object | null;
    if (typeof text !== "string") throw wrong("summary", "a text, a message or null");
    return make(text.trim(), filePath);
  }
}

const repaired = <M extends object>(
  list: readonly M[],
  { unrepaired }: ViewRules,
  waiting: "keep" | "answer" = "keep",
): readonly M[] => (unrepaired ? list : (repairToolCalls(list as never, { waiting }) as M[]));
