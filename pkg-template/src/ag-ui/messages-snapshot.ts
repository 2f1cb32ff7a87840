import { removeMessage } from "../state/messages.js";
import type { HeldMessage, MessagesSnapshot } from "./event-types.js";
import { sameJson } from "../shared/same-json.js";
import { cleaned, MESSAGES, NOTHING, ofServer, type Fold, type Step } from "./fold.js";
import { hasKnownRole, isKnown } from "./known-messages.js";
import { isDict } from "../shared/dict.js";
import { messages } from "./shapes.js";

/** The key of `@ag-ui/client`'s own metadata. */
const CLIENT = "@ag-ui/client";

/**
 * Returns the activity types that a snapshot lists completely: null for all types, or a list of them. Returns undefined
 * if it does not declare any, and an empty list for an invalid declaration.
 */
function authoritativeTypes({ metadata }: MessagesSnapshot): readonly string[] | null | undefined {
  if (!metadata || !Object.hasOwn(metadata, CLIENT)) return undefined;
  const own = metadata[CLIENT];
  if (!isDict(own)) return [];
  if (!Object.hasOwn(own, "authoritativeActivityTypes")) return undefined;
  const types = own["authoritativeActivityTypes"];
  if (types === null) return null;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

/** Removes the messages that are the server's and that the snapshot lacks. */
function removeLacking(
  fold: Fold,
  snapshot: readonly HeldMessage[],
  isServers: (message: HeldMessage) => boolean,
): void {
  const kept = new Set(snapshot.map((message) => message.id));
  const { messages = [] } = fold.thread.getConfirmedState() as { messages?: readonly HeldMessage[] };
  const gone = messages.filter((message) => isServers(message) && !kept.has(message.id));
  if (gone.length > 0) fold.send({ type: "update", update: { messages: gone.map(({ id }) => removeMessage(id)) } });
}

/** Returns the messages that the thread's reducer knows. Those of unknown roles are put in their places afterwards. */
function reconcilable(messages: readonly HeldMessage[]): HeldMessage[] {
  return messages.filter(hasKnownRole).map((message) => {
    if (isKnown(message)) return message;
    const { type: _, ...rest } = message as HeldMessage & { type?: unknown };
    return rest;
  });
}

/** Puts the messages that the reducer does not know, as the snapshot has them. An equal one stays the same object. */
function putUnknown(fold: Fold, messages: readonly HeldMessage[], held: readonly (HeldMessage | undefined)[]): void {
  for (const [at, message] of messages.entries()) {
    if (isKnown(message) || sameJson(message, fold.message(message.id))) continue;
    const before = held[at];
    fold.put(before && sameJson(message, before) ? before : message, messages[at - 1]?.id);
  }
}

/**
 * Returns the server's messages up to the one after which a snapshot begins. Returns a sentence if they are not those
 * that the server leaves out: their number is another one, or the snapshot has one of them.
 */
function leftOut(fold: Fold, event: MessagesSnapshot, after: unknown, keeps: unknown): readonly HeldMessage[] | string {
  const { messages = [] } = fold.thread.getConfirmedState() as { messages?: readonly HeldMessage[] };
  const own = messages.filter(({ role }) => role !== "reasoning" && role !== "activity");
  const end = own.findIndex(({ id }) => id === after) + 1;
  if (end === 0) return `MESSAGES_SNAPSHOT: there is no message '${String(after)}'.`;
  const kept = own.slice(0, end);
  const told = new Set(event.messages.map(({ id }) => id));
  if ((keeps === undefined || keeps === end) && !kept.some(({ id }) => told.has(id))) return kept;
  return `MESSAGES_SNAPSHOT: the server's messages up to '${String(after)}' are others. The next run asks for all.`;
}

/**
 * Confirms those of a snapshot's messages that the run sent and confirmed lacks, where they are shown. So a message that
 * stays on screen stays after them.
 */
function putSent(fold: Fold, snapshot: readonly HeldMessage[], clientRoles: readonly string[]): void {
  const { messages = [] } = fold.thread.getConfirmedState() as { messages?: readonly HeldMessage[] };
  if (!messages.some(({ role }) => clientRoles.includes(role))) return;
  const { messages: shown = [] } = fold.thread.getState() as { messages?: readonly HeldMessage[] };
  const pending = new Set(shown.filter(({ id }) => !fold.message(id)).map(({ role }) => role));
  for (const message of snapshot)
    if (pending.has(message.role) && isKnown(message) && !fold.message(message.id))
      fold.send({ type: "message", message });
}

export const messagesSnapshot: Step<MessagesSnapshot> = {
  shape: { messages },
  hook: "onMessagesSnapshotEvent",
  apply(fold, event) {
    const { after, keeps } = ofServer(event.metadata);
    const before = after === undefined ? [] : leftOut(fold, event, after, keeps);
    if (typeof before === "string") return fold.refuse(event, before) ?? NOTHING;
    const snapshot = [...before, ...event.messages.map(cleaned)];
    const roles = new Set(snapshot.map(({ role }) => role));
    const types = authoritativeTypes(event);
    const clientRoles = [...roles].filter((role) => !hasKnownRole({ role }));
    if (clientRoles.length > 0) removeLacking(fold, snapshot, ({ role }) => clientRoles.includes(role));
    if (!roles.has("reasoning")) clientRoles.push("reasoning");
    if (types ? true : types === undefined && !roles.has("activity")) clientRoles.push("activity");
    if (types && types.length > 0) {
      const owned = new Set(types);
      removeLacking(fold, snapshot, ({ role, activityType }) => role === "activity" && owned.has(activityType ?? ""));
    }
    const held = snapshot.map((message) => (isKnown(message) ? undefined : fold.message(message.id)));
    fold.forget();
    putSent(fold, snapshot, clientRoles);
    fold.send({ type: "messages", messages: reconcilable(snapshot), clientRoles });
    putUnknown(fold, snapshot, held);
    return MESSAGES;
  },
};
