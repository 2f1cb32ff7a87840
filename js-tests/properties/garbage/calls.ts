// Every exported function and method, each with arguments that it takes.
import {
  addMessages,
  applyPatch,
  checkTodoCalls,
  combineSchemas,
  defineSchema,
  type Field,
  field,
  mergeFiles,
  mergeTools,
  MessageList,
  overwrite,
  removeMessage,
  replaceTodos,
  Schema,
  textOf,
  toAgUi,
  toLangChain,
} from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";

export interface Call {
  name: string;
  /** Fresh good arguments. */
  args: () => unknown[];
  call: (...args: never[]) => unknown;
}

const message = (id: string) => ({ type: "ai", id, content: "a", tool_calls: [{ name: "t", args: "{}", id: "c" }] });
const messages = () => [message("1"), { role: "user", content: "b" }, ["user", "hi"], { type: "remove", id: "1" }];

const fields = () => ({
  messages: field.messages(),
  tools: field.tools({ prefer: "last" }),
  todos: field.todos({ input: false }),
  files: field.files(),
  topic: field.replace(),
  log: field.append(),
  prefs: field.merge(),
  jump: field.ephemeral({ private: true }),
  socket: field.untracked({ guard: false }),
  budget: field.reducer((left: unknown, right: unknown) => [left, right], { default: () => 0 }),
});

const state = () => ({
  messages: [message("1")],
  tools: [{ name: "a" }],
  todos: [{ content: "x", status: "pending" }],
  files: { "/a": { content: "a" } },
  topic: "x",
  log: [1],
  prefs: { a: 1 },
  jump: 1,
  socket: 2,
  budget: 3,
});

const update = () => ({ ...state(), messages: messages(), log: { __overwrite__: [2] }, stranger: 1 });

const patch = () => [
  { op: "add", path: "/a/-", value: { n: 1 } },
  { op: "replace", path: "/a/0", value: 2 },
  { op: "copy", from: "/a", path: "/b" },
  { op: "move", from: "/a", path: "/c" },
  { op: "test", path: "/c/0", value: 2 },
  { op: "remove", path: "/b" },
];

export const schema: Schema<ReturnType<typeof fields>> = defineSchema(fields());
export const list: MessageList = new MessageList();

/** Its types hide its arguments: users call defineSchema. */
const Constructor = Schema as unknown as new (declared: unknown) => typeof schema;

export const functions: Call[] = [
  { name: "addMessages", args: () => [[message("1")], messages(), { rules: "langgraph" }], call: addMessages as never },
  {
    name: "addMessages, DeepAgents",
    args: () => [[message("1")], messages(), { rules: "deepagents" }],
    call: addMessages as never,
  },
  { name: "removeMessage", args: () => ["1"], call: removeMessage as never },
  {
    name: "mergeTools",
    args: () => [[{ name: "a" }], [{ name: "a" }, {}], { prefer: "last" }],
    call: mergeTools as never,
  },
  {
    name: "replaceTodos",
    args: () => [[{ content: "x", status: "pending" }], [{ content: "x", status: "pending", extra: 1 }]],
    call: replaceTodos as never,
  },
  { name: "textOf", args: () => [message("1")], call: textOf as never },
  {
    name: "textOf, of blocks",
    args: () => [[{ type: "text", text: "a" }]],
    call: ((content: never) => textOf({ type: "ai", content })) as never,
  },
  { name: "toAgUi", args: () => [message("1"), 3], call: toAgUi as never },
  {
    name: "toLangChain",
    args: () => [{ id: "1", role: "assistant", content: "a", toolCalls: [] }, 3],
    call: toLangChain as never,
  },
  { name: "checkTodoCalls", args: () => [[message("1")]], call: checkTodoCalls as never },
  { name: "mergeFiles", args: () => [{ "/a": { content: "a" } }, { "/a": null, "/b": {} }], call: mergeFiles as never },
  {
    name: "langGraphDefaultMergeState",
    args: () => [state(), [message("2")], { tools: [{ name: "a" }], context: [{ value: 1 }] }, { compat: "current" }],
    call: langGraphDefaultMergeState as never,
  },
  {
    name: "langGraphDefaultMergeState, accumulating",
    args: () => [state(), [message("2")], { tools: [], forwardedProps: { injectA2UITool: true } }],
    call: langGraphDefaultMergeState as never,
  },
  { name: "applyPatch", args: () => [{ a: [1] }, patch()], call: applyPatch as never },
  { name: "defineSchema", args: () => [fields()], call: defineSchema as never },
  {
    name: "defineSchema of one field",
    args: () => [{}],
    call: ((declared: never) => defineSchema({ a: declared })) as never,
  },
  {
    name: "Schema, constructed",
    args: () => [fields()],
    call: ((declared: never) => new Constructor(declared).initial()) as never,
  },
  { name: "combineSchemas", args: () => [schema, schema], call: combineSchemas as never },
  { name: "overwrite", args: () => [1], call: overwrite as never },
  ...Object.entries(field as unknown as Record<string, (options: never) => Field<unknown>>)
    .filter(([name]) => name !== "reducer")
    .map(([name, make]) => ({
      name: `field.${name}, used`,
      args: () => [{ input: true, output: false, private: false }, { a: [] }],
      call: ((options: never, update: never) => defineSchema({ a: make(options) }).merge({}, update)) as never,
    })),
  {
    name: "field.reducer, used",
    args: () => [(a: unknown, b: unknown) => [a, b], { default: () => 1 }, 1],
    call: ((fn: never, options: never, update: never) =>
      defineSchema({ a: field.reducer(fn, options) }).merge({}, { a: update })) as never,
  },
];

export const methods: Call[] = [
  { name: "schema.initial", args: () => [], call: () => schema.initial() },
  {
    name: "schema.merge",
    args: () => [state(), update()],
    call: ((a: never, b: never) => schema.merge(a, b)) as never,
  },
  {
    name: "schema.step",
    args: () => [state(), [{ log: [1] }, update()]],
    call: ((a: never, b: never) => schema.step(a, b)) as never,
  },
  { name: "schema.input", args: () => [state()], call: ((a: never) => schema.input(a)) as never },
  { name: "schema.output", args: () => [state()], call: ((a: never) => schema.output(a)) as never },
  { name: "schema.checkpoint", args: () => [state()], call: ((a: never) => schema.checkpoint(a)) as never },
  ...Object.keys(fields()).map((key) => ({
    name: `schema.merge and step of ${key}`,
    args: () => [state()[key as "log"], update()[key as "log"]],
    call: ((held: never, written: never) => {
      try {
        schema.step({ [key]: held } as never, [{ [key]: written }, { [key]: written }] as never);
      } finally {
        schema.merge({ [key]: held } as never, { [key]: written } as never);
      }
    }) as never,
  })),
  {
    name: "MessageList, constructed",
    args: () => [messages().slice(0, 3), { rules: "deepagents" }],
    call: ((a: never, b: never) => new MessageList(a, b).snapshot()) as never,
  },
  { name: "list.update", args: () => [messages().slice(0, 2)], call: ((a: never) => list.update(a)) as never },
  { name: "list.append", args: () => ["1", "text"], call: ((a: never, b: never) => list.append(a, b)) as never },
  { name: "list.snapshot", args: () => [], call: () => list.snapshot() },
];

/** Throws unless everything still works. */
export function probe(): void {
  const [message] = addMessages([], "hi");
  if (message?.content !== "hi") throw new Error("addMessages no longer works");
  const { log } = schema.merge({ log: [1] }, { log: [2] });
  if (log.length !== 2) throw new Error("the schema no longer works");
  list.update({ type: "ai", id: "probe", content: "" });
  list.append("probe", "x");
  if (list.snapshot().at(-1)?.content !== "x") throw new Error("the list no longer works");
  list.update({ type: "remove", id: "probe" });
  if (({} as { polluted?: unknown }).polluted !== undefined) throw new Error("a prototype was reached");
}
