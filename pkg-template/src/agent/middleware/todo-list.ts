import { field } from "../../state/fields.js";
import { type Todo, replaceTodos } from "../../state/todos.js";
import { Command } from "../../graph/build/command.js";
import { checkOptions } from "../../shared/options.js";
import { callsOf, lastTurn, toolMessage } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { withPrompt } from "./request-changes.js";
import { objectSchema } from "../tools/schema-checks.js";
import { tool } from "../tools/tools.js";

/** Options of {@link todoListMiddleware}. */
export interface TodoListOptions {
  /** The instructions to the model about the list. */
  readonly systemPrompt?: string | undefined;
  /** The model's description of `write_todos`. */
  readonly toolDescription?: string | undefined;
}

const PROMPT = `## \`write_todos\`
For work of three steps or more, keep a todo list with \`write_todos\`: write it before you begin, set one item \`in_progress\` before you work on it and \`completed\` as soon as it is done. Revise it when you learn more. Do not use it for what one or two steps do. Call it at most once in a turn, and give your final answer in a message after it.`;

const DESCRIPTION =
  "Writes your todo list, the whole of it: each call replaces the list. An item is pending, in_progress or completed.";

const ITEM = objectSchema({
  content: { type: "string" },
  status: { type: "string", enum: ["pending", "in_progress", "completed"] },
});
const SCHEMA = objectSchema({ todos: { type: "array", items: ITEM } });

const PARALLEL =
  "Error: The `write_todos` tool should never be called multiple times in parallel. Please call it only once per model invocation to update the todo list.";

/**
 * Gives an agent a todo list, as LangChain's `todoListMiddleware` does: the field `todos`, which only the agent writes,
 * and the tool `write_todos`, which replaces it.
 *
 * @example
 * ```ts
 * import { createAgent, todoListMiddleware } from "threadfold/agent";
 *
 * const todos = [{ content: "Plan", status: "in_progress" }];
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool"
 *       ? "Planned."
 *       : { content: "", tool_calls: [{ id: "c1", name: "write_todos", args: { todos } }] },
 *   middleware: [todoListMiddleware()],
 * });
 * console.log((await agent.invoke({ messages: "Plan my day." })).todos); // [ { content: 'Plan', status: 'in_progress' } ]
 * ```
 */
export function todoListMiddleware(options: TodoListOptions = {}) {
  const { systemPrompt = PROMPT, toolDescription = DESCRIPTION } = options;
  checkOptions("todoListMiddleware", options, ["systemPrompt", "toolDescription"]);
  return createMiddleware({
    name: "TodoListMiddleware",
    stateSchema: { todos: field.todos({ input: false }) },
    tools: [
      tool({
        name: "write_todos",
        description: toolDescription,
        schema: SCHEMA,
        run: (args: { todos: Todo[] }, { toolCall }) => {
          const todos = replaceTodos([], args.todos);
          const said = toolMessage(toolCall, `Updated todo list to ${JSON.stringify(todos)}`);
          return new Command({ update: { todos, messages: [said] } });
        },
      }),
    ],
    wrapModelCall: (request, handler) => handler(withPrompt(request, systemPrompt)),
    afterModel: ({ messages }) => {
      const calls = callsOf(lastTurn(messages).ai).filter(({ name }) => name === "write_todos");
      // The list is replaced whole: which of them would count?
      if (calls.length < 2) return undefined;
      return { messages: calls.map(({ id }) => toolMessage({ id }, PARALLEL, "error")) };
    },
  });
}
