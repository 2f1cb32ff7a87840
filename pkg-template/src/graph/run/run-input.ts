// What a caller gives a run: input, commands, answers to questions.
import type { CheckpointPendingWrite } from "../../checkpoint/types.js";
import { takeCallersWrites } from "../saved/callers-writes.js";
import { Command, isCommand, START, TASKS, toSend, updatesOf } from "../build/command.js";
import { BaseLangGraphError, EmptyInputError, GraphValueError, InvalidUpdateError } from "../build/graph-errors.js";
import type { GraphNode } from "../build/graph-spec.js";
import { INTERRUPT, type Interrupt } from "../build/interrupt.js";
import type { Step } from "../build/planner.js";
import { isWritten, RunThread } from "./run-thread.js";
import { ERROR, isSpecial, NULL_TASK, RESUME, type WritesByTask, writtenByCallers } from "../saved/saved-writes.js";
import type { Values } from "../build/state-fields.js";
import { checkedAll } from "../build/state-forms.js";
import type { Task } from "./task.js";

const NONE: readonly never[] = [];

/** An answer that is for no task in particular. */
interface Answer {
  readonly value: unknown;
  taken: boolean;
}

export abstract class RunInput extends RunThread {
  /** Whether it goes on where the thread was left: until its first step is done. */
  resuming = false;
  answer: Answer | undefined;
  answersById: Record<string, unknown> | undefined;
  /** Whether what had finished runs again, in the first step. */
  again = false;
  /** What the planner has said last. */
  protected step!: Step;

  /** Has the planner say what comes first. Returns a promise if checking the input takes time. */
  protected begin(input: unknown): Promise<void> | undefined {
    const { input: taken, state } = this.spec.parts;
    if (input === null || input === undefined) return this.#first(input);
    if (isCommand(input)) {
      if (!state.check || !input.update) return this.#first(input);
      const update = (checked: readonly Values[]) =>
        this.#first(new Command({ ...input, update: checked.flatMap(Object.entries) }));
      const checked = checkedAll(updatesOf(input) as readonly Values[], state.check);
      return checked instanceof Promise ? checked.then(update) : update(checked);
    }
    const parsed = taken.parse ? taken.parse(input as object) : input;
    return parsed instanceof Promise ? parsed.then((values) => this.#first(values)) : this.#first(parsed);
  }

  #first(input: unknown): undefined {
    const hasThread = this.saved !== undefined && this.stepNumber >= 0;
    const isNothing = input === null || input === undefined;
    const command = isCommand(input) ? input : undefined;
    const resumes = command?.resume !== undefined && command.resume !== null;
    // A graph inside goes on if the one around does, but where time travel has taken it back.
    const resumesInside = (this.parent?.run.resuming ?? false) && !this.replays;
    if (command) this.#takeCommand(command, resumes);
    this.resuming = hasThread && (resumesInside || isNothing || resumes);
    const travels = hasThread && this.isHead === false && (this.parent !== undefined || !resumes);
    // Where it goes back to a question, that is asked again.
    if (travels) this.pending = this.pending.filter(([, channel]) => channel !== RESUME);
    this.#readAnswer(resumes);
    this.again = travels || this.superseded;
    let before: string | undefined;
    if (this.resuming || command) before = this.#goOn(travels);
    else if (isNothing) throw new EmptyInputError('Received no input writes for "__start__"');
    else this.#newInput(input);
    if (!this.parent && travels) this.replay = { before: before ?? this.travelsFrom, visited: new Set() };
  }

  /**
   * Goes on where the thread was left, with what a command says. `travels`: from a checkpoint that is not the newest.
   * Returns what graphs inside go back behind, if that is not for the new checkpoint to say.
   */
  #goOn(travels: boolean): string | undefined {
    const written = isWritten(this.metadata);
    const theirs = writtenByCallers(this.pending);
    if (theirs.length > 0 || !this.resuming) {
      this.#take(this.plan.command(takeCallersWrites(this, theirs, NONE), this.resuming));
      this.others["__input__"] ??= {};
    } else this.#take(this.plan.resume());
    const forks = travels && (this.superseded || !written);
    const before = forks && written ? this.travelsFrom : undefined;
    if (!this.resuming) this.put(forks ? "fork" : "input");
    else if (forks) {
      this.pending = this.pending.filter(([, channel]) => channel !== INTERRUPT);
      this.plan.nextStep();
      this.#take({ ...this.step, step: this.stepNumber + 1 });
      this.put("fork");
    }
    this.emitValues(this.state);
    return before;
  }

  #newInput(input: unknown): void {
    if (typeof input !== "object" || Array.isArray(input))
      throw new InvalidUpdateError("A graph takes an object, a command or null.", {
        lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE",
      });
    const { values, dropped: keys } = this.spec.taken(input as Values);
    if (keys.length > 0) {
      if (this.on) this.tell("input-dropped", { keys });
      else if (!this.parent) console.warn(`The graph "${this.graph.name}" does not take: ${keys.join(", ")}.`);
    }
    this.pending = [];
    this.sends = NONE;
    const { start, nodes, plan } = this.spec;
    const { edges, branches } = nodes[start] as GraphNode;
    if (!this.saved && !this.streams && branches.length === 0) {
      this.#start(values, edges);
      return;
    }
    this.#take(this.plan.input());
    this.held.set(plan.start, values);
    if (this.saved) this.others["__input__"] ??= {};
    this.put("input");
  }

  /** Folds the input in as the task of START does, where nobody sees that task. */
  #start(values: Values, edges: readonly number[]): void {
    const { fields } = this.spec;
    const writes: number[] = [];
    const updates = fields.note(values, writes) ? [values] : NONE;
    const isSame = updates.length === 0 && fields.ephemeral.length === 0;
    const state = isSame ? this.state : fields.step(this.state, updates, this.known);
    for (const channel of edges) writes.push(channel);
    this.#take(this.plan.start(writes));
    this.state = state;
    // An answer is for the step that asked.
    this.answer = undefined;
  }

  /** Notes what comes next, and takes out of the state what has had its time. */
  #take(step: Step): void {
    this.step = step;
    this.stepNumber = step.step;
    if (step.cleared.length === 0) return;
    const state = { ...this.state } as Record<string, unknown>;
    for (const number of step.cleared) delete state[this.spec.fields.keys[number] as string];
    this.state = state;
  }

  /** Notes what a command says, saved for a run that is cut off. */
  #takeCommand(command: Command, resumes: boolean): void {
    if (command.graph === Command.PARENT) throw new InvalidUpdateError("There is no parent graph.");
    if (resumes && !this.saved) throw new BaseLangGraphError("Cannot use Command(resume=...) without checkpointer");
    const entries: [string, unknown][] = [];
    for (const end of [command.goto ?? []].flat() as unknown[]) {
      const send = toSend(end);
      if (send) entries.push([TASKS, send]);
      else if (typeof end === "string") entries.push([`branch:to:${end}`, START]);
      else throw new InvalidUpdateError(`A command's goto takes names and Sends, not ${typeof end}.`);
    }
    const byId = resumes ? answersById(command.resume) : undefined;
    if (byId) this.answersById = byId;
    else if (resumes) {
      if (this.#questions().size > 1)
        throw new GraphValueError(
          "When there are multiple pending interrupts, you must specify the interrupt id when resuming.",
        );
      entries.push([RESUME, command.resume]);
    }
    for (const update of updatesOf(command)) entries.push(...Object.entries(update));
    if (entries.length === 0 && !byId) throw new EmptyInputError("Received empty Command input");
    if (entries.length === 0) return;
    // What came with earlier answers to questions of this step counts, too.
    this.pending = this.pending.filter(([id, channel]) => id !== NULL_TASK || (resumes && !isSpecial(channel)));
    for (const [channel, value] of entries) this.pending.push([NULL_TASK, channel, value]);
    this.saveCallers(this.pending.flatMap(([id, ...write]) => (id === NULL_TASK ? [write] : [])));
  }

  /** The questions of unfinished tasks, by id. */
  #questions(): Set<string> {
    const done = new Set(this.pending.filter(([, channel]) => !isSpecial(channel)).map(([task]) => task));
    const open = this.pending.filter(([task, channel]) => channel === INTERRUPT && !done.has(task));
    return new Set(open.flatMap(([task, , value]) => ([value].flat() as Interrupt[]).map(({ id }) => id ?? task)));
  }

  /** Finds the answer for no task in particular. `fresh`: the caller answers just now. */
  #readAnswer(fresh: boolean): void {
    const around = this.parent?.run;
    this.answersById ??= around?.answersById;
    this.answer = around?.answer;
    if (this.answer) return;
    const value = this.pending.find(([id, channel]) => id === NULL_TASK && channel === RESUME)?.[2];
    if (value === null || value === undefined) return;
    // One of an earlier call that a task has taken is saved with the task, too.
    const text = fresh ? "" : JSON.stringify(value);
    const isTaken = ([id, channel, list]: CheckpointPendingWrite) =>
      id !== NULL_TASK && channel === RESUME && JSON.stringify([list].flat().at(-1)) === text;
    if (fresh || !this.pending.some(isTaken)) this.answer = { value, taken: false };
  }

  /** Takes the answer for no task in particular; nothing if another task has. */
  takeAnswer(): Answer | undefined {
    const { answer } = this;
    if (!answer || answer.taken) return undefined;
    answer.taken = true;
    return answer;
  }

  /** Gives tasks their answers, and tells the planner how many there are. */
  matchAnswers(tasks: readonly Task[], byTask: WritesByTask | undefined): void {
    const { answersById: given } = this;
    for (const task of tasks) {
      const saved = byTask?.get(task.id) ?? [];
      // One that is done asks no more.
      if (!this.again && saved.some(([channel]) => !isSpecial(channel))) continue;
      const answers: unknown[] = [];
      task.answers = answers;
      for (const [channel, value] of saved) if (channel === RESUME) answers.push(...([value].flat() as unknown[]));
      if (!given) continue;
      const last = answers.length - 1;
      const asks = (answered: number) => answered >= 0 && Object.hasOwn(given, task.interruptId(answered));
      if (asks(last + 1)) answers.push(given[task.interruptId(last + 1)]);
      // Answered again, for the node has failed.
      else if (asks(last) && saved.some(([channel]) => channel === ERROR))
        answers[last] = given[task.interruptId(last)];
      // Of langgraph.js, where all questions of a task have one id.
      else if (asks(0)) answers.push(given[task.interruptId(0)]);
      else continue;
      // It outlasts an error of the node.
      this.saveTask(task, [[RESUME, [...answers]]]);
    }
    const shared = this.answer !== undefined && !this.answer.taken;
    this.plan.answers(
      tasks.map(({ answers }) => answers.length),
      shared,
    );
  }
}

/** Answers by the ids of questions; undefined if it is one answer. */
function answersById(resume: unknown): Record<string, unknown> | undefined {
  if (typeof resume !== "object" || resume === null || Array.isArray(resume)) return undefined;
  const ids = Object.keys(resume);
  return ids.length > 0 && ids.every((id) => /^[0-9a-f]{32}$/.test(id)) ? { ...resume } : undefined;
}
