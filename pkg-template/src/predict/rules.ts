// The effect of a tool call on the state, read from its arguments before the tool has run.

type Values = Readonly<Record<string, unknown>>;

/**
 * A tool's effect on the state: the field that shows an argument, or a function of the arguments so far and of the state,
 * which returns fields. A field that it leaves out is not predicted.
 */
export type PredictRule =
  | { readonly field: string; readonly argument?: string | undefined }
  | ((args: Values, state: Values) => Values | undefined);

/** The rules, by the tools' names. */
export type PredictRules = Readonly<Record<string, PredictRule>>;

/** The rules that a server sends with AG-UI's custom event `PredictState`; undefined for another value. */
export function rulesOf(value: unknown): (readonly [tool: string, rule: PredictRule])[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as unknown[]).flatMap((one) => {
    const { state_key: field, tool, tool_argument: argument } = (one ?? {}) as Values;
    if (typeof field !== "string" || typeof tool !== "string") return [];
    return [[tool, { field, argument: typeof argument === "string" ? argument : undefined }] as const];
  });
}

/** Returns the fields that a rule predicts. Without an argument of its own, a field shows all arguments. */
export function predicted(rule: PredictRule, args: Values, state: Values): Values {
  if (typeof rule === "function") return rule(args, state) ?? {};
  const { field, argument } = rule;
  const value = argument === undefined ? args : args[argument];
  return value === undefined ? {} : { [field]: value };
}

/**
 * The rules of deep agents' tools: `write_file` fills its file, `write_todos` the list, while the model writes them.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { deepAgentRules, predictState } from "threadfold/predict";
 *
 * const prediction = predictState(new Thread(), { predict: { ...deepAgentRules, write_memo: { field: "memo" } } });
 * prediction.dispose();
 * ```
 */
export const deepAgentRules: PredictRules = {
  write_file: ({ file_path: path, content }, { files }) => {
    // The path is whole once the content has begun.
    if (typeof path !== "string" || typeof content !== "string") return undefined;
    const all = (files ?? {}) as Record<string, object>;
    return { files: { ...all, [path]: { encoding: "utf-8", ...all[path], content } } };
  },
  write_todos: ({ todos }) => (Array.isArray(todos) ? { todos: todos.filter(isTodo).map(withStatus) } : undefined),
};

const isTodo = (todo: unknown): todo is Values => typeof (todo as Values | null)?.["content"] === "string";

/** A todo is pending until its status is written out. */
const withStatus = (todo: Values): Values => (STATUSES.has(todo["status"]) ? todo : { ...todo, status: "pending" });

const STATUSES = new Set<unknown>(["pending", "in_progress", "completed"]);
