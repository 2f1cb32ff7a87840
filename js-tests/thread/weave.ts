// Where pending messages are shown: the pending updates replayed over the confirmed list, in their order.
import { isDeepStrictEqual } from "node:util";
import { isClear, isRemoval, Refused, type Message } from "./reducers.js";

export interface Edit {
  id: string;
  /** `move`: it was there, all were removed, and it came again. */
  does: "add" | "change" | "move" | "remove";
  message?: Message;
  held: boolean;
}

export interface Woven {
  /** The last message that was shown when it was made; undefined for none. */
  after: string | undefined;
  edits: Edit[];
  over: boolean;
}

/** What an update does to the messages that are shown: one edit for each message. */
export function editsOf(shown: readonly Message[], update: readonly Message[]): Edit[] {
  const has = (id: string) => shown.some((message) => message.id === id);
  let edits: Edit[] = [];
  let cleared = false;
  for (const message of update) {
    const { id } = message;
    const known = edits.find((edit) => edit.id === id);
    if (isClear(message)) {
      cleared = true;
      edits = shown.map((gone) => ({ id: gone.id, does: "remove", held: false }));
    } else if (isRemoval(message)) {
      if (!known && !has(id)) throw new Refused("UNKNOWN_MESSAGE_REMOVED");
      edits = edits.filter((edit) => edit !== known);
      if (has(id)) edits.push({ id, does: "remove", held: false });
    } else if (known?.message) {
      known.message = message;
    } else {
      const does = !known && !has(id) ? "add" : cleared ? "move" : "change";
      edits = [...edits.filter((edit) => edit !== known), { id, does, message, held: false }];
    }
  }
  return edits;
}

interface Slot {
  id: string;
  message: Message;
  confirmed: boolean;
  gone: boolean;
  /** Whether it is as the updates asked for have it. */
  wanted: boolean;
}

/** The messages with the edits of all updates, or of one alone, but in its place among all. */
export function woven(messages: readonly Message[], pending: readonly Woven[], only?: Woven): Message[] {
  const slots: Slot[] = messages.map((message) => ({ id: message.id, message, confirmed: true, gone: false, wanted: true }));
  for (const update of pending) {
    if (update.over) continue;
    const wanted = !only || only === update;
    let cursor = update.after;
    for (const edit of update.edits) {
      if (!edit.held) lay(slots, edit, cursor, wanted);
      if (edit.message) cursor = edit.id;
    }
  }
  return slots.filter(({ gone, wanted }) => wanted && !gone).map(({ message }) => message);
}

function lay(slots: Slot[], { id, does, message }: Edit, cursor: string | undefined, wanted: boolean): void {
  const extra = slots.find((slot) => slot.id === id && !slot.confirmed);
  const held = slots.findLast((slot) => slot.id === id && slot.confirmed);
  if (message && !extra && (!held || does === "move")) {
    slots.splice(placeBehind(slots, cursor), 0, { id, message, confirmed: false, gone: false, wanted });
    if (held && wanted) held.gone = true;
  } else if (wanted && message) {
    const slot = extra ?? held;
    if (slot) Object.assign(slot, { message, gone: false, wanted: true });
  } else if (wanted) {
    if (extra) slots.splice(slots.indexOf(extra), 1);
    if (held) held.gone = true;
  }
}

/** Behind a message and the pending ones that follow it: so each keeps the place that it had when it was written. */
function placeBehind(slots: readonly Slot[], id: string | undefined): number {
  let at = slots.findIndex((slot) => slot.id === id && !slot.confirmed);
  if (at < 0) at = slots.findLastIndex((slot) => slot.id === id);
  if (at < 0 && id !== undefined) return slots.length;
  do at++;
  while (slots[at]?.confirmed === false);
  return at;
}

/**
 * Which edits the confirmed messages hold: a new message by its id, a changed one by its content, a removal by its
 * absence. Of several edits of one message the last that is held says that those before it are, too.
 */
export function lookForMessages(messages: readonly Message[], pending: readonly Woven[]): void {
  const live = pending.filter(({ over }) => !over);
  for (const [at, update] of live.entries()) {
    for (const edit of update.edits) {
      const found = messages.findLast(({ id }) => id === edit.id);
      const before = live.slice(0, at).flatMap(({ edits }) => edits.filter(({ id, held }) => id === edit.id && !held));
      const isGone = !found && before.every(({ does }) => does !== "add");
      const says = isDeepStrictEqual(found?.content, edit.message?.content);
      if (edit.does === "remove") edit.held = isGone;
      else if (edit.does === "add") edit.held = found !== undefined && (before.length === 0 || says);
      else edit.held = found ? says : isGone;
    }
  }
  for (const [at, update] of live.entries()) {
    for (const edit of update.edits.filter(({ held }) => held)) {
      for (const earlier of live.slice(0, at).flatMap(({ edits }) => edits)) {
        if (earlier.id === edit.id) earlier.held = true;
      }
    }
  }
}
