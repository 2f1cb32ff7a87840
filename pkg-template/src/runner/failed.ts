// Updates that failed together, and how they are sent again.
import type { InputOf } from "../state/fields.js";
import { removeMessage } from "../state/messages.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import type { Thread } from "../thread/thread.js";
import { isEdit, madeAnew } from "./rewind.js";
import { type AnyMessage, carried, idsOf, isPending, isUsers, lastOf, messagesIn } from "./said.js";
import { INSIDE } from "../thread/inside.js";

/** Tells which updates failed together: those with one error, the run's. */
export class Failed<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  /** The errors of a thread that was loaded, where each is a copy. */
  readonly #copies: ReadonlySet<unknown>;
  /** The ids of the messages that each run received before it failed, by its error. */
  readonly #said = new WeakMap<object, ReadonlySet<unknown>>();

  constructor(thread: Thread<S, U>) {
    this.#thread = thread;
    this.#copies = new Set([thread.run, ...thread.pending].map(({ error }) => error));
  }

  /** Records the messages that the run received before it just failed: those that are not in `before`. */
  note(before: ReadonlySet<unknown>): void {
    const { error } = this.#thread.run;
    if (typeof error !== "object" || error === null) return;
    const ids = messagesIn(this.#thread.getConfirmedState()).map(({ id }) => id);
    this.#said.set(error, new Set(ids.filter((id) => !before.has(id))));
  }

  /**
   * Returns the ids of the messages received by the runs with which these updates failed. Undefined if a reload has
   * lost them.
   */
  saidWith(updates: readonly PendingUpdate<U>[]): ReadonlySet<unknown> | undefined {
    const known = updates.map(({ error }) => this.#said.get(error as object));
    return known.includes(undefined) ? undefined : new Set(known.flatMap((ids) => [...(ids ?? [])]));
  }

  /**
   * Returns the ids of the messages that the thread's run received before it failed. Returns none if another program
   * ran it.
   */
  get ofRun(): ReadonlySet<unknown> | "reloaded" {
    const { error } = this.#thread.run;
    return this.#said.get(error as object) ?? (this.#copies.has(error) ? "reloaded" : new Set());
  }

  /** Returns the failed updates that runs carried. */
  get all(): readonly PendingUpdate<U>[] {
    return carried(this.#thread).filter(({ status }) => status === "failed");
  }

  /**
   * Returns the updates that the thread's run carried, if it failed. Returns none if nothing that it carried is left to
   * send. If the run did not fail, returns those of the last run that did.
   */
  get last(): readonly PendingUpdate<U>[] {
    const { all } = this;
    const { status, error } = this.#thread.run;
    const why = status === "error" ? error : all.at(-1)?.error;
    return all.filter((update) => this.#isSame(update.error, why));
  }

  #isSame(one: unknown, other: unknown): boolean {
    if (one === other) return true;
    return this.#copies.has(one) && this.#copies.has(other) && said(one) === said(other);
  }
}

/** The text of an error that a record keeps. */
function said(error: unknown): string {
  const { message = error, code, status } = (error ?? {}) as { message?: unknown; code?: unknown; status?: unknown };
  return [message, code, status].map(String).join("\n");
}

/**
 * Makes failed updates pending again, in their order; returns their ids. Renews updates that remove messages. Removes
 * the messages that the failed run received after them. If the conversation has continued after some of them, moves
 * those and all later ones to the end.
 *
 * @param said - The ids of what that run had said; if a reload has lost them, it is what stands behind.
 */
export function sendAgain<S extends object, U extends object>(
  thread: Thread<S, U>,
  updates: readonly PendingUpdate<U>[],
  said: ReadonlySet<unknown> | undefined,
): string[] {
  if (updates.some(({ update }) => isEdit(thread, update as object))) {
    for (const { id } of updates) thread[INSIDE].update(id).rollback();
    const anew = (update: object) => (isEdit(thread, update) ? madeAnew(thread, update) : update);
    return updates.map(({ update }) => thread.optimistic(anew(update as object) as InputOf<U>).id);
  }
  const ids = updates.map(({ update }) => idsOf(update).filter((id) => id !== undefined));
  const own = new Set<unknown>(ids.flat());
  takeBack(thread, ids, own, said);
  const messages = messagesIn(thread.getState());
  const places = new Map<unknown, number>(messages.map(({ id }, at) => [id, at]));
  // Updates that wait after them are sent with them.
  for (const { update } of thread.pending.filter(isPending)) for (const id of idsOf(update)) own.add(id);
  const end = lastOf(messages, ({ id }) => !own.has(id));
  const lastUsers = lastOf(messages, isUsers);
  const isAtEnd = (of: readonly unknown[]) =>
    end < 0 ||
    of.length === 0 ||
    end <=
      placeOf(
        of.map((id) => places.get(id) ?? -1),
        lastUsers,
      );
  const moved = ids.findIndex((of) => !isAtEnd(of));
  const staying = moved < 0 ? updates : updates.slice(0, moved);
  const moving = updates.slice(staying.length);
  for (const { id } of staying) thread[INSIDE].update(id).retry();
  for (const { id } of moving) thread[INSIDE].update(id).rollback();
  return [...staying, ...moving.map(({ update }) => thread.optimistic(update))].map(({ id }) => id);
}

interface Calling extends AnyMessage {
  readonly toolCalls?: readonly { readonly id?: unknown }[];
  readonly tool_calls?: readonly { readonly id?: unknown }[];
  readonly toolCallId?: unknown;
  readonly tool_call_id?: unknown;
}

/** Removes the messages that a failed run received after its updates. */
function takeBack<S extends object, U extends object>(
  thread: Thread<S, U>,
  ids: readonly (readonly unknown[])[],
  own: ReadonlySet<unknown>,
  said: ReadonlySet<unknown> | undefined,
): void {
  const messages = messagesIn(thread.getState());
  const shown = new Set<unknown>(messages.map(({ id }) => id));
  // An update that only removes messages concerns those after the user's last message.
  const isHidden = (of: readonly unknown[]) => of.length > 0 && !of.some((id) => shown.has(id));
  const lastUsers = ids.some(isHidden) ? lastOf(messages, isUsers) : -1;
  const calls = new Set<unknown>();
  let isBehind = false;
  const gone = messages.filter((message, at) => {
    const { id } = message;
    const isOwn = own.has(id) || at === lastUsers;
    const { toolCalls, tool_calls = toolCalls, toolCallId, tool_call_id: answered = toolCallId } = message as Calling;
    // The result of a call made before is what somebody else has sent.
    isBehind = isOwn || (isBehind && !isUsers(message) && (answered === undefined || calls.has(answered)));
    if (isBehind) for (const call of tool_calls ?? []) calls.add(call.id);
    return isBehind && !isOwn && (!said || said.has(id)) && thread.getConfirmedMessage(id);
  });
  if (gone.length > 0) thread.update({ messages: gone.map(({ id }) => removeMessage(id)) } as U);
}

/** The last of an update's positions. If the update only removes messages, the position of the user's last message. */
const placeOf = (places: readonly number[], lastUsers: number): number => {
  const last = places.reduce((one, other) => Math.max(one, other), -1);
  return last < 0 ? lastUsers : last;
};
