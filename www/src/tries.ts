// The functions of the "try it" panel, and examples of each.
import { addMessages, applyPatch, mergeFiles, mergeTools, replaceTodos } from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";

export interface Try {
  readonly name: string;
  readonly option?: string;
  readonly args: readonly string[];
}

interface Function {
  readonly args: readonly string[];
  readonly optionName?: string;
  readonly options?: readonly string[];
  /** `never` fits every parameter: a reader's input has no type, and the functions report its errors. */
  call(args: readonly [never, never, never], option: never): unknown;
}

export const FUNCTIONS: Readonly<Record<string, Function>> = {
  addMessages: {
    args: ["left", "right"],
    optionName: "rules",
    options: ["langgraph", "deepagents"],
    call: ([left, right], rules) => addMessages(left, right, { rules }),
  },
  mergeTools: {
    args: ["left", "right"],
    optionName: "prefer",
    options: ["first", "last"],
    call: ([left, right], prefer) => mergeTools(left, right, { prefer }),
  },
  replaceTodos: {
    args: ["left", "right"],
    call: ([left, right]) => replaceTodos(left, right),
  },
  mergeFiles: {
    args: ["left", "right"],
    call: ([left, right]) => mergeFiles(left, right),
  },
  applyPatch: {
    args: ["document", "operations"],
    call: ([document, operations]) => applyPatch(document, operations),
  },
  langGraphDefaultMergeState: {
    args: ["state", "messages", "input"],
    optionName: "compat",
    options: ["accumulate", "0.0.x", "current"],
    call: ([state, messages, input], compat) => langGraphDefaultMergeState(state, messages, input, { compat }),
  },
};

const ai = (id: string, content: string) => ({ type: "ai", id, content });
const human = (id: string, content: string) => ({ type: "human", id, content });
const remove = (id: string) => ({ type: "remove", id });
const two = [human("1", "What is the answer?"), ai("2", "Let me think.")];

const tool = (name: string, description: string) => ({
  name,
  description,
  parameters: { type: "object", properties: {} },
});
const todo = (content: string, status: string) => ({ content, status });
const file = (content: string) => ({ content, encoding: "utf-8" });

const example = (title: string, name: string, args: readonly unknown[], option = "") => ({
  title,
  name,
  option,
  args: args.map(pretty),
});

export const EXAMPLES: readonly (Try & { readonly title: string })[] = [
  example("Replace in place", "addMessages", [two, [ai("2", "It is 42.")]]),
  example("Remove", "addMessages", [two, [remove("1")]]),
  example("Remove, then write", "addMessages", [two, [remove("1"), human("1", "What was the question?")]]),
  example("Remove all", "addMessages", [
    two,
    [ai("8", "dropped"), remove("__remove_all__"), human("9", "A new start")],
  ]),
  example("Remove a stranger", "addMessages", [two, [remove("no-such-id")]]),
  example("Plain text", "addMessages", [two, "And why?"]),
  example(
    "Tools by name",
    "mergeTools",
    [[tool("confirm", "Ask the user"), tool("search", "Look it up")], [tool("confirm", "Ask, the new way")]],
    "last",
  ),
  example("Todos", "replaceTodos", [
    [todo("Read", "in_progress")],
    [todo("Read", "completed"), todo("Answer", "in_progress")],
  ]),
  example("A bad todo", "replaceTodos", [[], [todo("Read", "doing")]]),
  example("Files", "mergeFiles", [
    { "/a.md": file("# A"), "/b.md": file("# B") },
    { "/a.md": null, "/c.md": file("# C") },
  ]),
  example("Patch", "applyPatch", [
    { plan: { step: 1 }, notes: ["a"], untouched: { big: true } },
    [
      { op: "replace", path: "/plan/step", value: 2 },
      { op: "add", path: "/notes/-", value: "b" },
    ],
  ]),
  example("A patch that fails", "applyPatch", [
    { step: 1 },
    [
      { op: "replace", path: "/step", value: 2 },
      { op: "test", path: "/step", value: 1 },
    ],
  ]),
  example(
    "AG-UI input into state",
    "langGraphDefaultMergeState",
    [
      { messages: two, tools: [tool("search", "Look it up")], todos: [] },
      [human("1", "What is the answer?"), human("3", "And why?")],
      { tools: [tool("search", "Look it up, the new way"), tool("confirm", "Ask the user")], context: [] },
    ],
    "accumulate",
  ),
];

/** JSON with one line for each item: room for an eye to compare. */
function pretty(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const lines = Object.entries(value).map(([key, item]) => `  ${list ? "" : `${JSON.stringify(key)}: `}${line(item)}`);
  if (lines.length === 0) return list ? "[]" : "{}";
  return `${list ? "[" : "{"}\n${lines.join(",\n")}\n${list ? "]" : "}"}`;
}

function line(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(line).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inside = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${line(item)}`);
  return inside.length === 0 ? "{}" : `{ ${inside.join(", ")} }`;
}
