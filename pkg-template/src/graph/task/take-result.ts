// Processes a node's result: its writes, and the targets of its edges and conditions.
import { ThreadfoldError } from "../../shared/errors.js";
import { isPromise } from "../../shared/is-promise.js";
import { Command, isCommand, isSend, type Send, toSend, updatesOf } from "../build/command.js";
import type { Branch } from "../build/graph-spec.js";
import { InvalidUpdateError, ParentCommand } from "../build/graph-errors.js";
import type { NodeContext } from "../given/node-context.js";
import type { Values } from "../types.js";
import { checkedAll, type Declared } from "../build/state-forms.js";
import type { TaskPlace } from "./task-place.js";
import type { TaskWrites } from "./task-writes.js";

/** A task whose node returns a result. */
export interface ResultTask {
  readonly place: TaskPlace;
  readonly writes: TaskWrites;
  /** The argument of conditions. */
  readonly context: NodeContext;
  /** The state with its own writes, once a condition has read it. */
  folded: Values | undefined;
  /** Is called when the node's updates are complete, before edges and conditions. */
  updated(): void;
}

/**
 * Takes the node's result, and adds its edges and the results of its conditions. Returns a promise if a check or a
 * condition takes time. `isChecked`: the schema has seen the result.
 */
export function takeResult(task: ResultTask, output: unknown, isChecked = false): PromiseLike<void> | undefined {
  const { writes, place } = task;
  takeOutput(writes, output);
  const { check } = place.home.at.spec.parts.state;
  return isChecked || !check || writes.updates.length === 0 ? lead(task) : leadChecked(task, check);
}

/** Has the updates checked before. */
function leadChecked(task: ResultTask, check: NonNullable<Declared["check"]>): PromiseLike<void> | undefined {
  const { writes } = task;
  const update = (updates: readonly Values[]) => {
    writes.updates = updates;
    return lead(task);
  };
  const checked = checkedAll(writes.updates, check);
  return checked instanceof Promise ? checked.then(update) : update(checked);
}

/** Goes where the node's edges and conditions lead. */
function lead(task: ResultTask): PromiseLike<void> | undefined {
  const { writes, place } = task;
  task.updated();
  const { edges, branches } = place.node;
  const { channels } = writes;
  writes.controls = channels.length;
  for (let at = 0; at < edges.length; at++) channels.push(edges[at] as number);
  return branches.length > 0 ? decide(task, 0) : undefined;
}

/** Evaluates the conditions, from the `from`-th on, in order. */
function decide(task: ResultTask, from: number): PromiseLike<void> | undefined {
  const { place, writes } = task;
  const { branches } = place.node;
  for (let at = from; at < branches.length; at++) {
    const { path, ends } = branches[at] as Branch;
    // Conditions read the task's own writes, not its siblings'. With several tasks, the run continues from all their
    // writes.
    const state = (task.folded ??= place.home.at.folded(writes.updates, place.home.tasks.length > 1));
    const result = path({ ...state }, task.context);
    if (isPromise(result)) return decideLater(task, at, result);
    takeBranch(writes, result, ends);
  }
  return undefined;
}

/** Takes the result of the `at`-th condition when it comes, and evaluates the others. */
function decideLater(task: ResultTask, at: number, result: PromiseLike<unknown>): PromiseLike<void> {
  return result.then((decided) => {
    takeBranch(task.writes, decided, (task.place.node.branches[at] as Branch).ends);
    return decide(task, at + 1) as undefined;
  });
}

/** Whether a part of a result may have a target. Most results are plain updates, which this recognises at once. */
const leads = (part: unknown): part is Command | Send =>
  (part as { lg_name?: unknown } | null | undefined)?.lg_name !== undefined && (isCommand(part) || isSend(part));

/** Records the writes of a node's result: updates first, then its targets. */
function takeOutput(writes: TaskWrites, output: unknown): void {
  if (!Array.isArray(output) && !leads(output)) {
    takeUpdate(writes, output);
    return;
  }
  const parts = [output].flat() as unknown[];
  if (parts.length > 0 && !parts.some(leads)) throw notAnUpdate(writes, "array");
  for (const part of parts) if (isCommand(part) && part.graph === Command.PARENT) throw new ParentCommand(part);
  for (const part of parts) {
    if (isCommand(part)) for (const update of updatesOf(part)) takeUpdate(writes, update);
    else if (!isSend(part)) takeUpdate(writes, part);
  }
  for (const part of parts) {
    if (isSend(part)) writes.send(part);
    else if (isCommand(part)) for (const end of listed(part.goto)) writes.go(end);
  }
}

function takeUpdate(writes: TaskWrites, update: unknown): void {
  if (!update) return;
  if (typeof update !== "object" || Array.isArray(update))
    throw notAnUpdate(writes, Array.isArray(update) ? "array" : typeof update);
  writes.update(update as Record<string, unknown>);
}

const listed = (goto: unknown): readonly (string | Send)[] =>
  Array.isArray(goto) ? (goto as (string | Send)[]) : goto ? [goto as string] : [];

function notAnUpdate(writes: TaskWrites, type: string): InvalidUpdateError {
  return new InvalidUpdateError(
    `Expected node "${writes.place.name}" to return an object or an array containing at least one Command object, received ${type}`,
    { lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE" },
  );
}

/** Records the targets of a branch: its result is a name, a Send, or a list of them. */
function takeBranch(writes: TaskWrites, result: unknown, ends: Readonly<Record<string, string>> | undefined): void {
  if (!Array.isArray(result)) {
    takeEnd(writes, result, ends);
    return;
  }
  for (const one of result as unknown[]) takeEnd(writes, one, ends);
}

function takeEnd(writes: TaskWrites, one: unknown, ends: Readonly<Record<string, string>> | undefined): void {
  const send = typeof one === "object" ? toSend(one) : undefined;
  const end = send ?? (ends ? (Object.hasOwn(ends, one as string) ? ends[one as string] : undefined) : one);
  if (!end || (!send && typeof end !== "string"))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Branch condition returned unknown or null destination: ${JSON.stringify(one)}, after node \`${writes.place.name}\`. ` +
        "Return a node's name, END, a Send, or a list of them: an empty one leads nowhere.",
    );
  writes.go(end as string | Send);
}
