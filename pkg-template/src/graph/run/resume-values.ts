// A caller's answers to the interrupts of tasks.
import type { CheckpointPendingWrite } from "../../checkpoint/types.js";
import { isInterruptId } from "../../shared/interrupt-id.js";
import type { Command } from "../build/command.js";
import { GraphValueError } from "../build/graph-errors.js";
import { INTERRUPT, type OpenInterrupt } from "../build/interrupt.js";
import { ERROR, isSpecial, NULL_TASK, RESUME, type WritesByTask } from "../saved/saved-writes.js";
import type { TaskPlace } from "../task/task-place.js";
import type { StepState } from "../task/step-state.js";
import type { TaskInterrupts } from "./task-interrupts.js";
import type { RunSaves } from "./run-saves.js";

/** The task of a graph around, which runs this one. */
interface TaskAround {
  readonly place: TaskPlace;
  readonly run: { readonly resumeValues: ResumeValues };
}

/** An answer that is for no task in particular. */
interface Answer {
  readonly value: unknown;
  isTaken: boolean;
}

/** A task that may be interrupted. */
export interface InterruptibleTask {
  readonly place: TaskPlace;
  readonly ownInterrupts: TaskInterrupts;
}

export class ResumeValues {
  readonly #at: StepState;
  readonly #saves: RunSaves;
  readonly #around: TaskAround | undefined;
  #shared: Answer | undefined;
  #byId: Readonly<Record<string, unknown>> | undefined;

  constructor(at: StepState, saves: RunSaves, around: TaskAround | undefined) {
    this.#at = at;
    this.#saves = saves;
    this.#around = around;
  }

  /** Whether a task of the next step may get one. */
  get hasAny(): boolean {
    return this.#byId !== undefined || this.#shared !== undefined;
  }

  /** Reads a command's `resume`. Returns whether it answers by id; if not, it is for no task in particular. */
  take({ resume }: Command): boolean {
    this.#byId = answersById(resume);
    if (this.#byId) return true;
    if (this.#interrupts().size > 1)
      throw new GraphValueError(
        "When there are multiple pending interrupts, you must specify the interrupt id when resuming.",
      );
    return false;
  }

  /** The ids of unfinished tasks' interrupts. */
  #interrupts(): Set<string> {
    const { pending } = this.#at;
    const done = new Set(pending.filter(([, channel]) => !isSpecial(channel)).map(([task]) => task));
    const open = pending.filter(([task, channel]) => channel === INTERRUPT && !done.has(task));
    return new Set(open.flatMap(([task, , value]) => ([value].flat() as OpenInterrupt[]).map(({ id }) => id ?? task)));
  }

  /** Finds the answer for no task in particular. `isFresh`: the caller answers just now. */
  read(isFresh: boolean): void {
    if (this.#around) {
      const { resumeValues } = this.#around.run;
      this.#byId ??= resumeValues.#byId;
      this.#shared = resumeValues.#shared;
    }
    if (this.#shared) return;
    const { pending } = this.#at;
    const value = pending.find(([id, channel]) => id === NULL_TASK && channel === RESUME)?.[2];
    if (value === null || value === undefined) return;
    // One of an earlier call that a task has taken is saved with the task, too.
    const text = isFresh ? "" : JSON.stringify(value);
    const isTaken = ([id, channel, list]: CheckpointPendingWrite) =>
      id !== NULL_TASK && channel === RESUME && JSON.stringify([list].flat().at(-1)) === text;
    if (isFresh || !pending.some(isTaken)) this.#shared = { value, isTaken: false };
  }

  /** Takes the answer for no task in particular; nothing if another task has. */
  takeShared(): { readonly value: unknown } | undefined {
    const answer = this.#shared;
    if (!answer || answer.isTaken) return undefined;
    answer.isTaken = true;
    return answer;
  }

  /** An answer for no task in particular is for the step that was interrupted. */
  stepDone(): void {
    this.#shared = undefined;
  }

  /** A task has ended with its answers: the tasks around do not ask its questions any more, should they fail after it. */
  ended({ ownInterrupts: interrupts }: InterruptibleTask): void {
    if (this.#around) interrupts.answers.forEach((_, answered) => this.#tellAround(interrupts.id(answered)));
  }

  #tellAround(id: string): void {
    if (this.#around) this.#around.run.resumeValues.#isAnswered(this.#around.place, id);
  }

  #isAnswered(place: TaskPlace, id: string): void {
    const { pending } = this.#at;
    const isOfTask = ([task, channel]: CheckpointPendingWrite) => task === place.id && channel === INTERRUPT;
    const asked = pending.filter(isOfTask).flatMap(([, , value]) => value as OpenInterrupt | OpenInterrupt[]);
    const open = asked.filter((one) => one.id !== id);
    if (open.length === asked.length) return;
    this.#at.pending = pending.filter((write) => !isOfTask(write));
    this.#saves.saveTask(place, [[INTERRUPT, open]]);
    this.#tellAround(id);
  }

  /** Gives tasks their answers, and the planner their number. `runsAgain`: also to tasks that are done. */
  match(tasks: readonly InterruptibleTask[], byTask: WritesByTask | undefined, runsAgain: boolean): void {
    for (const task of tasks) {
      const saved = byTask?.get(task.place.id) ?? [];
      // One that is done is not interrupted again.
      if (!runsAgain && saved.some(([channel]) => !isSpecial(channel))) continue;
      const answers: unknown[] = [];
      task.ownInterrupts.answers = answers;
      for (const [channel, value] of saved) if (channel === RESUME) answers.push(...([value].flat() as unknown[]));
      const hasFailed = saved.some(([channel]) => channel === ERROR);
      // It outlasts an error of the node.
      if (this.#addById(task, answers, hasFailed)) this.#saves.saveTask(task.place, [[RESUME, [...answers]]]);
    }
    this.#at.plan.answers(
      tasks.map(({ ownInterrupts }) => ownInterrupts.answers.length),
      this.#shared !== undefined && !this.#shared.isTaken,
    );
  }

  /** Adds the answer given by the id of the task's next interrupt. Returns whether there is one. */
  #addById({ ownInterrupts: interrupts }: InterruptibleTask, answers: unknown[], hasFailed: boolean): boolean {
    const given = this.#byId;
    if (!given) return false;
    const last = answers.length - 1;
    const asks = (answered: number) => answered >= 0 && Object.hasOwn(given, interrupts.id(answered));
    if (asks(last + 1)) answers.push(given[interrupts.id(last + 1)]);
    // Answered again, for the node has failed.
    else if (asks(last) && hasFailed) answers[last] = given[interrupts.id(last)];
    // Of langgraph.js, where all interrupts of a task have one id.
    else if (asks(0)) answers.push(given[interrupts.id(0)]);
    else return false;
    return true;
  }
}

/** Returns answers by the ids of interrupts; undefined if it is one answer. */
function answersById(resume: unknown): Record<string, unknown> | undefined {
  if (typeof resume !== "object" || resume === null || Array.isArray(resume)) return undefined;
  const ids = Object.keys(resume);
  return ids.length > 0 && ids.every(isInterruptId) ? { ...resume } : undefined;
}
