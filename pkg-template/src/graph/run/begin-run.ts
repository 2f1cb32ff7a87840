// The beginning of a run: takes the caller's input or command, and has the planner find the first step.
import { Command, isCommand, START, TASKS, toSend, updatesOf } from "../build/command.js";
import { BaseLangGraphError, EmptyInputError, InvalidUpdateError } from "../build/graph-errors.js";
import type { GraphNode } from "../build/graph-spec.js";
import { INTERRUPT } from "../build/interrupt.js";
import type { Step } from "../planner/plan-types.js";
import type { Values } from "../types.js";
import { checkedAll } from "../build/state-forms.js";
import { takeCallersWrites } from "../saved/callers-writes.js";
import { isSpecial, NULL_TASK, RESUME, writtenByCallers } from "../saved/saved-writes.js";
import type { StepState } from "../task/step-state.js";
import type { RunParts } from "./run-parts.js";
import { isWritten, type Entries } from "./run-saves.js";

const NONE: readonly never[] = [];

/**
 * Returns the first step, or a promise of it if checking the input takes time. `resumesInside`: a graph inside
 * continues where its thread was left.
 */
export function beginRun(run: RunParts, input: unknown, resumesInside: boolean): Step | Promise<Step> {
  const { input: taken, state } = run.at.spec.parts;
  const begin = (checked: unknown) => new Beginning(run).first(checked, resumesInside);
  if (input === null || input === undefined) return begin(input);
  if (isCommand(input)) {
    if (!state.check || !input.update) return begin(input);
    const update = (checked: readonly Values[]) =>
      begin(new Command({ ...input, update: checked.flatMap(Object.entries) }));
    const checked = checkedAll(updatesOf(input) as readonly Values[], state.check);
    return checked instanceof Promise ? checked.then(update) : update(checked);
  }
  const parsed = taken.parse ? taken.parse(input as object) : input;
  return parsed instanceof Promise ? parsed.then(begin) : begin(parsed);
}

class Beginning {
  readonly #run: RunParts;
  readonly #at: StepState;

  constructor(run: RunParts) {
    this.#run = run;
    this.#at = run.at;
  }

  /** Takes an input that is checked. */
  first(input: unknown, resumesInside: boolean): Step {
    const { saves, travel, resumeValues, scope } = this.#run;
    const at = this.#at;
    const hasThread = saves.thread !== undefined && at.stepNumber >= 0;
    const isNothing = input === null || input === undefined;
    const command = isCommand(input) ? input : undefined;
    const resumes = command?.resume !== undefined && command.resume !== null;
    const isAtHead = hasThread && travel.isHead !== false && !travel.isReplayed;
    if (isAtHead && !isNothing && !resumes && !resumesInside) this.#run.endLeft();
    const saved = command && this.#takeCommand(command, resumes);
    travel.isResuming = hasThread && (resumesInside || isNothing || resumes);
    const travels = hasThread && travel.isHead === false && (scope.inside !== undefined || !resumes);
    // Where it goes back to a question, that is asked again.
    if (travels) at.pending = at.pending.filter(([, channel]) => channel !== RESUME);
    resumeValues.read(resumes);
    travel.runsAgain = travels || travel.isSuperseded;
    if (!travel.isResuming && !command) {
      if (isNothing) throw new EmptyInputError('Received no input writes for "__start__"');
      const step = this.#newInput(input);
      if (!scope.inside && travels) travel.begin(saves.travelsFrom);
      return step;
    }
    const [step, before] = this.#goOn(travels, saved);
    if (!scope.inside && travels) travel.begin(before ?? saves.travelsFrom);
    return step;
  }

  /**
   * Goes on where the thread was left, with a command's writes. `travels`: from a checkpoint that is not the newest.
   * Returns also the checkpoint that graphs inside go back to, if it is not the new one's parent. Saves `callers` once the
   * state takes them: writes that it refuses, saved, would be refused at each later look at the thread.
   */
  #goOn(travels: boolean, callers: Entries | undefined): [step: Step, before: string | undefined] {
    const { saves, travel, reports } = this.#run;
    const at = this.#at;
    const written = isWritten(saves.metadata);
    const theirs = writtenByCallers(at.pending);
    let step: Step;
    if (theirs.length > 0 || !travel.isResuming) {
      step = this.#take(at.plan.command(takeCallersWrites(at, theirs, NONE), travel.isResuming));
      at.others["__input__"] ??= {};
    } else step = this.#take(at.plan.resume());
    if (callers) saves.saveCallers(callers);
    const forks = travels && (travel.isSuperseded || !written);
    const before = forks && written ? saves.travelsFrom : undefined;
    if (!travel.isResuming) saves.put(forks ? "fork" : "input");
    else if (forks) {
      at.pending = at.pending.filter(([, channel]) => channel !== INTERRUPT);
      at.plan.nextStep();
      step = this.#take({ ...step, step: at.stepNumber + 1 });
      saves.put("fork");
    }
    reports.emitValues(at.state);
    return [step, before];
  }

  #newInput(input: unknown): Step {
    if (typeof input !== "object" || Array.isArray(input))
      throw new InvalidUpdateError("A graph takes an object, a command or null.", {
        lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE",
      });
    const { scope, reports, saves } = this.#run;
    const at = this.#at;
    const { spec } = at;
    const { values, dropped: keys } = spec.taken(input as Values);
    if (keys.length > 0) {
      if (reports.on) reports.trace("input-dropped", { keys });
      else if (!scope.inside) console.warn(`The graph "${scope.graph.name}" does not take: ${keys.join(", ")}.`);
    }
    at.pending = at.sends = NONE;
    const { edges, branches } = spec.nodes[spec.start] as GraphNode;
    if (!saves.thread && !reports.streams && branches.length === 0) return this.#start(values, edges);
    const step = this.#take(at.plan.input());
    at.held.set(spec.plan.start, values);
    if (saves.thread) at.others["__input__"] ??= {};
    saves.put("input");
    return step;
  }

  /** Folds the input in as the task of START does, where nobody sees that task. */
  #start(values: Values, edges: readonly number[]): Step {
    const at = this.#at;
    const { fields } = at.spec;
    const writes: number[] = [];
    const updates = fields.note(values, writes) ? [values] : NONE;
    const isSame = updates.length === 0 && fields.ephemeral.length === 0;
    const state = isSame ? at.state : at.fold(updates);
    for (const channel of edges) writes.push(channel);
    const step = this.#take(at.plan.start(writes));
    at.state = state;
    this.#run.resumeValues.stepDone();
    return step;
  }

  /** Records which step comes next, and clears fields whose values were for one step. */
  #take(step: Step): Step {
    const at = this.#at;
    at.stepNumber = step.step;
    if (step.cleared.length === 0) return step;
    const state = { ...at.state } as Record<string, unknown>;
    for (const number of step.cleared) delete state[at.spec.fields.keys[number] as string];
    at.state = state;
    return step;
  }

  /** Adds a command's writes to the pending ones. Returns those to save for a run that is cut off. */
  #takeCommand(command: Command, resumes: boolean): Entries | undefined {
    const { saves, resumeValues } = this.#run;
    const at = this.#at;
    if (command.graph === Command.PARENT) throw new InvalidUpdateError("There is no parent graph.");
    if (resumes && !saves.thread) throw new BaseLangGraphError("Cannot use Command(resume=...) without checkpointer");
    const entries: Entries = [];
    for (const end of [command.goto ?? []].flat() as unknown[]) {
      const send = toSend(end);
      if (send) entries.push([TASKS, send]);
      else if (typeof end === "string") entries.push([`branch:to:${end}`, START]);
      else throw new InvalidUpdateError(`A command's goto takes names and Sends, not ${typeof end}.`);
    }
    const isById = resumes && resumeValues.take(command);
    if (resumes && !isById) entries.push([RESUME, command.resume]);
    for (const update of updatesOf(command)) entries.push(...Object.entries(update));
    if (entries.length === 0 && !isById) throw new EmptyInputError("Received empty Command input");
    if (entries.length === 0) return undefined;
    // The caller's writes with earlier answers to interrupts of this step count, too.
    at.pending = at.pending.filter(([id, channel]) => id !== NULL_TASK || (resumes && !isSpecial(channel)));
    at.addPending(entries.map(([channel, value]) => [NULL_TASK, channel, value]));
    return at.pending.flatMap(([id, ...write]) => (id === NULL_TASK ? [write] : []));
  }
}
