import { ThreadfoldError } from "../shared/errors.js";
import { REMOVE_ALL_MESSAGES, removeMessage } from "../state/messages.js";
import { Delivery, type ReceivingThread } from "../stream/delivery.js";
import type { RunEnds } from "../stream/run-end.js";
import { isOpen } from "../thread/run-status.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import { finishedMessage, joinPart } from "./chunk.js";
import { isKnown, type RunInterrupt } from "./interrupt.js";
import { isDict, type Dict } from "../shared/dict.js";
import { isOverwrite } from "./step-window.js";
import { takesText, textAdded } from "./tokens.js";
import { plainDict, plainMessages, type WireMessage } from "./message-form.js";
import { INSIDE } from "../thread/inside.js";
import type { Proof } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";

/** The source of a message: its task, and whether that is in a subgraph. */
export interface Speaker {
  readonly task: string;
  readonly isGuest: boolean;
}

/** A message of the stream of messages, until the run ends. */
interface Streamed {
  /** As the thread got it. */
  message: Dict;
  /** Whether more of it is to come. */
  open: boolean;
  speaker: Speaker;
  /** Whether its node has written since its last part. */
  written: boolean;
  /** Whether a state that came after its last part lacks it. */
  lacked: boolean;
  /** Whether a state has had it. */
  landed: boolean;
  /** The message as the last state has it, if no part came since. */
  stated?: Dict | undefined;
}

/**
 * Applies both protocols to a thread. The stream of messages brings a model's output as it is generated, including
 * messages that no state ever has. The state of the root graph is final, also for messages.
 */
export class Conversation implements RunEnds {
  readonly thread: ReceivingThread;
  readonly delivery: Delivery;
  #sawValues = false;
  #runId: string | undefined;
  /** The run's interrupts. */
  #interrupts: RunInterrupt[] = [];
  /**
   * Whether the next state is the one that an interrupt left. That state lacks a subgraph's messages from before its
   * interrupt.
   */
  #isLeftByInterrupt = false;
  /** How many runs have begun. */
  runs = 0;
  /** End the runs of sub-agents that this run has begun. */
  readonly inner = new Set<() => void>();
  readonly #streamed = new Map<string, Streamed>();
  /**
   * Messages to which the last events only appended text. Apart from that text, the thread has them as they are in
   * {@link #streamed}, so a token needs no lookup in the thread.
   */
  readonly #growing = new Set<string>();

  constructor(thread: ReceivingThread) {
    this.thread = thread;
    this.delivery = new Delivery(thread);
    // A thread that was saved while its graph asked still asks, also while the request with the answer is on its way.
    const open = thread.run.interrupts ?? (isOpen(thread) ? this.#proof?.asked : undefined);
    if (Array.isArray(open)) this.#interrupts = open.filter(isDict) as unknown as RunInterrupt[];
    if (isOpen(thread)) this.#takeUp();
  }

  /** Takes up a thread that was saved in the middle of a run: it does not say which task was speaking. */
  #takeUp(): void {
    const { messages } = this.thread.getConfirmedState() as { messages?: unknown };
    for (const message of Array.isArray(messages) ? messages.filter(isDict) : []) {
      if (!("tool_call_chunks" in message) || typeof message["id"] !== "string") continue;
      this.#streamed.set(message["id"], {
        message,
        open: true,
        speaker: UNKNOWN,
        written: false,
        lacked: false,
        landed: false,
      });
    }
  }

  /** Returns the message under way whose speaker is unknown, if there is one alone. */
  orphan(): Dict | undefined {
    const orphans = [...this.#streamed.values()].filter(({ open, speaker }) => open && speaker === UNKNOWN);
    return orphans.length === 1 ? orphans[0]?.message : undefined;
  }

  send(event: ThreadEvent): boolean {
    if (event.type !== "text") this.#growing.clear();
    return this.delivery.send(event);
  }

  /** Whether the run's stream has brought a state of the root graph. */
  get sawValues(): boolean {
    return this.#sawValues;
  }

  get interrupts(): readonly RunInterrupt[] {
    return this.#interrupts;
  }

  interrupt(interrupt: RunInterrupt): void {
    if (!isKnown(this.#interrupts, interrupt)) this.#ask([...this.#interrupts, interrupt]);
  }

  /** Keeps the questions for a page that is reloaded before the run ends. */
  #ask(interrupts: RunInterrupt[]): void {
    this.#interrupts = interrupts;
    if (this.#proof) this.#proof.asked = interrupts;
  }

  /** None of a thread that is only received into. */
  get #proof(): Proof | undefined {
    return (this.thread as AnyThread)[INSIDE].proof;
  }

  start(runId: string | undefined): void {
    const isJoined = runId !== undefined && runId === this.#runId;
    if (!isJoined) this.#isLeftByInterrupt = this.#interrupts.length > 0 || this.thread.run.status === "interrupted";
    this.#ask(isJoined ? this.#interrupts.filter(({ id }) => id !== undefined) : []);
    this.#runId = runId;
    this.runs++;
    this.inner.clear();
    this.#streamed.clear();
    this.#sawValues = false;
    // The server makes the ids of runs: one that comes again is the same run.
    this.send(runId === undefined ? { type: "run-started" } : { type: "run-started", runId, joined: true });
  }

  /**
   * Ends the run successfully. Subgraph messages that the root's last state lacks are removed, unless there are
   * interrupts.
   *
   * @param folded - Whether updates brought what the run was sent.
   */
  finish(folded = false): void {
    for (const end of this.inner) end();
    this.inner.clear();
    const interrupts = [...this.#interrupts];
    if (interrupts.length === 0) {
      const gone = [...this.#streamed].filter(([, { lacked, speaker }]) => lacked && speaker.isGuest);
      this.remove(gone.map(([id]) => id));
    }
    for (const streamed of this.#streamed.values()) this.#settle(streamed);
    this.#streamed.clear();
    this.send({ type: "run-finished", ...(interrupts.length > 0 && { interrupts }), ...(folded && { folded }) });
  }

  fail(error: unknown): void {
    this.#streamed.clear();
    this.send({ type: "run-error", error });
  }

  /** Ends the current run successfully: the user stopped it, and received messages stay. */
  stop(): void {
    this.#streamed.clear();
    this.send({ type: "run-finished", stopped: true });
  }

  /** Begins the requested run if its stream did not begin one. The previous run's interrupts are still open. */
  begin(): void {
    this.send({ type: "run-started" });
  }

  /** Folds a message of the stream of messages: a part of one, a whole one, or a removal. */
  message(wire: WireMessage, speaker: Speaker): void {
    const { fields, type, part } = wire;
    const { id } = fields;
    if (typeof id !== "string" || id === "") {
      this.thread[INSIDE].report(new ThreadfoldError("INVALID_MESSAGE", "A message of the stream has no id."), fields);
    } else if (type === "remove") {
      if (id === REMOVE_ALL_MESSAGES) {
        this.#streamed.clear();
        this.send({ type: "update", update: { messages: [removeMessage(id)] } });
      } else this.remove([id]);
    } else if (part) this.#part(id, wire, speaker);
    else this.show(finishedMessage(plainDict(wire)), { open: false, speaker });
  }

  /** Shows a message that has an id. */
  show(message: Dict, { open, speaker }: { open: boolean; speaker: Speaker }): void {
    const id = message["id"] as string;
    const landed = this.#streamed.get(id)?.landed ?? false;
    this.#streamed.set(id, { message, open, speaker, written: false, lacked: false, landed });
    this.send({ type: "message", message, streaming: open });
    if (open && takesText(message)) this.#growing.add(id);
  }

  /** Whether the thread has the message whole: what comes of it now is a repetition. */
  isWhole(id: string, known = this.thread.getConfirmedMessage(id)): boolean {
    if (!known) return false;
    const streamed = this.#streamed.get(id);
    return streamed ? !streamed.open : !("tool_call_chunks" in known);
  }

  #part(id: string, wire: WireMessage, speaker: Speaker): void {
    if (this.#token(id, wire, speaker)) return;
    const last = wire.fields["chunk_position"] === "last";
    const known = this.thread.getConfirmedMessage(id) as Dict | undefined;
    // Where a model has ids of its own, the empty part that ends its message has another.
    if (last && saysNothing(wire.fields) && !known) this.#finishTask(speaker, wire);
    else if (!this.isWhole(id, known)) {
      const message = this.#join(id, wire, known);
      this.show(last ? finishedMessage(message) : message, { open: !last, speaker });
    }
  }

  /** Sends only the text of a part that is nothing else, to a message that takes it. Returns false for another part. */
  #token(id: string, wire: WireMessage, speaker: Speaker): boolean {
    const known = this.#growing.has(id) ? this.#streamed.get(id) : undefined;
    const text = known && textAdded(known.message, wire);
    return text !== undefined && this.say(id, text, speaker);
  }

  /** Adds text to a message that is known to take it. Returns false if none is. */
  say(id: string, text: string, speaker: Speaker): boolean {
    const streamed = this.#growing.has(id) ? this.#streamed.get(id) : undefined;
    if (!streamed) return false;
    Object.assign(streamed, { speaker, written: false, lacked: false, stated: undefined });
    if (text !== "") this.send({ type: "text", messageId: id, text });
    return true;
  }

  #join(id: string, wire: WireMessage, known: Dict | undefined): Dict {
    const own = this.#streamed.get(id)?.message;
    // A state that knows as much of the text knows less of the arguments that are under way.
    const base = known && own && known["content"] === own["content"] ? own : known;
    return joinPart(base, wire);
  }

  /** Ends the one message that a task's model is saying. Of several, it would not be known which one ends. */
  #finishTask(speaker: Speaker, wire: WireMessage): void {
    const open = [...this.#streamed].filter(([, streamed]) => streamed.open && streamed.speaker.task === speaker.task);
    const [found] = open;
    if (!found || open.length > 1) return;
    const [id] = found;
    const known = this.thread.getConfirmedMessage(id) as Dict | undefined;
    if (known) this.show(finishedMessage(this.#join(id, wire, known)), { open: false, speaker });
  }

  /** Folds a state of the root graph: the last word on messages, unless an interrupt left it. */
  values(values: Dict): void {
    const partial = this.#isLeftByInterrupt || this.#interrupts.length > 0;
    this.#isLeftByInterrupt = false;
    const messages = plainMessages(values["messages"]);
    const all = messages === values["messages"] ? values : { ...values, messages };
    // A state that the thread refuses does not affect streamed messages.
    if (!this.send(partial ? { type: "values", values: all, partial } : { type: "values", values: all })) return;
    if (Array.isArray(messages)) this.#land(messages, partial);
    this.#sawValues = true;
  }

  #land(messages: readonly unknown[], partial: boolean): void {
    if (this.#streamed.size === 0) return;
    const stated = new Map(messages.filter(isDict).map((message) => [message["id"], message]));
    const gone: string[] = [];
    for (const [id, streamed] of this.#streamed) {
      const message = stated.get(id);
      if (message) {
        const isWhole = streamed.stated !== undefined;
        Object.assign(streamed, { landed: true, lacked: false, stated: message });
        if (isWhole) this.#settle(streamed);
      } else if (partial) continue;
      else if (streamed.landed || streamed.written || !streamed.open) gone.push(id);
      else streamed.lacked = true;
    }
    this.remove(gone);
  }

  /**
   * A state does not set back a message that is being streamed. If no more of it comes before the next state or the
   * run's end, the state is final: it may have been redacted.
   */
  #settle({ open, stated }: Streamed): void {
    if (!open || !stated) return;
    const known = this.thread.getConfirmedMessage(stated["id"] as string) as Dict | undefined;
    if (typeof stated["content"] === "string" && known && known["content"] !== stated["content"])
      this.send({ type: "message", message: stated, streaming: false });
  }

  /** Records that a node of the root graph has written: its messages are complete, unless more parts come. */
  wrote(node: string): void {
    for (const streamed of this.#streamed.values()) {
      if (streamed.speaker.task.startsWith(`${node}:`)) streamed.written = true;
    }
  }

  /** Folds what a node of the root graph wrote. Returns false if the thread refuses it. */
  update(update: Dict): boolean {
    if (!("messages" in update)) return this.send({ type: "update", update });
    const given = plainMessages(withoutOverwrite(update["messages"]));
    const messages = this.#ownMessages(Array.isArray(given) ? given : [given]);
    for (const message of messages) {
      const streamed = isDict(message) ? this.#streamed.get(message["id"] as string) : undefined;
      if (streamed) streamed.open = false;
    }
    return this.send({ type: "update", update: { ...update, messages } });
  }

  /**
   * Returns the messages of an update without removals of messages that are gone, and without those that have no id
   * yet.
   */
  #ownMessages(messages: readonly unknown[]): unknown[] {
    const added = new Set<unknown>();
    return messages.filter((message) => {
      if (typeof message === "string" || Array.isArray(message)) return !this.#sawValues;
      // The thread refuses an invalid message.
      if (!isDict(message)) return true;
      const { id, type } = message;
      if (type === "remove")
        return id === REMOVE_ALL_MESSAGES || added.has(id) || this.thread.getConfirmedMessage(String(id)) !== undefined;
      added.add(id);
      // The state that follows has it with the server's id.
      return typeof id === "string" || !this.#sawValues;
    });
  }

  /** Removes messages that the thread has. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#streamed.delete(id);
    const known = ids.filter((id) => this.thread.getConfirmedMessage(id) !== undefined);
    if (known.length > 0) this.send({ type: "update", update: { messages: known.map(removeMessage) } });
  }
}

/** Returns messages that are to take the place of all others as an update that says so. */
function withoutOverwrite(messages: unknown): unknown {
  if (!isOverwrite(messages)) return messages;
  const list = messages.__overwrite__;
  return [removeMessage(REMOVE_ALL_MESSAGES), ...(Array.isArray(list) ? (list as unknown[]) : [])];
}

/** An unknown speaker, of the root graph or of a subgraph. */
const UNKNOWN: Speaker = { task: "", isGuest: true };

const saysNothing = ({ content, tool_call_chunks: calls }: Dict): boolean =>
  (content == null || content === "" || (Array.isArray(content) && content.length === 0)) &&
  !(Array.isArray(calls) && calls.length > 0);
