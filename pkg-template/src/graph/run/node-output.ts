// What a node's answer writes.
import { Command, isCommand, isSend, type Send, toSend, updatesOf } from "../build/command.js";
import { InvalidUpdateError, ParentCommand } from "../build/graph-errors.js";
import type { TaskWrites } from "./task-writes.js";

/** Whether a part of an answer may lead somewhere. */
const leads = (part: unknown): part is Command | Send => isCommand(part) || isSend(part);

/** Notes what a node's answer writes: updates first, then where it leads. */
export function takeOutput(task: TaskWrites, output: unknown): void {
  if (!Array.isArray(output) && !leads(output)) {
    takeUpdate(task, output);
    return;
  }
  const parts = [output].flat() as unknown[];
  if (parts.length > 0 && !parts.some(leads)) throw notAnUpdate(task, "array");
  for (const part of parts) if (isCommand(part) && part.graph === Command.PARENT) throw new ParentCommand(part);
  for (const part of parts) {
    if (isCommand(part)) for (const update of updatesOf(part)) takeUpdate(task, update);
    else if (!isSend(part)) takeUpdate(task, part);
  }
  for (const part of parts) {
    if (isSend(part)) task.send(part);
    else if (isCommand(part)) for (const end of listed(part.goto)) task.go(end);
  }
}

function takeUpdate(task: TaskWrites, update: unknown): void {
  if (!update) return;
  if (typeof update !== "object" || Array.isArray(update))
    throw notAnUpdate(task, Array.isArray(update) ? "array" : typeof update);
  task.update(update as Record<string, unknown>);
}

const listed = (goto: unknown): readonly (string | Send)[] =>
  Array.isArray(goto) ? (goto as (string | Send)[]) : goto ? [goto as string] : [];

function notAnUpdate(task: TaskWrites, type: string): InvalidUpdateError {
  return new InvalidUpdateError(
    `Expected node "${task.node.name}" to return an object or an array containing at least one Command object, received ${type}`,
    { lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE" },
  );
}

/** Notes where a branch leads: its answer is a name, a Send, or a list of them. */
export function takeBranch(
  task: TaskWrites,
  answer: unknown,
  ends: Readonly<Record<string, string>> | undefined,
): void {
  for (const one of Array.isArray(answer) ? (answer as unknown[]) : [answer]) {
    if (one === null || one === undefined) continue;
    const send = typeof one === "object" ? toSend(one) : undefined;
    const end = send ?? (ends ? (Object.hasOwn(ends, one as string) ? ends[one as string] : undefined) : one);
    if (!end || (!send && typeof end !== "string"))
      throw new Error(`Branch condition returned unknown or null destination: ${JSON.stringify(one)}`);
    task.go(end as string | Send);
  }
}
