import { sameJson } from "../shared/same-json.js";
import { isOpen } from "../stream/run-end.js";
import { INSIDE } from "../thread/inside.js";
import type { ThreadPosition } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import type { Conversation } from "./conversation.js";
import { isDict, type Dict } from "./merge.js";
import { messageIds, StepWindow } from "./step-window.js";
import { UpdateFold } from "./update-fold.js";
import type { TaskPath, Write } from "./write-order.js";

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
  readonly #fold: UpdateFold;
  #window: StepWindow | undefined;
  /** The thread's snapshots when the window was opened. */
  #snapshots = 0;
  /** The greatest super-step that a part named. */
  #step: number | undefined;
  #run = newRun();
  #runId: string | undefined;
  /** The state to go back to when the run starts again. */
  #atStart: { window?: StepWindow | undefined; step?: number | undefined; position?: ThreadPosition | undefined } = {};
  /** Whether a run has begun whose end is not known. */
  #isOpen: boolean;
  /** Whether the last run that ended may have left a super-step unfinished. */
  #isUnfinished: boolean;
  /** Whether an earlier run left a super-step unfinished, and the window lacks its writes. */
  #isLeftUnknown: boolean;
  /** The messages of a failed run that no task wrote. They are shown until the next run. */
  #unwritten: readonly string[] = [];
  /** The state as the run's end found it. */
  #proven: { state: Dict; snapshots: number } | undefined;
  /** The message that the last part was about. */
  #lastId: string | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#thread = conversation.thread as AnyThread;
    this.#fold = new UpdateFold(conversation);
    // A run without an id is only requested.
    this.#isOpen = isOpen(this.#thread) && this.#thread.run.id !== undefined;
    this.#isUnfinished = isUnfinished(this.#thread);
    this.#isLeftUnknown = this.#proof.position?.isLeft ?? this.#isUnfinished;
  }

  get #proof() {
    return this.#thread[INSIDE].proof;
  }

  /** Whether the server numbers its parts, and names each super-step that it saved. */
  get isNumbered(): boolean {
    return this.#run.parts !== undefined;
  }

  /** A run starts; the last one starts again from its beginning if it comes with the same id. */
  start(runId: string | undefined): void {
    const isNew = runId === undefined || runId !== this.#runId;
    if (isNew) {
      if (this.#window) this.#window.left = this.#window.writes.length;
      this.#atStart = { window: this.#window?.copy(), step: this.#step, position: this.#proof.position };
    } else {
      this.#window = this.#atStart.window?.copy();
      this.#step = this.#atStart.step;
      this.#thread.receive({ type: "step", ...this.#atStart.position });
    }
    this.#run = {
      ...newRun(),
      isInputDue: true,
      wasNumbered: this.isNumbered,
      wasCut: isNew ? this.#isOpen : this.#run.wasCut,
      hasInput: this.#run.hasInput,
    };
    this.#isOpen = true;
    this.#runId = runId;
  }

  /** A stream goes on with a run: parts may be missing, unless it begins with the run's start. */
  join(): void {
    this.#run.isJoining = true;
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
    this.#show(id, window);
  }

  #show(id: string, window: StepWindow): void {
    if (!this.#thread.getConfirmedMessage(id)) window.shown.add(id);
  }

  /** The stream has updates. */
  hearsUpdates(): void {
    this.#run.hasUpdates = true;
    this.#isOpen = true;
  }

  /** A part that may be the one before, sent twice: messages are the same then, other fields may be folded twice. */
  repeats(writes: Dict): void {
    if (this.#conversation.sawValues) return;
    for (const update of Object.values(writes).flat().filter(isDict)) {
      this.#fold.doubt(
        Object.keys(update).filter((name) => name !== "messages"),
        "gap",
      );
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
      if (part !== (this.#run.parts ?? 0)) this.#fold.doubtAll("gap");
      this.#run.parts = part + 1;
    }
    const window = this.#reach(step);
    const own = updates.map((update) => this.#fold.known(update));
    const place = own
      .flatMap(messageIds)
      .map((id) => window.places.get(id))
      .find((found) => found?.node === node);
    const write: Write = { node, updates: own, step: step ?? place?.step, path: path ?? place?.path };
    if (cached && this.#wasTaken(write)) return;
    window.add(write);
    for (const id of own.flatMap(messageIds)) this.#show(id, window);
    for (const update of own) this.#fold.fold(update, window);
  }

  /** The server saved a super-step. */
  saved(told: unknown): void {
    if (!isDict(told) || this.#conversation.sawValues) return;
    const { step, checkpoint_id: checkpointId, parts } = told as Note;
    if (parts === undefined && checkpointId === undefined) return;
    this.#openWindow();
    const run = this.#run;
    if (parts !== undefined) {
      const first = run.isFirst ? this.#firstStep : undefined;
      run.isFirst = false;
      // The first one that is named holds the input, or is the one that a resumed run goes on from.
      const isSkipped = first !== undefined && step !== undefined && step !== first - 1;
      if (isSkipped || parts !== (run.parts ?? 0)) this.#fold.doubtAll("gap");
      run.parts = parts;
    }
    if (checkpointId === undefined) return;
    run.parts ??= 0;
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
    if (this.#conversation.sawValues || !this.#run.hasUpdates) return;
    this.#proven = { state: this.#thread.getConfirmedState() as Dict, snapshots: this.#proof.snapshots };
  }

  #finish(isInterrupted: boolean): void {
    this.#isOpen = false;
    this.#isUnfinished = isInterrupted;
    if (!isInterrupted) this.#isLeftUnknown = false;
    this.#unwritten = [];
    if (this.#conversation.sawValues) return;
    // The end of a stream that brought nothing proves nothing.
    if (this.#run.isJoining) this.#fold.doubtAll("gap");
    if (!this.#run.hasUpdates) {
      if (this.#window && this.#window.shown.size > 0) this.#fold.doubt(["messages"], "gap");
      return;
    }
    this.#fold.doubtCleared();
    const window = this.#openWindow();
    if (isInterrupted) {
      this.#fold.orderMessages(window);
      if (!this.isNumbered) this.#thread.receive({ type: "step" });
      return;
    }
    if (!this.isNumbered) {
      const isKnown = window.writes.every(({ step }) => step === this.#step);
      this.#commit();
      this.#thread.receive({ type: "step", step: isKnown ? this.#step : undefined });
    } else if (window.writes.length > 0) this.#fold.doubtAll("gap");
  }

  /** The run failed, or was stopped: it may have saved writes that it did not tell. */
  fail(): void {
    this.#isOpen = false;
    this.#isUnfinished = true;
    this.#unwritten = this.#window?.unwrittenIds() ?? [];
    if (!this.#conversation.sawValues) this.#fold.doubtAll("bad-end");
  }

  /** Comes to a super-step: the earlier ones are saved. Returns the window of what is not. */
  #reach(step: number | undefined): StepWindow {
    const window = this.#openWindow();
    if (step === undefined) return window;
    const wasFirst = this.#run.isFirst;
    const before = wasFirst ? this.#firstStep : this.#step;
    this.#run.isFirst = false;
    // Each super-step has at least one task, and each task has a part.
    const isGap = before !== undefined && (step < before || step - before > window.writes.length);
    if (isGap && !this.isNumbered) this.#fold.doubtAll("gap");
    const isSame = step === this.#step;
    this.#step = step;
    // A resumed run goes on in the super-step in which the earlier one stopped.
    const isResumed =
      wasFirst &&
      !this.#run.hasInput &&
      window.writes.slice(0, window.left).some((write) => (write.step ?? step) >= step);
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
    return stood === undefined ? undefined : stood + (this.#run.hasInput ? STEPS_TO_INPUT : 1);
  }

  /** Opens a window, unless one is open; the first of a run takes the run's input. */
  #openWindow(): StepWindow {
    if (this.#window && this.#snapshots !== this.#proof.snapshots) {
      // A state came from elsewhere: notes about an earlier one are void.
      this.#window = undefined;
      this.#isLeftUnknown = this.#proof.position?.isLeft ?? this.#isUnfinished;
    }
    if (this.#run.isInputDue) this.#takeInput();
    if (this.#run.isJoining) {
      this.#run.isJoining = false;
      if (!this.isNumbered) this.#fold.doubtAll("gap");
    }
    this.#snapshots = this.#proof.snapshots;
    return (this.#window ??= new StepWindow(this.#thread.getConfirmedState() as Dict));
  }

  /** Folds in what the run was sent. New input drops what an earlier run left unfinished; a resumed run goes on with it. */
  #takeInput(): void {
    this.#run.isInputDue = false;
    // No task wrote them, and this run may make them anew.
    this.#conversation.remove([...this.#unwritten, ...this.#proof.cutOff]);
    const sent = this.#thread.pending.filter(({ status }) => status === "sent");
    this.#run.hasInput = sent.length > 0;
    if (this.#run.wasCut) this.#fold.doubtAll("bad-end");
    if (!this.#run.hasInput) return;
    this.#dropLeft();
    this.#isLeftUnknown = false;
    this.#fold.foldInput(
      sent.map(({ update }) => update as Dict),
      new StepWindow(this.#thread.getConfirmedState() as Dict),
    );
  }

  #dropLeft(): void {
    const left = this.#window;
    this.#window = undefined;
    if (this.#isLeftUnknown) this.#fold.doubtAll("bad-end");
    if (!left) return;
    if (!this.#run.wasNumbered) {
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

  /** Whether an earlier run sent these writes already: a resumed one repeats them. */
  #wasTaken({ node, updates, path, step }: Write): boolean {
    if (this.#isLeftUnknown) {
      // The loaded state has them, without their tasks.
      this.#fold.doubt(updates.flatMap(Object.keys), "gap");
      return true;
    }
    const writes = this.#window?.writes ?? [];
    const at = writes.findIndex((known) => known.node === node && sameJson(known.updates, updates));
    const known = writes[at];
    if (!known) return false;
    writes[at] = { ...known, path: known.path ?? path, step: known.step ?? step };
    return true;
  }

  /**
   * The run ended: the thread took over what the run was sent, where it has the value from before the run. The updates
   * know better.
   */
  ended(): void {
    const proven = this.#proven;
    this.#proven = undefined;
    if (!proven || proven.snapshots !== this.#proof.snapshots) return;
    this.#fold.restore(proven.state);
  }

  /** Everything so far is saved. */
  #commit(): void {
    const window = this.#openWindow();
    this.#window = undefined;
    this.#lastId = undefined;
    this.#fold.settle(window, this.#run.hasUpdates);
  }
}

/** The notes about one run. */
interface RunNotes {
  /** Whether its input is still to be folded in: it is saved before any task runs. */
  isInputDue: boolean;
  hasInput: boolean;
  /** Whether no part named a super-step yet. */
  isFirst: boolean;
  isJoining: boolean;
  hasUpdates: boolean;
  /** The number of parts with writes so far, if the server numbers them. */
  parts: number | undefined;
  /** Whether the end of the run before is not known: its server may have lost what it sent. */
  readonly wasCut: boolean;
  /** Whether the server numbered the parts of the run before. */
  readonly wasNumbered: boolean;
}

const newRun = (): RunNotes => ({
  isInputDue: false,
  hasInput: false,
  isFirst: true,
  isJoining: false,
  hasUpdates: false,
  parts: undefined,
  wasCut: false,
  wasNumbered: false,
});

/** Whether the thread's last run may have left a super-step unfinished. */
const isUnfinished = ({ run: { status } }: AnyThread): boolean => status === "interrupted" || status === "error";
