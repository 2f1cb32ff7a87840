// What a model is sent, by a full track and a record; what that costs; and what is due.
import { reading } from "../errors.js";
import { removeMessage, REMOVE_ALL_MESSAGES } from "./removal.js";
import { edited, type Edits, type Effective, isSystem, systemsBefore } from "./effective.js";
import type { EditedBefore } from "./edited.js";
import type { Ledger } from "./ledger.js";
import type { Overhead, Rules } from "./policy.js";
import { type ContextRecord, idOf, summaryMessage, summaryOf, withoutReasoning } from "./record.js";
import { repairToolCalls } from "./tool-calls.js";
import { wrong } from "./options.js";

/** What a context is full of, in tokens. */
export interface ContextUsage {
  readonly tokens: number;
  /** What the model takes, or at how many tokens something is due; null, if neither is known. */
  readonly limit: number | null;
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly summary: number;
}

/** What is due: {@link ContextView.due}. */
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
  /** Makes the record; `summary` is a text, a message, or null to leave the messages out. */
  toRecord(summary: string | object | null, filePath?: string | null): ContextRecord;
  /** Makes the update for a graph that keeps no record: all messages removed, and those that the model is sent. */
  toUpdate(summary: string | object | null): object[];
}

/** What is the same for all views of a context. */
export interface Setting {
  readonly ledger: Ledger;
  readonly count: (message: object) => number;
  readonly overhead: Overhead;
  readonly limit: number | null;
  readonly edits: Edits;
  readonly preserveSystem: boolean;
  readonly rules: ViewRules;
}

/** What the presets do otherwise. */
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

/** What a model is sent of a conversation, computed when you look: {@link Context.of}. */
export class ContextView<M extends object = object> {
  /** @internal */
  static readonly name = "ContextView";
  /** The record that it was made by. */
  readonly record: ContextRecord | null;
  readonly #full: readonly M[];
  readonly #of: Effective<M>;
  readonly #setting: Setting;
  #list: readonly M[] | undefined;
  #messages: readonly M[] | undefined;
  #beside: number | undefined;
  #due: ContextDue<M> | null | undefined;
  #usage: ContextUsage | undefined;

  /** @internal */
  constructor(full: readonly M[], record: ContextRecord | null, of: Effective<M>, setting: Setting) {
    this.record = record;
    this.#full = full;
    this.#of = of;
    this.#setting = setting;
  }

  /** The messages to send: a list that every provider takes. Do not change it. */
  get messages(): readonly M[] {
    return (this.#messages ??= reading(() => {
      const list = this.#shown();
      if (this.#setting.rules.unrepaired || this.#ledger.isWhole) return list;
      return repairToolCalls(list as never) as M[];
    }));
  }

  /** Their tokens, with the system prompt and the tools. */
  get tokens(): number {
    return reading(() => {
      const beside = this.#repairs();
      return this.#ledger.tokens(beside);
    });
  }

  /** What the tokens are spent on. */
  get usage(): ContextUsage {
    if (this.#usage) return this.#usage;
    const { tokens } = this;
    const { count, limit, overhead } = this.#setting;
    const summary = this.#of.summary ? count(this.#of.summary) : 0;
    const messages = tokens - overhead.system - overhead.tools - summary;
    return (this.#usage = { tokens, limit, ...overhead, messages, summary });
  }

  /** What is to be done before the model is called: null, or what to summarize or only to take note of. */
  get due(): ContextDue<M> | null {
    if (this.#due === undefined) this.#due = reading(() => this.#decide());
    return this.#due;
  }

  /** Whether the model is sent less than was said. */
  get compression_applied(): boolean {
    const { cutoff, editedBefore, front } = this.#of;
    return cutoff > 0 || editedBefore > front;
  }

  /** The summary of what it is not sent. */
  get conversation_summary(): string | null {
    return this.#of.summary ? summaryOf(this.record) : null;
  }

  /** The list before repair. */
  #shown(): readonly M[] {
    if (!this.#list) {
      const { list } = this.#of;
      const rewrite = this.#setting.rules.rewrite;
      const tokens = () => this.#setting.ledger.show(list).tokens(0);
      this.#list = rewrite ? (rewrite(list, tokens) as readonly M[]) : list;
    }
    return this.#list;
  }

  get #ledger(): Ledger {
    const list = this.#shown();
    return this.#setting.ledger.show(list, list === this.#of.list ? this.#of.grown : undefined);
  }

  /** How many tokens repairing the list adds. */
  #repairs(): number {
    if (this.#beside === undefined) {
      const sum = (list: readonly M[]) => list.reduce((all, message) => all + this.#setting.count(message), 0);
      const { messages } = this;
      this.#beside = messages === this.#shown() ? 0 : sum(messages) - sum(this.#shown());
    }
    return this.#beside;
  }

  #decide(): ContextDue<M> | null {
    const beside = this.#repairs();
    const ledger = this.#ledger;
    if (!ledger.isDue(beside)) return null;
    const { edits, count } = this.#setting;
    const list = this.#shown();
    const { front, editedBefore } = this.#of;
    const all = edits.clear || edits.truncate ? edited(list, edits, list.length) : list;
    const saved =
      all === list
        ? []
        : list.map((message, at) => (all[at] === message ? 0 : count(message) - count(all[at] as object)));
    const [cutoff, boundary] = ledger.due(front, editedBefore, beside, saved);
    return cutoff === undefined
      ? null
      : new Due(this, this.#setting, this.#of, this.#full, list, cutoff, boundary ?? 0);
  }
}

class Due<M extends object> implements ContextDue<M> {
  readonly cutoff: number;
  readonly cutoffId: string | undefined;
  readonly editedBefore: EditedBefore | undefined;
  readonly summarize: boolean;
  readonly messages: readonly M[];
  readonly kept: readonly M[];
  readonly previousSummary: string | null;
  readonly #front: readonly M[];
  readonly #length: number;
  readonly #last: object | null;
  readonly #summarizedId: string | undefined;
  readonly #rules: ViewRules;
  readonly #onlyEdits: boolean;

  constructor(
    { record }: ContextView<M>,
    { edits, rules, preserveSystem }: Setting,
    of: Effective<M>,
    full: readonly M[],
    list: readonly M[],
    cutoff: number,
    boundary: number,
  ) {
    // Positions of the list as those of the full track.
    const placed = (at: number) => of.cutoff + Math.max(0, at - of.front);
    const first = cutoff === 0 ? of.front : cutoff;
    this.cutoff = placed(first);
    this.cutoffId = textIn(idOf(full[this.cutoff]));
    this.#summarizedId = textIn(idOf(full[this.cutoff - 1]));
    const edit = placed(boundary);
    this.editedBefore = boundary === 0 ? record?.edited_before : (textIn(idOf(full[edit])) ?? edit);
    const now = edited(list, edits, boundary);
    this.#front = systemsBefore(full, preserveSystem ? this.cutoff : 0);
    const isGone = (message: M) => !preserveSystem || !isSystem(message);
    const gone = cutoff === 0 ? [] : now.slice(rules.asLangchain ? 0 : of.front, cutoff).filter(isGone);
    this.messages = (rules.toSummarize?.(gone) ?? repaired(gone, rules, "answer")) as readonly M[];
    this.summarize = this.messages.length > 0 && !rules.drops;
    const kept = now.slice(first);
    this.kept = repaired(rules.keepsReasoning ? kept : kept.map((one, at) => withoutReasoning(one, at)), rules);
    this.previousSummary = of.summary ? summaryOf(record) : null;
    this.#length = full.length;
    this.#last = of.summary;
    this.#rules = rules;
    this.#onlyEdits = cutoff === 0;
  }

  toRecord(summary: string | object | null, filePath: string | null = null): ContextRecord {
    const { cutoff: cutoff_index, cutoffId, editedBefore } = this;
    const ids = {
      ...(cutoffId !== undefined && { cutoff_id: cutoffId }),
      ...(this.#summarizedId !== undefined && { summarized_id: this.#summarizedId }),
      ...(editedBefore !== undefined && { edited_before: editedBefore }),
    };
    return {
      cutoff_index,
      summary_message: this.#summary(summary, filePath),
      file_path: filePath,
      ...(!this.#rules.keepsReasoning && { created_at_index: this.#length }),
      ...ids,
    };
  }

  toUpdate(summary: string | object | null): object[] {
    const message = this.#summary(summary, null);
    return [removeMessage(REMOVE_ALL_MESSAGES), ...this.#front, ...(message ? [message] : []), ...this.kept];
  }

  #summary(summary: unknown, filePath: string | null): object | null {
    const { drops, empty, summaryMessage: make = summaryMessage } = this.#rules;
    if (this.#onlyEdits) return this.#last;
    if (drops) return null;
    const text = this.messages.length === 0 && empty !== undefined ? empty : summary;
    if (text === null || (typeof text === "object" && !Array.isArray(text))) return text;
    if (typeof text !== "string") throw wrong("summary", "a text, a message or null");
    return make(text.trim(), filePath);
  }
}

const textIn = (value: unknown) => (typeof value === "string" ? value : undefined);

const repaired = <M extends object>(
  list: readonly M[],
  { unrepaired }: ViewRules,
  waiting: "keep" | "answer" = "keep",
): readonly M[] => (unrepaired ? list : (repairToolCalls(list as never, { waiting }) as M[]));
