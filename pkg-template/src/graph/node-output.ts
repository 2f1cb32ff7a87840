// What a node's answer writes.
import { type Command, isCommand, isSend, type Send, toSend, updatesOf } from "./command.js";
import { InvalidUpdateError, ParentCommand } from "./graph-errors.js";
import type { Task } from "./task.js";

const PARENT = "__parent__";

/** Notes what a node's answer writes: updates first, then where its commands lead. */
export function takeOutput(task: Task, output: unknown): void {
  if (!output) return;
  if (isSend(output)) {
    task.send(output);
    return;
  }
  if (isCommand(output)) {
    takeCommands(task, [output]);
    return;
  }
  if (Array.isArray(output)) {
    if (output.length > 0 && !output.some((one) => isCommand(one) || isSend(one))) throw notAnUpdate(task, "array");
    for (const one of output) if (!isCommand(one) && !isSend(one)) takeUpdate(task, one);
    takeCommands(task, output.filter(isCommand));
    for (const one of output) if (isSend(one)) task.send(one);
    return;
  }
  takeUpdate(task, output);
}

function takeUpdate(task: Task, update: unknown): void {
  if (!update) return;
  if (typeof update !== "object" || Array.isArray(update))
    throw notAnUpdate(task, Array.isArray(update) ? "array" : typeof update);
  task.update(update as Record<string, unknown>);
}

function takeCommands(task: Task, commands: readonly Command[]): void {
  for (const command of commands) if (command.graph === PARENT) throw new ParentCommand(command);
  for (const command of commands) for (const update of updatesOf(command)) takeUpdate(task, update);
  for (const { goto } of commands) for (const end of listed(goto)) task.go(end);
}

const listed = (goto: unknown): readonly (string | Send)[] =>
  Array.isArray(goto) ? (goto as (string | Send)[]) : goto ? [goto as string] : [];

function notAnUpdate(task: Task, type: string): InvalidUpdateError {
  return new InvalidUpdateError(
    `Expected node "${task.node.name}" to return an object or an array containing at least one Command object, received ${type}`,
    { lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE" },
  );
}

/** Notes where a branch leads: its answer is a name, a Send, or a list of them. */
export function takeBranch(task: Task, answer: unknown, ends: Readonly<Record<string, string>> | undefined): void {
  for (const one of Array.isArray(answer) ? (answer as unknown[]) : [answer]) {
    if (one === null || one === undefined) continue;
    const send = typeof one === "object" ? toSend(one) : undefined;
    const end = send ?? (ends ? (Object.hasOwn(ends, one as string) ? ends[one as string] : undefined) : one);
    if (!end || (!send && typeof end !== "string"))
      throw new Error(`Branch condition returned unknown or null destination: ${JSON.stringify(one)}`);
    task.go(end as string | Send);
  }
}
