import { sameJson } from "../shared/same-json.js";
import { INSIDE } from "../thread/inside.js";
import { REMOVE_ALL_MESSAGES } from "../state/messages.js";
import type { AnyThread } from "../thread/thread.js";
import type { Conversation } from "./conversation.js";
import { isDict, type Dict } from "../shared/dict.js";
import { lastRun, type RunNotes } from "./run-notes.js";
import { messageIds, StepWindow, type Place } from "./step-window.js";
import { UpdateFold } from "./update-fold.js";
import type { TaskPath, Write } from "./write-order.js";

/**
 * Super-steps from the end of one run to the first node of the next: the input, START and the node. A resumed run goes on
 * with the next one.
 */
const STEPS_TO_INPUT = 3;

/** The place of a message of a subgraph. */
const NOWHERE: Place = { node: undefined };

/** The server's note to a part: the task and the super-step. */
interface Note extends Dict {
  readonly step?: number;
  readonly path?: TaskPath;
  readonly part?: number;
  readonly parts?: number;
  readonly checkpoint_id?: string;
  readonly cached?: boolean;
  /** The checkpoint that the run begins at; null if there is none. */
  readonly from?: string | null;
  /** Fields that the part has otherwise than the graph, or not at all. */
  readonly inexact?: readonly string[];
  readonly hidden?: readonly string[];
  readonly end?: boolean;
}

/**
 * Keeps a thread equal to the server's state by the updates of its nodes alone. Folds each super-step in the server's
 * order, drops unfinished ones, and notes a doubt where the stream says too little. A stream with states needs none of
 * it.
 */
export class SuperSteps {
  readonly #conversation: Conversation;
  readonly #thread: AnyThread;
  readonly #fold: UpdateFold;
  #window: StepWindow | undefined;
  #run: RunNotes;
  /** The run in whose middle the state was loaded, until its stream comes to that state. */
  #loadedIn: string | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#thread = conversation.thread as AnyThread;
    this.#fold = new UpdateFold(conversation);
    this.#run = lastRun(this.#thread);
  }

  get #proof() {
    return this.#thread[INSIDE].proof;
  }

  /** Whether the server numbers its parts, and names each super-step that it saved. */
  get isNumbered(): boolean {
    return this.#run.parts !== undefined;
  }

  /** Whether the server marked the run's end: its stream was not cut. */
  get hasEnd(): boolean {
    return this.#run.hasEnd === true;
  }

  /** Whether the thread has folded what the run was sent. */
  get hasFoldedInput(): boolean {
    return !this.#conversation.sawValues && this.#run.hasUpdates === true && this.#run.isInputFolded === true;
  }

  /** A run starts; the last one starts again from its beginning if it comes with the same id. */
  start(id: string | undefined): void {
    if (id === undefined || id !== this.#run.id) {
      const { before: _, ...before } = this.#run;
      if (this.#window) this.#window.left = this.#window.writes.length;
      this.#run = { id, before, start: { window: this.#window?.copy(), position: this.#proof.position } };
      return;
    }
    const { before, start } = this.#run;
    this.#window = start?.window?.copy();
    this.#run = { id, before, start };
    this.#thread.receive({ type: "step", ...start?.position });
  }

  /** A stream goes on with a run: parts may be missing, unless it begins with the run's start. */
  join(): void {
    this.#run.isJoining = true;
  }

  /** The stream to come begins with the start of a run in whose middle the state was loaded. */
  rejoin(runId: string): void {
    this.#loadedIn = runId;
  }

  /** Whether the state has what the stream brings. */
  get #isBehind(): boolean {
    return this.#loadedIn !== undefined && this.#loadedIn === this.#run.id;
  }

  /** A part cannot be read: it is lost. */
  lost(): void {
    if (!this.#conversation.sawValues) this.#fold.doubtAll("gap");
  }

  /** A message of the stream came. Returns false if its task has written it already: then its text came late. */
  sees(id: unknown, metadata: unknown, isGuest: boolean): boolean {
    if (id === this.#window?.lastId && this.#isValid) return true;
    this.#run.end = undefined;
    if (this.#conversation.sawValues || typeof id !== "string" || id === "") return true;
    if (this.#isBehind && this.isNumbered) return false;
    const { langgraph_step: step, langgraph_path: path, langgraph_node: node } = isDict(metadata) ? metadata : {};
    const isPlaced = !isGuest && typeof step === "number";
    const window = this.#reach(isPlaced ? step : undefined);
    if (window.hasWritten(id)) {
      this.#fold.doubt(["messages"], "gap");
      return false;
    }
    window.lastId = id;
    window.places.set(id, isPlaced ? { node, step, path: Array.isArray(path) ? path : undefined } : NOWHERE);
    this.#show(id, window);
    return true;
  }

  #show(id: string, window: StepWindow): void {
    if (id !== REMOVE_ALL_MESSAGES && !this.#thread.getConfirmedMessage(id)) window.shown.add(id);
  }

  /** The stream has updates. */
  hearsUpdates(): void {
    this.#run.hasUpdates = true;
    this.#run.end = undefined;
  }

  /**
   * A part that may be the one before, sent twice. Messages are the same then, unless it moves one; other fields may be
   * folded twice.
   */
  repeats(writes: Dict): void {
    if (this.#conversation.sawValues) return;
    const updates = Object.values(writes).flat().filter(isDict);
    const ids = updates.flatMap(messageIds);
    const moves = new Set(ids).size < ids.length;
    for (const update of updates) {
      this.#fold.doubt(
        Object.keys(update).filter((name) => moves || name !== "messages"),
        "gap",
      );
    }
  }

  /** The server names the input that the run was sent. */
  isSent(input: unknown): void {
    if (isDict(input)) this.#run.input = input;
  }

  /** Folds the writes of a task of the root graph. */
  take(node: string, written: unknown, told: unknown): void {
    const updates = (Array.isArray(written) ? written : [written]).filter(isDict);
    if (this.#conversation.sawValues) {
      for (const update of updates) this.#conversation.update(update);
      return;
    }
    const { step, path, part, cached, inexact, hidden } = (isDict(told) ? told : {}) as Note;
    if (part !== undefined) {
      if (part !== (this.#run.parts ?? 0)) this.#fold.doubtAll("gap");
      this.#run.parts = part + 1;
      if (this.#isBehind) return;
    }
    const window = this.#reach(step);
    window.lastId = undefined;
    const taken = this.#isBehind || this.#run.isPartlyTaken ? updates.map(messagesOf) : updates;
    const own = taken.map((update) => this.#fold.known(update, part !== undefined));
    const write: Write = { node, updates: own, step, path };
    if (!cached || !this.#wasTaken(write)) {
      if (step === undefined) window.place(write);
      else window.add(write);
      for (const id of own.flatMap(messageIds)) this.#show(id, window);
      for (const update of own) this.#fold.fold(update);
    }
    this.#fold.doubtUntold(inexact, hidden);
  }

  /** The server saved a super-step. The first one that a run names is the one that it goes on from. */
  saved(told: unknown): void {
    if (!isDict(told) || this.#conversation.sawValues) return;
    const { step, checkpoint_id: checkpointId, parts, end, from, hidden } = told as Note;
    if (parts === undefined && checkpointId === undefined) return;
    if (this.#isBehind && !this.#catchesUp(told as Note)) return;
    const run = this.#run;
    // The stream is read from the run's beginning.
    if (from !== undefined && run.step === undefined) run.parts ??= 0;
    this.#openWindow();
    const isFirst = run.step === undefined;
    const first = isFirst ? this.#firstStep : undefined;
    const isSkipped = first !== undefined && step !== undefined && step !== first - 1;
    const isElsewhere = from !== undefined && (from ?? undefined) !== this.#proof.position?.checkpointId;
    this.#fold.doubtUntold([], hidden);
    if (isElsewhere || isSkipped || (parts ?? 0) !== (run.parts ?? 0)) this.#fold.doubtAll("gap");
    run.parts = parts ?? 0;
    run.step = step ?? run.step;
    run.hasEnd = end === true;
    if (checkpointId === undefined) return;
    if (!isFirst && checkpointId !== this.#proof.position?.checkpointId) this.#commit();
    if (!isFirst) run.isPartlyTaken = false;
    this.#thread.receive({ type: "step", step, checkpointId });
  }

  /**
   * Whether the stream has come to the loaded state, or begins there. From then on its parts are folded. The state also
   * has what tasks of the open super-step have written: of those only messages, which have ids, are folded again.
   */
  #catchesUp({ from, checkpoint_id: checkpointId, parts, step }: Note): boolean {
    const run = this.#run;
    const { checkpointId: loaded, isLeft } = this.#proof.position ?? {};
    const begins = from !== undefined && (from ?? undefined) === loaded;
    if (!begins) {
      run.parts = parts ?? 0;
      run.step = step ?? run.step;
      if (checkpointId === undefined || checkpointId !== loaded) return false;
    }
    this.#loadedIn = undefined;
    if (isLeft) {
      run.isPartlyTaken = true;
      this.#fold.doubtAll("gap");
    }
    if (!begins) this.#skipInput();
    return begins;
  }

  /** The state has what the run was sent. */
  #skipInput(): void {
    this.#run.hasInput = this.#thread.pending.some(({ status }) => status === "sent");
    this.#run.isInputFolded = true;
  }

  /** The run stopped at a breakpoint: what came before it is saved. */
  stopped(): void {
    if (!this.#conversation.sawValues) this.#commit();
  }

  /**
   * The run is about to end well; with interrupts, its last super-step is unfinished. A stream that was asked for updates
   * brings some; one with marks has a mark of the end.
   */
  finish(isInterrupted: boolean, asksUpdates = false): void {
    const run = this.#run;
    // A run that was sent once more has ended already.
    if (run.end) return;
    run.end = isInterrupted ? "interrupted" : "finished";
    if (this.#conversation.sawValues) return;
    // The stream did not come to the loaded state, or not to the run's end.
    if (this.#isBehind || (this.isNumbered && !run.hasEnd) || (asksUpdates && !run.hasUpdates))
      this.#fold.doubtAll("gap");
    // The end of a stream that brought nothing proves nothing.
    if (run.isJoining) {
      this.#openWindow();
      this.#fold.doubtAll("gap");
    }
    if (!run.hasUpdates) {
      if (this.#window && this.#window.shown.size > 0) this.#fold.doubt(["messages"], "gap");
      return;
    }
    this.#fold.doubtCleared();
    const window = this.#openWindow();
    if (isInterrupted) {
      this.#fold.order(window);
      // They are of a task that asks, or of one that returned none of them.
      if (window.unwrittenIds().length > 0) this.#fold.doubt(["messages"], "gap");
      // A message that only an update has may have got its id there: then each look at the open super-step makes another.
      const isPlaced = window.written.ids.every((id) => window.places.has(id));
      if (!this.isNumbered && !isPlaced) this.#fold.doubt(["messages"], "unreadable");
      this.#thread.receive({ type: "step", ...(this.isNumbered && this.#proof.position), isLeft: true });
      return;
    }
    if (!this.isNumbered) {
      const { writes } = window;
      // A stream that was read again has no write left.
      const isKnown = writes.length > 0 && writes.every(({ step }) => step !== undefined && step === run.step);
      this.#commit();
      this.#thread.receive({ type: "step", step: isKnown ? run.step : undefined, isLeft: false });
    } else if (window.writes.length > 0) this.#fold.doubtAll("gap");
  }

  /** The run failed, or was stopped: it may have saved writes that it did not tell. */
  fail(): void {
    this.#run.end = "failed";
    if (this.#conversation.sawValues) return;
    this.#fold.doubtAll("bad-end");
    this.#thread.receive({ type: "step", ...this.#proof.position, isLeft: true });
  }

  /** Comes to a super-step: the earlier ones are saved. Returns the window of what is not. */
  #reach(step: number | undefined): StepWindow {
    const window = this.#openWindow();
    if (step === undefined) return window;
    const run = this.#run;
    const isFirst = run.step === undefined;
    const before = isFirst ? this.#firstStep : run.step;
    const isSame = step === run.step;
    run.step = step;
    // Then only the server's word saves one.
    if (this.isNumbered) return window;
    // Each super-step has at least one task, and each task has a part.
    if (before !== undefined && (step < before || step - before > window.writes.length)) this.#fold.doubtAll("gap");
    // A resumed run goes on in the super-step in which the earlier one stopped.
    const isResumed =
      isFirst && !run.hasInput && window.writes.slice(0, window.left).some((write) => (write.step ?? step) >= step);
    if (isSame || isResumed || window.writes.length === 0) return window;
    // Each earlier super-step has a part; more parts without a super-step may be of this one.
    const unplaced = window.writes.filter((write) => write.step === undefined).length;
    const placed = new Set(window.writes.flatMap((write) => write.step ?? [])).size;
    if (unplaced > (before === undefined ? 0 : Math.max(0, step - before - placed))) return window;
    this.#commit();
    return this.#openWindow();
  }

  /** The super-step in which the run's first tasks run, if it is known where the thread stood. */
  get #firstStep(): number | undefined {
    const stood = this.#proof.position?.step;
    return stood === undefined ? undefined : stood + (this.#run.hasInput ? STEPS_TO_INPUT : 1);
  }

  /** Whether no state came from elsewhere since the window was opened: that makes its notes void. */
  get #isValid(): boolean {
    return this.#window?.snapshots === this.#proof.snapshots;
  }

  /** Whether the state has writes of an unfinished super-step, without their tasks. */
  get #isLeftUnknown(): boolean {
    if (this.#window) return this.#window.hasUnknown;
    const { hasSaved, before } = this.#run;
    return !hasSaved && (this.#proof.position?.isLeft ?? (before !== undefined && before.end !== "finished"));
  }

  /** Opens a window, unless one is open; the first of a run takes the run's input. */
  #openWindow(): StepWindow {
    if (!this.#isValid) this.#window = undefined;
    const run = this.#run;
    if (run.hasInput === undefined) {
      if (this.#isBehind) this.#takeLoaded();
      else this.#takeInput();
    }
    if (run.isJoining) {
      run.isJoining = false;
      if (!this.isNumbered) this.#fold.doubtAll("gap");
    }
    return (this.#window ??= this.#newWindow(!run.hasInput && this.#isLeftUnknown));
  }

  /** The server does not say where its stream comes to the loaded state. Then messages alone are folded, by their ids. */
  #takeLoaded(): void {
    this.#skipInput();
    this.#fold.doubtAll("gap");
  }

  #newWindow(hasUnknown: boolean): StepWindow {
    return new StepWindow(this.#thread.getConfirmedState() as Dict, this.#proof.snapshots, hasUnknown);
  }

  /** Folds in what the run was sent. New input drops what an earlier run left unfinished; a resumed run goes on with it. */
  #takeInput(): void {
    const run = this.#run;
    // No task wrote them, and this run may make them anew.
    const unwritten = run.before?.end === "failed" ? (this.#window?.unwrittenIds() ?? []) : [];
    const gone = new Set<unknown>([...unwritten, ...this.#proof.cutOff]);
    this.#conversation.remove(unwritten);
    this.#conversation.remove(this.#proof.cutOff);
    const own = this.#thread.pending.filter(({ status }) => status === "sent").map(({ update }) => update);
    const sent = own.length > 0 || !run.input ? own : [run.input];
    run.hasInput = sent.length > 0;
    if (run.before && run.before.end === undefined) this.#fold.doubtAll("bad-end");
    if (!run.hasInput) return;
    this.#dropLeft();
    const input = (sent as Dict[]).map((update) => withoutRemovals(update, gone));
    run.isInputFolded = this.#fold.foldInput(input, this.#newWindow(false));
  }

  #dropLeft(): void {
    if (this.#isLeftUnknown) this.#fold.doubtAll("bad-end");
    const left = this.#window;
    this.#window = undefined;
    if (!left) return;
    if (this.#run.before?.parts === undefined) {
      // Some of it may be of a super-step that was saved.
      this.#conversation.remove(left.unwrittenIds());
      this.#fold.doubt(left.fields, "bad-end");
      return;
    }
    this.#conversation.remove([...left.shown]);
    for (const name of left.fields) {
      if (name !== "messages" || !left.onlyAdds) this.#fold.set(name, left.base[name]);
    }
  }

  /**
   * Whether the thread has writes that the server repeats: a resumed run repeats those of an earlier one. A cache may
   * repeat any, and the stream does not say how often.
   */
  #wasTaken({ node, updates, path, step }: Write): boolean {
    const fields = updates.flatMap(Object.keys);
    if (this.#isLeftUnknown) {
      // The loaded state has them, without their tasks.
      this.#fold.doubt(fields, "gap");
      return true;
    }
    const { writes = [], left = 0 } = this.#window ?? {};
    const saved = this.#fold.saved(updates);
    const at = writes.findIndex((known) => known.node === node && sameJson(this.#fold.saved(known.updates), saved));
    const known = writes[at];
    if (at >= left || (!known && left > 0)) this.#fold.doubt(fields, "gap");
    else if (known) writes[at] = { ...known, path: known.path ?? path, step: known.step ?? step };
    return known !== undefined;
  }

  /** Everything so far is saved. */
  #commit(): void {
    const window = this.#openWindow();
    this.#window = undefined;
    this.#run.hasSaved = true;
    // Nobody knows which messages of an earlier run are to be removed.
    if (window.hasUnknown) this.#fold.doubt(["messages"], "gap");
    this.#fold.settle(window, this.#run.hasUpdates === true);
  }
}

/** The part of an update that may be folded twice. */
const messagesOf = ({ messages }: Dict): Dict => (messages === undefined ? {} : { messages });

/** An edit also removes what a failed run cut off, which is gone already. */
function withoutRemovals(update: Dict, gone: ReadonlySet<unknown>): Dict {
  const { messages } = update;
  if (gone.size === 0 || !Array.isArray(messages)) return update;
  const isGone = ({ type, id }: Dict) => type === "remove" && gone.has(id);
  return { ...update, messages: messages.filter((message) => !isDict(message) || !isGone(message)) };
}
