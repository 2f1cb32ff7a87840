import type { AbstractAgent, Message } from "@ag-ui/client";
import type { ThreadfoldError } from "../../shared/errors.js";
import { REMOVE_ALL_MESSAGES, removeMessage, type MessageRemoval } from "../../state/messages.js";
import type { ThreadState } from "../../thread/thread-types.js";
import { Thread } from "../../thread/thread.js";
import { copyOf, isSameValue } from "./copies.js";
import type { HeldMessage } from "../event-types.js";
import { cleaned, foldOf, type Fold } from "../fold.js";
import { isKnown } from "../known-messages.js";
import { newId } from "../../shared/new-id.js";
import { type Shown, withoutFailed } from "../not-failed.js";
import { isDict } from "../../shared/dict.js";
import { INSIDE } from "../../thread/inside.js";
import { warningOf } from "./warnings.js";

/** The thread of an agent: AG-UI's messages, and the agent's state, whatever it is, as fields. */
export type AgentThread = Thread<AgentState>;

type AgentState = ThreadState<Message> & Record<string, unknown>;

type Fields = Record<string, unknown>;

/** A message that a caller gave the agent: the id that it came with, and the copy that the thread has. */
interface Handed {
  readonly id: unknown;
  readonly copy: Message;
}

/**
 * Keeps an agent's `messages` and `state` in step with its thread, in both directions. Anyone may set the agent's
 * properties or push to them at any time. So they are compared with what they were when last seen.
 */
export class ThreadOfAgent {
  readonly thread: AgentThread;
  readonly fold: Fold;
  /** How many events the thread could not fold. */
  refusals = 0;
  readonly #agent: AbstractAgent;
  /** The agent's array of messages when last seen, and its items then. */
  #array: readonly Message[] = [];
  #items: readonly Message[] = [];
  /** Whether those are the thread's own messages, which do not change. */
  #isOwn = false;
  /** Messages that belong to callers, who may change them. */
  readonly #handed = new WeakMap<object, Handed>();
  /** The ids that were given to messages without one, in their order. */
  readonly #named = new Set<string>();
  /** Messages of kinds that the thread's reducer does not know, by their ids. */
  readonly #unknown = new Map<string, Message>();
  /** The same for its state. */
  #state: unknown;
  #entries: Fields | undefined;
  /** Whether this object makes the change that is under way. */
  #busy = false;

  constructor(agent: AbstractAgent) {
    this.#agent = agent;
    this.thread = new Thread<AgentState>({ threadId: agent.threadId });
    this.thread.on("error", (error, event) => {
      this.refusals++;
      const warning = warningOf(error, event, this.fold);
      if (warning !== undefined) console.warn(warning);
    });
    this.fold = foldOf(this.thread);
    this.fold.state.isAny = true;
    this.thread.subscribe(() => this.#changed());
    this.#see();
    this.#own(() => {
      this.#setMessages(agent.messages, []);
      this.fold.state.set(shallow(agent.state));
    });
  }

  /** The agent's messages as the thread shows them. Do not change them. */
  get messages(): readonly Message[] {
    return this.thread.getState().messages;
  }

  /** The agent's state: the server's state with the pending updates applied. */
  get state(): unknown {
    const { pending } = this.thread;
    return pending.length === 0 ? this.fold.state.value : this.#laidOver({ state: this.thread.getState(), pending });
  }

  /** The messages and state to send while failed updates wait for a retry. Undefined if nothing has failed. */
  get unfailed(): { messages: Message[]; state: unknown } | undefined {
    if (!this.thread.pending.some(({ status }) => status === "failed")) return undefined;
    const shown = withoutFailed(this.thread);
    const { messages } = shown.state as AgentState;
    const history = messages.filter(({ role }) => role !== "activity");
    return {
      messages: history.map((message) => copyOf(cleaned(message as HeldMessage)) as Message),
      state: copyOf(this.#laidOver(shown)),
    };
  }

  /** Returns the agent's state with the pending updates applied. */
  #laidOver(shown: Shown): unknown {
    const state = this.fold.state.value;
    if (!isDict(state)) return state;
    const fields = shown.state as Fields;
    const keys = shown.pending
      .flatMap(({ update }) => Object.keys(update))
      .filter((key) => key !== "messages" && key in fields);
    return { ...state, ...Object.fromEntries(keys.map((key) => [key, fields[key]])) };
  }

  /**
   * Takes over changes made on the agent since it was last seen. Before the agent gets other messages, that is every
   * change. To show subscribers, it is only what was added at the array's end. Until the run begins, it also includes
   * edits to a message of the caller's own.
   */
  absorb(how: "edited" | "all" | "added" = "all"): void {
    const { messages, state } = this.#agent;
    const seen =
      how === "added"
        ? this.#isSameLength(messages)
        : this.#isSeen(messages) && !(how === "edited" && this.#isEdited());
    const seenState = state === this.#state && sameEntries(state, this.#entries);
    if (seen && seenState) return;
    this.#own(() => {
      if (!seen)
        this.#setMessages(
          messages,
          this.#items.filter(isDict).map((message) => this.#handed.get(message)?.copy ?? message),
        );
      if (!seenState) this.#setState(state, this.#entries);
    });
    this.#see();
  }

  /** Takes the messages that a subscriber returned. */
  replaceMessages(messages: readonly Message[]): void {
    this.#own(() => this.#setMessages(messages, this.messages));
  }

  replaceState(state: unknown): void {
    this.#own(() => this.fold.state.set(copyOf(state)));
  }

  /** Folds something in. The caller brings the agent up to date. */
  folding(work: () => void): void {
    this.#own(work);
  }

  /** Begins a run. A run that is sent again first rolls back what came since. Local changes are put back afterwards. */
  beginning(work: () => void): void {
    const held = [...this.#unknown.values()].filter(({ id }) => this.thread.getConfirmedMessage(id));
    this.#own(() => {
      work();
      this.#give(held.filter(({ id }) => !this.thread.getConfirmedMessage(id)));
    });
  }

  /** Returns an array of the messages that the agent may push to. */
  messagesForAgent(): Message[] {
    return this.messages.slice();
  }

  /** Returns a state whose first level the agent may change. */
  stateForAgent(): unknown {
    return shallow(this.state);
  }

  /** Records that the agent got these from the thread, so they do not count as the agent's own changes. */
  given(messages: Message[] | undefined, state: unknown): void {
    if (messages && this.#agent.messages === messages) {
      this.#array = messages;
      this.#items = this.messages;
      this.#isOwn = true;
    }
    if (state !== undefined && this.#agent.state === state) this.#seeState();
  }

  /**
   * Applies to the thread the changes made to its messages since `before`. Messages that the thread has received since
   * then stay.
   */
  #setMessages(messages: readonly Message[], before: readonly Message[]): void {
    const own = new Map(this.messages.map((message) => [message.id, message]));
    const known = new Map(before.map((message) => [message.id, message]));
    const update: Message[] = [];
    const wanted = new Map<string, Message>();
    for (const message of messages) {
      const id = this.#idOf(message, wanted);
      if (id === undefined) continue;
      const earlier = known.get(id);
      const next = message.id === id ? message : { ...message, id };
      if (earlier && (earlier === message || isSameValue(earlier, next))) {
        const held = own.get(id);
        if (held) wanted.set(id, held);
      } else {
        const copy = copyOf(next);
        wanted.set(id, copy);
        update.push(copy);
        this.#handed.set(message, { id: message.id, copy });
      }
    }
    const removed = before.filter(({ id }) => !wanted.has(id) && own.has(id) && this.thread.getConfirmedMessage(id));
    this.fold.forget();
    if (keepsOrder(own, wanted)) {
      this.#give([...removed.map(({ id }) => removeMessage(id)), ...update]);
    } else {
      const since = [...own.values()].filter(({ id }) => !known.has(id) && !wanted.has(id));
      this.#give([removeMessage(REMOVE_ALL_MESSAGES), ...wanted.values(), ...since]);
    }
  }

  /**
   * Returns the id under which the thread has a message: its own. Ids are unique there: the second of two messages with
   * one id gets another, unless they are equal. A message without an id keeps the one that it, or its equal, was given.
   */
  #idOf(message: Message, wanted: ReadonlyMap<string, Message>): string | undefined {
    if (!isDict(message)) {
      this.fold.refuse(message, "A message of the agent should be an object.", "INVALID_MESSAGE");
      return undefined;
    }
    const handed = this.#handed.get(message);
    if (handed && handed.id === message.id && !wanted.has(handed.copy.id)) return handed.copy.id;
    if (typeof message.id === "string") {
      const other = wanted.get(message.id);
      if (!other) return message.id;
      if (isSameValue(other, message)) return undefined;
      const { toolCallId } = message as { toolCallId?: string };
      return toolCallId !== undefined && !wanted.has(toolCallId) ? toolCallId : newId();
    }
    for (const id of this.#named) {
      if (!wanted.has(id) && isSameValue({ ...message, id }, this.thread.getConfirmedMessage(id))) return id;
    }
    const id = newId();
    this.#named.add(id);
    return id;
  }

  /** Gives the thread messages and removals, in their order. */
  #give(update: readonly (Message | MessageRemoval)[]): void {
    let known: (Message | MessageRemoval)[] = [];
    const giveKnown = () => {
      const messages = known;
      known = [];
      if (messages.length > 0) this.thread.update({ messages });
    };
    try {
      for (const one of update) {
        if (!("role" in one) || isKnown(one)) {
          known.push(one);
        } else {
          giveKnown();
          this.#unknown.set(one.id, one);
          this.fold.send({ type: "message", message: one });
        }
      }
      giveKnown();
    } catch (error) {
      this.thread[INSIDE].report(error as ThreadfoldError, update);
    }
  }

  /** Whether a caller has changed a message of its own since the agent got it. */
  #isEdited(): boolean {
    return (
      !this.#isOwn &&
      this.#items.some((message) => {
        const handed = isDict(message) ? this.#handed.get(message) : undefined;
        return handed && !(handed.id === message.id && isSameValue(handed.copy, { ...message, id: handed.copy.id }));
      })
    );
  }

  /** Does the same for the state, by its fields. */
  #setState(state: unknown, before: Fields | undefined): void {
    const held = this.fold.state.value;
    if (!isDict(state) || !before || !isDict(held)) {
      this.fold.state.set(shallow(state));
      return;
    }
    const next = { ...held };
    for (const key of Object.keys(before)) if (!Object.hasOwn(state, key)) delete next[key];
    for (const [key, value] of Object.entries(state))
      if (!Object.hasOwn(before, key) || before[key] !== value) next[key] = value;
    this.fold.state.set(next);
  }

  /** Shows in the agent what changed the thread by its own methods, such as `optimistic`. */
  #changed(): void {
    if (this.#busy) return;
    // Before the agent gets other messages.
    this.absorb("edited");
    this.fold.forget();
    const agent = this.#agent;
    const messages = this.messages;
    if (messages !== this.#items && !this.#isShown(agent.messages, messages)) {
      agent.messages = this.messagesForAgent();
      this.given(agent.messages, undefined);
      for (const subscriber of agent.subscribers)
        void subscriber.onMessagesChanged?.({ messages: agent.messages, state: agent.state, agent });
    }
    const state = this.stateForAgent();
    if (!sameEntries(state, this.#entries)) {
      agent.state = state;
      this.given(undefined, state);
      for (const subscriber of agent.subscribers)
        void subscriber.onStateChanged?.({ messages: agent.messages, state: agent.state, agent });
    }
  }

  #own(work: () => void): void {
    const before = this.#busy;
    this.#busy = true;
    try {
      work();
    } finally {
      this.#busy = before;
    }
  }

  #see(): void {
    const { messages } = this.#agent;
    if (!this.#isSeen(messages)) {
      this.#array = messages;
      this.#items = [...messages];
      this.#isOwn = false;
    }
    this.#seeState();
  }

  #seeState(): void {
    this.#state = this.#agent.state;
    this.#entries = entriesOf(this.#state);
  }

  #isSeen(messages: readonly Message[]): boolean {
    return messages === this.#array && this.#isHeldBy(messages, this.#items);
  }

  #isSameLength(messages: readonly Message[]): boolean {
    return messages === this.#array && messages.length === this.#items.length && messages.at(-1) === this.#items.at(-1);
  }

  /** Whether a list of the agent's has the thread's messages: these, or the callers' own that they are copies of. */
  #isShown(array: readonly Message[], messages: readonly Message[]): boolean {
    return (
      array.length === messages.length &&
      array.every((message, at) => {
        const own = messages[at];
        return message === own || (isDict(message) && this.#handed.get(message)?.copy === own);
      })
    );
  }

  #isHeldBy(array: readonly Message[], items: readonly Message[]): boolean {
    if (array.length !== items.length) return false;
    for (let at = 0; at < items.length; at++) if (array[at] !== items[at]) return false;
    return true;
  }
}

/** Whether the known messages keep their order and the new ones come last, so that adding and removing is enough. */
function keepsOrder(own: ReadonlyMap<string, Message>, wanted: ReadonlyMap<string, Message>): boolean {
  const left = [...own.keys()].filter((id) => wanted.has(id));
  let at = 0;
  for (const id of wanted.keys()) {
    if (at < left.length && left[at++] !== id) return false;
  }
  return true;
}

/** Returns a copy whose first level may be changed. */
function shallow(state: unknown): unknown {
  return isDict(state) ? { ...state } : Array.isArray(state) ? [...(state as unknown[])] : state;
}

function entriesOf(state: unknown): Fields | undefined {
  return typeof state === "object" && state !== null ? { ...state } : undefined;
}

/** Whether these are the entries of a state. */
function sameEntries(state: unknown, entries: Fields | undefined): boolean {
  if (typeof state !== "object" || state === null || !entries) return !entries;
  const keys = Object.keys(state);
  return (
    keys.length === Object.keys(entries).length &&
    keys.every((key) => Object.hasOwn(entries, key) && (state as Fields)[key] === entries[key])
  );
}
