import { answeredCall } from "./call-fields.js";
import { clearToolUses } from "./clear.js";
import { type Edit, Effectives } from "./effective.js";
import { growing } from "./growing.js";
import { Ledger } from "./ledger.js";
import { fieldsOf, kindOf } from "./message-parts.js";
import { Meter } from "./meter.js";
import { NumberedList } from "./numbered-list.js";
import { checkOptions } from "../shared/options.js";
import { flagOr, optionsOf, reading, wrong } from "./options.js";
import { type ContextOptions, type Offload, overheadOf, policyOf, triggersOf } from "./policy.js";
import type { ContextRecord } from "./record.js";
import { type ContextSource, type Track, trackOf } from "./source.js";
import { type Counter, counterOf } from "./token-counter.js";
import { truncateToolArgs } from "./truncate-args.js";
import { type ContextDue, ContextView, type Setting, type ViewRules } from "./view.js";

export { type ContextDue, ContextView };

/**
 * Computes the model's input from a conversation. The full track is the only track. The context is a view of it and of
 * one small record, so that nothing is stored twice and the history is never shortened.
 *
 * It decides and never acts: it calls no model, reads no clock, writes nothing. A look costs what has changed since the
 * last one, so do not change a message in place. Between two compactions the list that is sent only grows at its end,
 * which keeps a provider's prompt cache.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind.
 *
 * @example
 * ```ts
 * import { Context } from "threadfold/context";
 *
 * const context = new Context({ trigger: { messages: 4 }, keep: { messages: 2 } });
 * const messages = ["one", "two", "three", "four"].map((content, at) => ({
 *   id: `m${at}`,
 *   type: at % 2 ? "ai" : "human",
 *   content,
 * }));
 *
 * const { due } = context.of(messages);
 * console.log(due?.messages.map(({ content }) => content)); // [ 'one', 'two' ]
 *
 * const record = context.compact(due!, "They counted.");
 * const view = context.of(messages, record);
 * console.log(view.messages.length, view.due, view.conversation_summary); // 3 null They counted.
 * ```
 */
export class Context<M extends object = object> {
  /** @internal */
  static readonly name = "Context";
  /** A warning about the options: the messages kept by a compaction are due again at once. */
  readonly warning: string | undefined;
  /** @internal Whether it moves long content to files. */
  readonly offloads: boolean;
  readonly #looks = new WeakMap<object, Look<M>>();
  readonly #make: () => Look<M>;
  readonly #meter: (list: readonly M[], tokens: number) => Meter;

  /** @internal */
  constructor(options: ContextOptions<M>, rules: ViewRules);
  constructor(options?: ContextOptions<M>);
  constructor(options: ContextOptions<M> = {}, rules: ViewRules = {}) {
    [this.#make, this.#meter, this.warning, this.offloads] = reading(() => {
      const given = optionsOf(options) as ContextOptions<never>;
      const {
        trigger: _trigger,
        keep: _keep,
        maxInputTokens,
        tokenCounter = "estimate",
        system: _system,
        tools: _tools,
        clearToolUses: clear,
        truncateArgs: truncate,
        offload,
        preserveSystem: preserve,
        useUsageMetadataScaling: _scaling,
      } = given;
      checkOptions("new Context", given, [
        "trigger",
        "keep",
        "maxInputTokens",
        "tokenCounter",
        "system",
        "tools",
        "clearToolUses",
        "truncateArgs",
        "offload",
        "preserveSystem",
        "useUsageMetadataScaling",
      ]);
      const counter = counterOf(tokenCounter) as Counter<object>;
      const count = sparing(tokenCounter === "estimate" ? growing() : (counter.one ?? single(counter)));
      const overhead = overheadOf({ ...given, tokenCounter }, rules, count);
      const policy = policyOf(given, rules, overhead);
      const edits = editsOf(clear, truncate, offload);
      const preserveSystem = flagOr(preserve, !rules.asLangchain, "preserveSystem");
      // Refuses their options.
      for (const edit of edits) edit([], 0);
      const limit = maxInputTokens ?? Math.min(...triggersOf(given).map(({ tokens = Infinity }) => tokens));
      const look = () =>
        new Look<M>(new Effectives(edits, preserveSystem), {
          ledger: new Ledger(policy, count, rules.providers ?? []),
          count,
          overhead,
          limit: limit === Infinity ? null : limit,
          edits,
          offload,
          preserveSystem,
          rules,
        });
      const none = new NumberedList(policy);
      const meter = (list: readonly M[], tokens: number) =>
        new Meter(list, tokens, (messages) => none.dueAt(messages), tokenCounter, count);
      return [look, meter, warningOf(given), offload !== undefined];
    });
  }

  /**
   * Returns what the model is sent: of a thread, by its record; of a graph's state, by its `_summarization_event`; or
   * of a list of messages. The same object as long as nothing has changed.
   *
   * @param record - The record to go by, null for none; otherwise that of the thread or state.
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another source or record. Its getters throw `INVALID_MESSAGE` for
   *   an invalid message.
   */
  of<T extends M = M>(source: ContextSource<T>, record?: ContextRecord | null): ContextView<T> {
    return reading(() => {
      const track = trackOf<M>(source as ContextSource<M>, record);
      return this.#lookAt(source, track).of(track) as ContextView<object> as ContextView<T>;
    });
  }

  /**
   * Makes the record of a compaction. `thread.compact(due, summary)` does that and keeps it.
   *
   * @param summary - What the messages to summarize become: a text, a message of your own, or null to leave them out.
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another summary, or for what is not due.
   */
  compact(due: ContextDue<M>, summary: string | object | null): ContextRecord {
    return reading(() => {
      if (typeof due?.toRecord !== "function") throw wrong("due", "what a view says is due");
      return due.toRecord(summary);
    });
  }

  /**
   * Returns a meter that counts on from here, for a conversation that is being streamed: a token costs one addition and
   * one comparison. It does not see what a repair adds or leaves out, nor does it scale what comes after the look by
   * what an answer took.
   *
   * @throws {@link ThreadfoldError} The errors of {@link Context.of}, and `INVALID_MESSAGE`.
   *
   * @example
   * ```ts
   * import { Context } from "threadfold/context";
   *
   * const context = new Context({ trigger: { tokens: 20 } });
   * const meter = context.meter([{ type: "human", content: "What is 6 × 7?" }]);
   * meter.push({ type: "ai", content: "" });
   * for (const token of ["It", " is", " 42", "."]) meter.text(token);
   * console.log(meter.tokens, meter.isDue); // 21 true
   * ```
   */
  meter(source: ContextSource<M>, record?: ContextRecord | null): Meter {
    return reading(() => {
      const track = trackOf(source, record);
      const { messages, tokens } = this.#lookAt(source, track).of(track);
      return this.#meter(messages, tokens);
    });
  }

  /** The look at this conversation: known by its thread, or by its first message. */
  #lookAt(source: unknown, { messages }: Track<M>): Look<M> {
    const first: unknown = Array.isArray(source) || !("getState" in (source as object)) ? messages[0] : source;
    const key = typeof first === "object" && first !== null ? first : this;
    let look = this.#looks.get(key);
    if (!look) this.#looks.set(key, (look = this.#make()));
    return look;
  }
}

/** One conversation, as it was looked at last. */
class Look<M extends object> {
  #view: ContextView<M> | undefined;
  #of: object | undefined;

  constructor(
    private readonly effectives: Effectives<M>,
    private readonly setting: Setting,
  ) {}

  of({ messages, record }: Track<M>): ContextView<M> {
    const of = this.effectives.of(messages, record);
    if (!this.#view || of !== this.#of || record !== this.#view.record) {
      this.#view = new ContextView(record, of, this.setting);
      this.#of = of;
    }
    return this.#view;
  }
}

function editsOf(
  clear: ContextOptions<never>["clearToolUses"],
  truncate: ContextOptions<never>["truncateArgs"],
  offload: Offload | undefined,
): readonly Edit[] {
  if (offload !== undefined && typeof offload !== "function") throw wrong("offload", "what offloading makes");
  const edits: (Edit | undefined | null)[] = [
    clear && ((list, editedBefore) => clearToolUses(list, { ...optionsOf(clear, "clearToolUses"), editedBefore })),
    truncate &&
      ((list, editedBefore) => truncateToolArgs(list, { ...optionsOf(truncate, "truncateArgs"), editedBefore })),
    offload &&
      ((list, before) => {
        const old = list.slice(0, before);
        const { messages } = offload(old);
        return messages === old ? list : [...messages, ...list.slice(before)];
      }),
  ];
  return edits.filter((edit) => edit !== undefined && edit !== null);
}

/** Counts nothing for a result that names no call: it is never sent. */
function sparing(count: (message: object) => number): (message: object) => number {
  return (message) => {
    try {
      return count(message);
    } catch (error) {
      if (kindOf(message, 0) === "tool" && answeredCall(fieldsOf(message)) === undefined) return 0;
      throw error;
    }
  };
}

/** Counts by the caller's counter of lists, each message once. */
function single(counter: Counter<object>): (message: object) => number {
  const counts = new WeakMap<object, number>();
  return (message) => {
    if (typeof message !== "object" || message === null) return counter.list([message]);
    let tokens = counts.get(message);
    if (tokens === undefined) counts.set(message, (tokens = counter.list([message])));
    return tokens;
  };
}

function warningOf(options: ContextOptions<never>): string | undefined {
  const { keep } = options;
  if (keep && keep.messages === undefined && triggersOf(options).some((one) => Object.keys(one).join() === "messages"))
    return "`trigger` counts messages but `keep` counts tokens: the result may be due at once. Use `keep: { messages }`.";
  for (const key of ["tokens", "messages", "fraction"] as const) {
    const most = keep?.[key];
    if (most === undefined) continue;
    // A summary is a message, too.
    const left = key === "messages" ? most + 1 : most;
    const trigger = triggersOf(options).find((one) => Object.keys(one).length === 1 && (one[key] ?? Infinity) <= left);
    if (trigger)
      return `keep.${key} is ${most}, which is due at ${trigger[key]}: each call may compact it. Keep half of it.`;
  }
  return undefined;
}
