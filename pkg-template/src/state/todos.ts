import * as core from "#core";
import type { MessageLike } from "./messages.js";

/** One thing to do, as DeepAgents' `write_todos` takes it. */
export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

/**
 * Puts the todo list `right` in the place of `left`, as DeepAgents does: checks it, and strips keys that a todo does
 * not have. A todo that says the same as the one at its position in `left` stays that object; an equal list is `left`
 * itself.
 *
 * @throws {@link ThreadfoldError} `INVALID_TODOS`, with a line for each problem: `todos.0.status: Input should be
 *   'pending', 'in_progress' or 'completed'`.
 *
 * @example
 * ```ts
 * import { replaceTodos } from "threadfold";
 *
 * const before = replaceTodos([], [{ content: "Plan", status: "pending" }]);
 * const after = replaceTodos(before, [...before, { content: "Build", status: "pending" }]);
 * console.log(after[0] === before[0]); // true
 * ```
 */
export function replaceTodos(left: readonly Todo[] | null | undefined, right: readonly Todo[]): Todo[] {
  return core.call(() => core.value(core.replaceTodos(core.hold(left), core.hold(right))));
}

/**
 * Refuses two `write_todos` calls in one model answer, as DeepAgents' middleware does. Looks at the last assistant
 * message of the list; returns nothing when all is well.
 *
 * @throws {@link ThreadfoldError} `PARALLEL_TODOS`.
 *
 * @example
 * ```ts
 * import { checkTodoCalls } from "threadfold";
 *
 * checkTodoCalls([{ type: "ai", id: "1", content: "", tool_calls: [{ name: "write_todos", args: {}, id: "c1" }] }]);
 * ```
 */
export function checkTodoCalls(messages: readonly MessageLike[]): void {
  core.call(() => core.checkTodoCalls(core.hold(messages)));
}
