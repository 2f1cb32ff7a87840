import { overwrite } from "../state/fields.js";
import { defineSchema, type Schema } from "../state/schema.js";
import { field } from "../state/fields.js";
import { sameJson } from "../shared/same-json.js";
import { INSIDE } from "../thread/inside.js";
import { isOpen } from "../stream/run-end.js";
import type { Doubt, ThreadPosition } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import type { Conversation } from "./conversation.js";
import { isDict, type Dict } from "./merge.js";
import { plainMessages } from "./message-form.js";
import { isOverwrite, messageIds, StepWindow } from "./step-window.js";
import type { TaskPath, Write } from "./write-order.js";

/** The fields of a thread without a schema. */
const READY_MADE = defineSchema({
  messages: field.messages(),
  tools: field.tools(),
  todos: field.todos(),
  files: field.files(),
});

/**
 * Super-steps from the end of one run to the first node of the next: the input, START and the node. A resumed run goes on
 * with the next one.
 */
const STEPS_TO_INPUT = 3;

/** The server's note to a part: the task and the super-step. */
interface Note extends Dict {
  readonly step?: number;
  readonly path?: TaskPath;
  readonly part?: number;
  readonly parts?: number;
  readonly checkpoint_id?: string;
  readonly cached?: boolean;
}

/**
 * Keeps a thread equal to the server's state by the updates of its nodes alone. Folds each super-step in the server's
 * order, drops unfinished ones, and notes a doubt where the stream says too little. A stream with states needs none of
 * it.
 */
export class SuperSteps {
  readonly #conversation: Conversation;
  readonly #thread: AnyThread;
  #window: StepWindow | undefined;
  /** The thread's snapshots when the window was opened. */
  #snapshots = 0;
  /** The greatest super-step that a part of the run named. */
  #step: number | undefined;
  /** Whether the run's input is still to be folded in: it is saved before any task runs. */
  #isInputDue = false;
  /** Whether no part of the run named a super-step yet. */
  #isFirst = true;
  #isJoining = false;
  /** Whether a run has begun whose end is not known. */
  #isOpen: boolean;
  /** Whether the end of the run before is not known: its server may have lost what it sent. */
  #wasCut = false;
  /** Whether the server numbered the parts of the run before. */
  #wasNumbered = false;
  #runId: string | undefined;
  /** The state to go back to when the run starts again. */
  #atStart: { window?: StepWindow | undefined; step?: number | undefined; position?: ThreadPosition | undefined } = {};
  /** Whether an earlier run left a super-step unfinished, and the window lacks its writes. */
  #isLeftUnknown: boolean;
  /** Whether the last run that ended may have left a super-step unfinished. */
  #isUnfinished: boolean;
  /** The messages of a failed run that no task wrote. They are shown until the next run. */
  #unwritten: readonly string[] = [];
  /** The number of parts with writes so far, if the server numbers them. */
  #parts: number | undefined;
  #hasUpdates = false;
  /** The state as the run's end found it. */
  #proven: { state: Dict; snapshots: number } | undefined;
  /** The message that the last part was about. */
  #lastId: string | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#thread = conversation.thread as AnyThread;
    // A run without an id is only requested.
    this.#isOpen = isOpen(this.#thread) && this.#thread.run.id !== undefined;
    this.#isUnfinished = isUnfinished(this.#thread);
    this.#isLeftUnknown = this.#proof.position?.isLeft ?? this.#isUnfinished;
  }

  get #schema(): Schema<unknown> {
    return (this.#thread.schema as Schema<unknown> | undefined) ?? READY_MADE;
  }

  get #proof() {
    return this.#thread[INSIDE].proof;
  }

  /** Whether the server numbers its parts, and names each super-step that it saved. */
  get isNumbered(): boolean {
    return this.#parts !== undefined;
  }

  #doubt(field: string, reason: Doubt["reason"]): void {
    this.#thread[INSIDE].doubt({ field, reason });
  }

  #doubtAll(reason: Doubt["reason"]): void {
    const fields = [...Object.keys(this.#schema.fields as object), ...Object.keys(this.#thread.getConfirmedState())];
    for (const name of new Set(fields)) this.#doubt(name, reason);
  }

  /** A run starts; the last one starts again from its beginning if it comes with the same id. */
  start(runId: string | undefined): void {
    if (runId === undefined || runId !== this.#runId) {
      this.#wasCut = this.#isOpen;
      if (this.#window) this.#window.left = this.#window.writes.length;
      this.#atStart = { window: this.#window?.copy(), step: this.#step, position: this.#proof.position };
    } else {
      this.#window = this.#atStart.window?.copy();
      this.#step = this.#atStart.step;
      this.#thread.receive({ type: "step", ...this.#atStart.position });
    }
    this.#isOpen = true;
    this.#runId = runId;
    this.#isInputDue = true;
    this.#isFirst = true;
    this.#isJoining = false;
    this.#wasNumbered = this.isNumbered;
    this.#parts = undefined;
    this.#hasUpdates = false;
  }

  /** A stream goes on with a run: parts may be missing, unless it begins with the run's start. */
  join(): void {
    this.#isJoining = true;
  }

  /** A message of the stream is about to be shown. */
  sees(id: unknown, metadata: unknown, isGuest: boolean): void {
    if (id === this.#lastId && this.#window) return;
    this.#isOpen = true;
    if (this.#conversation.sawValues || typeof id !== "string" || id === "") return;
    const { langgraph_step: step, langgraph_path: path, langgraph_node: node } = isDict(metadata) ? metadata : {};
    const isPlaced = !isGuest && typeof step === "number";
    const window = this.#reach(isPlaced ? step : undefined);
    this.#lastId = id;
    if (isPlaced) window.places.set(id, { node, step, path: Array.isArray(path) ? path : undefined });
    if (!this.#conversation.thread.getConfirmedMessage(id)) window.shown.add(id);
  }

  /** The stream has updates. */
  hearsUpdates(): void {
    this.#hasUpdates = true;
    this.#isOpen = true;
  }

  /** A part that may be the one before, sent twice: messages are the same then, other fields may be folded twice. */
  repeats(writes: Dict): void {
    if (this.#conversation.sawValues) return;
    for (const update of Object.values(writes).flat().filter(isDict)) {
      for (const name of Object.keys(update)) if (name !== "messages") this.#doubt(name, "gap");
    }
  }

  /** Folds the writes of a task of the root graph. */
  take(node: string, written: unknown, told: unknown): void {
    const updates = (Array.isArray(written) ? written : [written]).filter(isDict);
    if (this.#conversation.sawValues) {
      for (const update of updates) this.#conversation.update(update);
      return;
    }
    const { step, path, part, cached } = (isDict(told) ? told : {}) as Note;
    if (part !== undefined) {
      if (part !== (this.#parts ?? 0)) this.#doubtAll("gap");
      this.#parts = part + 1;
    }
    const window = this.#reach(step);
    const own = updates.map((update) => this.#known(update));
    const place = own
      .flatMap(messageIds)
      .map((id) => window.places.get(id))
      .find((found) => found?.node === node);
    const write: Write = { node, updates: own, step: step ?? place?.step, path: path ?? place?.path };
    if (cached && this.#wasTaken(write)) return;
    window.add(write);
    for (const id of own.flatMap(messageIds)) {
      if (!this.#conversation.thread.getConfirmedMessage(id)) window.shown.add(id);
    }
    for (const update of own) this.#fold(update, window);
  }

  /** The server saved a super-step. */
  saved(told: unknown): void {
    if (!isDict(told) || this.#conversation.sawValues) return;
    const { step, checkpoint_id: checkpointId, parts } = told as Note;
    if (parts !== undefined) {
      this.#openWindow();
      const first = this.#isFirst ? this.#firstStep : undefined;
      this.#isFirst = false;
      // The first one that is named holds the input, or is the one that a resumed run goes on from.
      if (first !== undefined && step !== undefined && step !== first - 1) this.#doubtAll("gap");
      if (parts !== (this.#parts ?? 0)) this.#doubtAll("gap");
      this.#parts = parts;
    }
    if (checkpointId === undefined) return;
    this.#openWindow();
    this.#parts ??= 0;
    this.#commit();
    this.#step = step;
    this.#thread.receive({ type: "step", step, checkpointId });
  }

  /** The run stopped at a breakpoint: what came before it is saved. */
  stopped(): void {
    if (!this.#conversation.sawValues) this.#commit();
  }

  /** The run is about to end well; with interrupts, its last super-step is unfinished. */
  finish(isInterrupted: boolean): void {
    // A run that was sent once more has ended already.
    if (!this.#isOpen) return;
    this.#finish(isInterrupted);
    if (this.#conversation.sawValues || !this.#hasUpdates) return;
    this.#proven = { state: this.#thread.getConfirmedState() as Dict, snapshots: this.#proof.snapshots };
  }

  #finish(isInterrupted: boolean): void {
    this.#isOpen = false;
    this.#isUnfinished = isInterrupted;
    if (!isInterrupted) this.#isLeftUnknown = false;
    this.#unwritten = [];
    if (this.#conversation.sawValues) return;
    // The end of a stream that brought nothing proves nothing.
    if (this.#isJoining) this.#doubtAll("gap");
    // A super-step may have cleared a field that it did not write, if the field is ephemeral.
    if (!this.#thread.schema && this.#hasUpdates) this.#doubtUnknown(this.#thread.getConfirmedState() as Dict);
    if (!this.#hasUpdates) {
      if (this.#window && this.#window.shown.size > 0) this.#doubt("messages", "gap");
      return;
    }
    const window = this.#openWindow();
    if (isInterrupted) {
      this.#orderMessages(window);
      if (!this.isNumbered) this.#thread.receive({ type: "step" });
      return;
    }
    if (!this.isNumbered) {
      const isKnown = window.writes.every(({ step }) => step === this.#step);
      this.#commit();
      this.#thread.receive({ type: "step", step: isKnown ? this.#step : undefined });
    } else if (window.writes.length > 0) this.#doubtAll("gap");
  }

  /** The run failed, or was stopped: it may have saved writes that it did not tell. */
  fail(): void {
    this.#isOpen = false;
    this.#isUnfinished = true;
    const written = new Set(this.#window?.writtenIds());
    const shown = this.#window?.shown ?? [];
    this.#unwritten = [...shown].filter((id) => !written.has(id));
    if (!this.#conversation.sawValues) this.#doubtAll("bad-end");
  }

  /** Comes to a super-step: the earlier ones are saved. Returns the window of what is not. */
  #reach(step: number | undefined): StepWindow {
    const window = this.#openWindow();
    if (step === undefined) return window;
    const wasFirst = this.#isFirst;
    const before = wasFirst ? this.#firstStep : this.#step;
    this.#isFirst = false;
    // Each super-step has at least one task, and each task has a part.
    const isGap = before !== undefined && (step < before || step - before > window.writes.length);
    if (isGap && !this.isNumbered) this.#doubtAll("gap");
    const isSame = step === this.#step;
    this.#step = step;
    // A resumed run goes on in the super-step in which the earlier one stopped.
    const isResumed =
      wasFirst && !this.#hasInput && window.writes.slice(0, window.left).some((write) => (write.step ?? step) >= step);
    if (isSame || isResumed || window.writes.length === 0) return window;
    // Each earlier super-step has a part; more parts without a super-step may be of this one.
    const unplaced = window.writes.filter((write) => write.step === undefined).length;
    const placed = new Set(window.writes.flatMap((write) => write.step ?? [])).size;
    if (!this.isNumbered && unplaced > (before === undefined ? 0 : Math.max(0, step - before - placed))) return window;
    this.#commit();
    return this.#openWindow();
  }

  /** The super-step in which the run's first tasks run, if it is known where the thread stood. */
  get #firstStep(): number | undefined {
    const stood = this.#proof.position?.step;
    return stood === undefined ? undefined : stood + (this.#hasInput ? STEPS_TO_INPUT : 1);
  }

  #hasInput = false;

  /** Opens a window, unless one is open; the first of a run takes the run's input. */
  #openWindow(): StepWindow {
    if (this.#window && this.#snapshots !== this.#proof.snapshots) {
      // A state came from elsewhere: notes about an earlier one are void.
      this.#window = undefined;
      this.#isLeftUnknown = this.#proof.position?.isLeft ?? this.#isUnfinished;
    }
    if (this.#isInputDue) this.#takeInput();
    if (this.#isJoining) {
      this.#isJoining = false;
      if (!this.isNumbered) this.#doubtAll("gap");
    }
    this.#snapshots = this.#proof.snapshots;
    return (this.#window ??= new StepWindow(this.#thread.getConfirmedState() as Dict));
  }

  /** Folds in what the run was sent. New input drops what an earlier run left unfinished; a resumed run goes on with it. */
  #takeInput(): void {
    this.#isInputDue = false;
    // No task wrote them, and this run may make them anew.
    this.#conversation.remove([...this.#unwritten, ...this.#proof.cutOff]);
    const sent = this.#thread.pending.filter(({ status }) => status === "sent");
    this.#hasInput = sent.length > 0;
    if (this.#wasCut) this.#doubtAll("bad-end");
    if (!this.#hasInput) return;
    this.#dropLeft();
    this.#isLeftUnknown = false;
    // Input is a super-step of its own.
    this.#clearEphemeral(new StepWindow(this.#thread.getConfirmedState() as Dict));
    for (const { update } of sent) {
      this.#doubtUnknown(update as Dict);
      if (this.#conversation.send({ type: "update", update: update as object })) continue;
      for (const name of Object.keys(update as object)) this.#doubt(name, "unreadable");
    }
  }

  #dropLeft(): void {
    const left = this.#window;
    this.#window = undefined;
    if (this.#isLeftUnknown) this.#doubtAll("bad-end");
    if (!left) return;
    const written = new Set(left.writtenIds());
    const isAdded = left
      .writersOf("messages")
      .every((write) => write.updates.flatMap(messageIds).every((id) => written.has(id)));
    this.#conversation.remove([...left.shown].filter((id) => this.#wasNumbered || !written.has(id)));
    for (const name of left.fields) {
      if (this.#wasNumbered && name === "messages" && isAdded) continue;
      if (this.#wasNumbered) this.#set(name, left.base[name]);
      else this.#doubt(name, "bad-end");
    }
  }

  /** Whether an earlier run sent these writes already: a resumed one repeats them. */
  #wasTaken({ node, updates, path, step }: Write): boolean {
    if (this.#isLeftUnknown) {
      // The loaded state has them, without their tasks.
      for (const name of updates.flatMap(Object.keys)) this.#doubt(name, "gap");
      return true;
    }
    const writes = this.#window?.writes ?? [];
    const at = writes.findIndex((known) => known.node === node && sameJson(known.updates, updates));
    const known = writes[at];
    if (!known) return false;
    writes[at] = { ...known, path: known.path ?? path, step: known.step ?? step };
    return true;
  }

  /** Without a schema all fields matter; with one, those others that a state brought are shown, too. */
  #doubtUnknown(update: Dict): void {
    const shown = this.#thread.getConfirmedState() as Dict;
    for (const name of Object.keys(update)) {
      const isShown = !this.#thread.schema || shown[name] !== undefined;
      if (isShown && !Object.hasOwn(this.#schema.fields as object, name)) this.#doubt(name, "unknown-reducer");
    }
  }

  /** Returns an update's fields whose reducers are known. */
  #known(update: Dict): Dict {
    const fields = this.#schema.fields as object;
    const known = Object.entries(update).filter(([name]) => Object.hasOwn(fields, name));
    this.#doubtUnknown(update);
    return Object.fromEntries(known.map(([name, value]) => [name, name === "messages" ? plainMessages(value) : value]));
  }

  #fold(update: Dict, window: StepWindow): void {
    const inTurn: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(update)) {
      // The order of messages is looked at once, when the super-step is saved.
      if (name === "messages" || window.isLast(name, this.#schema)) inTurn[name] = value;
      else this.#set(name, window.folded(name, this.#schema)?.value);
    }
    const { messages } = inTurn;
    const list = isOverwrite(messages) ? messages.__overwrite__ : messages;
    if (list !== undefined && ![list].flat().every(hasId)) this.#doubt("messages", "unreadable");
    if (Object.keys(inTurn).length > 0 && !this.#conversation.update(inTurn))
      for (const name of Object.keys(inTurn)) this.#doubt(name, "unreadable");
  }

  #set(name: string, value: unknown): void {
    if (name === "messages") this.#conversation.update({ messages: overwrite(value) });
    else if (value === undefined) this.#clear(name);
    else this.#conversation.send({ type: "delta", operations: [{ op: "add", path: `/${pointerTo(name)}`, value }] });
  }

  /**
   * The run ended: the thread took over what the run was sent, where it has the value from before the run. The updates
   * know better.
   */
  ended(): void {
    const proven = this.#proven;
    this.#proven = undefined;
    if (!proven || proven.snapshots !== this.#proof.snapshots) return;
    const state = this.#thread.getConfirmedState() as Dict;
    for (const name of Object.keys(state)) {
      const value = proven.state[name];
      if (name === "messages" || state[name] === value) continue;
      this.#set(name, value);
    }
  }

  #clear(name: string): void {
    this.#conversation.send({ type: "delta", operations: [{ op: "remove", path: `/${pointerTo(name)}` }] });
  }

  /** Everything so far is saved. */
  #commit(): void {
    const window = this.#openWindow();
    this.#window = undefined;
    this.#lastId = undefined;
    if (this.#hasUpdates) this.#settleMessages(window);
    for (const name of window.fields) {
      if (name !== "messages" && window.folded(name, this.#schema)?.isSure === false) this.#doubt(name, "order");
    }
    // Each super-step has a part.
    if (window.writes.length > 0) this.#clearEphemeral(window);
  }

  /** Brings the messages into the order in which the server has them, and removes those that no task wrote. */
  #settleMessages(window: StepWindow): void {
    const written = window.writtenIds();
    const isWritten = new Set(written);
    this.#conversation.remove([...window.shown].filter((id) => !isWritten.has(id)));
    this.#orderMessages(window);
  }

  #orderMessages(window: StepWindow): void {
    const written = window.writtenIds();
    const isWritten = new Set(written);
    const writers = window.writersOf("messages");
    if (writers.length === 0) return;
    const shown = [...window.shown].filter((id) => isWritten.has(id));
    const isInOrder = shown.every((id, at) => id === written[at]);
    if (writers.length === 1 && isInOrder) return;
    const folded = window.folded("messages", this.#schema);
    if (!folded?.isSure) this.#doubt("messages", folded ? "order" : "unreadable");
    if (folded && !(isInOrder && writers.every(isPlain))) this.#set("messages", folded.value);
  }

  /** A super-step clears the ephemeral fields that it does not write. */
  #clearEphemeral(window: StepWindow): void {
    const state = this.#thread.getConfirmedState() as Dict;
    for (const [name, { kind }] of Object.entries(this.#schema.fields as Record<string, { kind: string }>)) {
      if (kind !== "ephemeral" || state[name] === undefined) continue;
      const steps = new Set(window.writes.map(({ step }) => step));
      const writers = window.writersOf(name);
      if (writers.length === 0) this.#clear(name);
      else if (steps.size > 1 || steps.has(undefined)) this.#doubt(name, "order");
    }
  }
}

/** The part of a JSON pointer that names a field. */
const pointerTo = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Whether the thread's last run may have left a super-step unfinished. */
const isUnfinished = ({ run: { status } }: AnyThread): boolean => status === "interrupted" || status === "error";

const hasId = (message: unknown): boolean => isDict(message) && typeof message["id"] === "string";

/** Whether a task only added messages or changed some: removals and overwrites act on what is there. */
const isPlain = ({ updates }: Write): boolean =>
  updates.every(({ messages }) =>
    (Array.isArray(messages) ? messages : [messages]).every(
      (message) => message === undefined || (hasId(message) && (message as Dict)["type"] !== "remove"),
    ),
  );
