import * as core from "#core";
import * as ASK from "../../generated/numbers/list.js";
import { development } from "../shared/development.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { LangChainMessage, MessageOptions, MessagesUpdate } from "./messages.js";
import { choice, RULES } from "../shared/choices.js";
import { checkOptions } from "../shared/options.js";

/**
 * Holds messages and takes updates one by one. A token costs the same however long the list is. Only a removal, and a
 * snapshot after a change, copy the list's array.
 *
 * The list has memory in WebAssembly. It is freed when the list is collected, or at once by
 * {@link MessageList.dispose}, also as `using list = new MessageList()`.
 *
 * @example
 * ```ts
 * import { MessageList } from "threadfold";
 *
 * const list = new MessageList([{ type: "human", id: "q", content: "Hi" }]);
 * list.update({ type: "ai", id: "a", content: "" });
 * const before = list.snapshot();
 * for (const token of ["Hel", "lo"]) list.append("a", token);
 * const after = list.snapshot();
 * console.log(after[1]?.content, after[0] === before[0]); // Hello true
 * ```
 */
export class MessageList<M extends object = LangChainMessage> {
  #raw: core.RawMessageList | undefined;
  /** The core holds only a few values of it, so that half a megabyte of old arrays is soon collected. */
  readonly #arena = new core.Arena(2 ** 16);
  /** Whether it is being changed: reading a message may run code that comes back here. */
  #busy = false;

  /**
   * @param messages - What the list starts with, in any form that {@link addMessages} takes.
   * @throws {@link ThreadfoldError} as {@link addMessages} does.
   */
  constructor(messages: MessagesUpdate<NoInfer<M>> = [], options?: MessageOptions) {
    checkOptions("new MessageList", options, ["rules"]);
    const rules = choice(options, "rules", RULES);
    const raw = this.#arena.call(() => new core.RawMessageList(rules));
    this.#raw = raw;
    try {
      this.update(messages);
    } catch (error) {
      raw.free();
      throw error;
    }
  }

  /** How many messages there are. */
  get length(): number {
    return this.#live().ask(ASK.length, 0, 0);
  }

  /**
   * Adds text to the end of a message: to its content, or to the last text block of it.
   *
   * @throws {@link ThreadfoldError} `UNKNOWN_MESSAGE` if no message has this id, `INVALID_ARGUMENT` when
   *   the text is not a string or the message's content accepts none.
   */
  append(id: string, text: string): void {
    this.#change((raw) => raw.ask(ASK.append, core.hold(id), core.hold(text)));
  }

  /**
   * Folds messages in as {@link addMessages} does.
   *
   * @throws {@link ThreadfoldError} as {@link addMessages} does; the list is then as it was.
   */
  update(messages: MessagesUpdate<M>): void {
    this.#change((raw) => raw.ask(ASK.update, core.hold(messages), 0));
  }

  /**
   * Returns the current list, which never changes. A message that did not change between two snapshots is the same
   * object in both. Two snapshots without a change between them are the same array.
   */
  snapshot(): readonly M[] {
    const raw = this.#live();
    return this.#arena.call(
      () => (development ? frozen(raw) : core.value(raw.ask(ASK.snapshot, 0, 0))) as M[],
      (young) => raw.ask(ASK.relocate, young, 0),
      raw,
    );
  }

  /** Whether `dispose` was called. */
  get isDisposed(): boolean {
    return this.#raw === undefined;
  }

  /** Frees the WebAssembly memory. Every later call throws `DISPOSED`. */
  dispose(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!this.#busy) raw?.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #live(): core.RawMessageList {
    if (this.#busy) throw new ThreadfoldError("BUSY", "This MessageList is being changed.");
    if (this.#raw) return this.#raw;
    throw new ThreadfoldError("DISPOSED", "This MessageList was disposed.");
  }

  #change(work: (raw: core.RawMessageList) => void): void {
    const raw = this.#live();
    this.#busy = true;
    try {
      this.#arena.call(
        () => work(raw),
        (young) => raw.ask(ASK.relocate, young, 0),
        raw,
      );
    } finally {
      this.#busy = false;
      // A getter of the input has freed it.
      if (!this.#raw) raw.free();
    }
  }
}

/** A snapshot whose new messages nobody can change. A long array is spared: freezing it would cost a pass a snapshot. */
function frozen(raw: core.RawMessageList): object[] {
  raw.ask(ASK.freeze, 0, 0);
  const snapshot = core.value(raw.ask(ASK.snapshot, 0, 0)) as object[];
  return snapshot.length <= 256 ? (Object.freeze(snapshot) as object[]) : snapshot;
}
