import { Command } from "../graph/build/command.js";
import { delegating } from "../shared/delegates.js";
import { checkOptions } from "../shared/options.js";
import { sameJson } from "../shared/same-json.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { Fields as SchemaFields, Schema } from "../state/schema.js";
import type { FileData } from "../state/files.js";
import { createAgent } from "./create-agent.js";
import { type Fields, lastText, toolMessage } from "./message.js";
import { createMiddleware, replacing } from "./middleware/middleware.js";
import type { AgentModel, Middleware, ResponseFormat, StateForm, ToolLike, ToolRuntime } from "./types.js";
import { objectSchema } from "./tools/schema-checks.js";
import { tool } from "./tools/tools.js";
import { withPrompt } from "./middleware/request-changes.js";
import { humanInTheLoopMiddleware, type HumanInTheLoopOptions } from "./middleware/human-in-the-loop.js";

/** An agent that another one gives tasks to. */
export interface SubAgent {
  readonly name: string;
  /** When to give it a task: the model reads this. */
  readonly description: string;
  readonly systemPrompt?: string | undefined;
  /** Its tools; those of the parent, if left out. */
  readonly tools?: readonly ToolLike[] | undefined;
  readonly model?: AgentModel | undefined;
  /** Behind those that every sub-agent has. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly interruptOn?: HumanInTheLoopOptions["interruptOn"] | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
}

/** A sub-agent that is there already: a graph, or anything with its `invoke`. */
export interface CompiledSubAgent {
  readonly name: string;
  readonly description: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a state of its own
  readonly runnable: { invoke(state: any, ctx?: any): Promise<any> };
}

/** Options of {@link createSubAgentMiddleware}. */
export interface SubAgentOptions {
  readonly subagents?: readonly (SubAgent | CompiledSubAgent)[] | undefined;
  /** Whether to add one with all the agent's abilities: `general-purpose`. Defaults to true if there are no others. */
  readonly generalPurposeAgent?: boolean | undefined;
  /** For those that have none of their own. */
  readonly defaultModel?: AgentModel | undefined;
  readonly defaultTools?: readonly ToolLike[] | undefined;
  /** The first middleware of every sub-agent; a function makes it anew for each. */
  readonly defaultMiddleware?: readonly Middleware[] | (() => readonly Middleware[]) | undefined;
  /** Fields that sub-agents share with the agent, besides those of middlewares that both have. */
  readonly stateSchema?: StateForm<SchemaFields> | undefined;
  readonly defaultInterruptOn?: HumanInTheLoopOptions["interruptOn"] | undefined;
  readonly systemPrompt?: string | undefined;
  /** The model's description of `task`; `{available_agents}` in it stands for their list. */
  readonly taskDescription?: string | undefined;
}

const GENERAL: SubAgent = {
  name: "general-purpose",
  description: "Can do all that you can: for work of several steps that would only fill your context.",
  systemPrompt: "Do the task that you are given. The caller sees only your last message: put the whole result there.",
};
const DESCRIPTION = "Has a sub-agent do a task, and returns its report. The sub-agents:\n{available_agents}";
const PROMPT = `## \`task\`
Give a sub-agent a task with \`task\` where it can be done on its own and its steps would only fill your context. Tasks that do not depend on one another belong in one turn: they run side by side. A sub-agent sees only the description that you write and the files; you see only its last message, and the user sees neither.`;

/** Each agent's own: OWN_FIELDS of src/agent/subagents.rs. */
const OWN = new Set(["messages", "todos", "structuredResponse", "jumpTo", "skillsMetadata"]);

/**
 * Gives an agent the tool `task`, which delegates work to a sub-agent, as deepagents' `createSubAgentMiddleware` does.
 * A sub-agent sees the description of its task and the state fields that are not private to each agent. It returns its
 * last text and its changes.
 *
 * Sub-agents of one turn run in parallel and keep each other's changes. For `files`, and for fields that add up, only
 * the new part is returned. If two have written one file differently, the second's is kept beside the first, and the
 * model is notified.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for two of one name, or one without a model.
 *
 * @example
 * ```ts
 * import { createAgent, createSubAgentMiddleware } from "threadfold/agent";
 *
 * const args = { subagent_type: "poet", description: "A line about rain." };
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool"
 *       ? `It says: ${String(messages.at(-1)?.content)}`
 *       : { content: "", tool_calls: [{ id: "c1", name: "task", args }] },
 *   middleware: [
 *     createSubAgentMiddleware({
 *       subagents: [{ name: "poet", description: "Writes poems.", model: async () => "Rain again." }],
 *     }),
 *   ],
 * });
 * console.log((await agent.invoke({ messages: "Go." })).messages.at(-1)?.content); // It says: Rain again.
 * ```
 */
export function createSubAgentMiddleware(options: SubAgentOptions) {
  const {
    subagents: own = [],
    generalPurposeAgent: isGeneral = own.length === 0,
    defaultModel,
    defaultTools,
    defaultMiddleware,
    stateSchema,
    defaultInterruptOn,
    systemPrompt = PROMPT,
    taskDescription = DESCRIPTION,
  } = options;
  checkOptions("createSubAgentMiddleware", options, [
    "subagents",
    "generalPurposeAgent",
    "defaultModel",
    "defaultTools",
    "defaultMiddleware",
    "stateSchema",
    "defaultInterruptOn",
    "systemPrompt",
    "taskDescription",
  ]);
  const defaults = { defaultModel, defaultTools, defaultMiddleware, stateSchema, defaultInterruptOn };
  const subagents = isGeneral && !own.some(({ name }) => name === GENERAL.name) ? [GENERAL, ...own] : own;
  const runnables = new Map(subagents.map((one) => [one.name, runnableOf(one, defaults)]));
  if (!subagents.every(({ name }) => typeof name === "string" && name))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "createSubAgentMiddleware: a sub-agent has no name. The model calls it by its name.",
    );
  if (runnables.size < subagents.length)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "createSubAgentMiddleware: two sub-agents have the same name. Rename one: the model calls them by name.",
    );
  const list = subagents.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return createMiddleware({
    name: "SubAgentMiddleware",
    tools: [
      taskTool(
        taskDescription.replace("{available_agents}", () => list),
        runnables,
      ),
    ],
    wrapModelCall: (request, handler) => handler(withPrompt(request, systemPrompt)),
  });
}

type Runnable = CompiledSubAgent["runnable"];

/** The tool with which the model gives a sub-agent a task. */
function taskTool(description: string, runnables: ReadonlyMap<string, Runnable>) {
  const task = tool({
    name: "task",
    description,
    schema: objectSchema({
      description: { type: "string", description: "The task, with all that the sub-agent needs to know." },
      subagent_type: { type: "string", description: "Which sub-agent." },
    }),
    run: ({ description: task, subagent_type: name }: { description: string; subagent_type: string }, runtime) => {
      const runnable = runnables.get(name);
      if (runnable) return delegated(name, runnable, task, runtime);
      const names = [...runnables.keys()].map((one) => `\`${one}\``).join(", ");
      return `We cannot invoke subagent ${name} because it does not exist, the only allowed types are ${names}`;
    },
  });
  return delegating(task, [...runnables.values()]);
}

/** Runs a sub-agent. Returns its changes, with its last text as the tool's answer. */
async function delegated(name: string, runnable: Runnable, task: string, runtime: ToolRuntime): Promise<Command> {
  const given = sharedOf(runtime.state, runtime.schema);
  const input = { ...given, messages: [{ type: "human", content: task }] };
  const result = (await runnable.invoke(input, runtime)) as Fields;
  if (!Array.isArray(result?.["messages"]))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `task: the sub-agent '${name}' returned no messages. Let its runnable return a state with \`messages\`.`,
    );
  const update = changesOf(given, sharedOf(result, runtime.schema), runtime);
  const { structuredResponse } = result;
  const answer =
    structuredResponse != null ? JSON.stringify(structuredResponse) : lastText(result["messages"] as object[]);
  const text = [answer, ...update.notes].filter(Boolean).join("\n\n");
  return new Command({ update: { ...update.fields, messages: [toolMessage(runtime.toolCall, text)] } });
}

function runnableOf(spec: SubAgent | CompiledSubAgent, defaults: SubAgentOptions): Runnable {
  if ("runnable" in spec) return spec.runnable;
  const {
    name,
    description: _,
    systemPrompt,
    model = defaults.defaultModel,
    tools = defaults.defaultTools,
    middleware: own = [],
    interruptOn = defaults.defaultInterruptOn,
    responseFormat,
  } = spec;
  checkOptions(`The sub-agent '${name}'`, spec, [
    "name",
    "description",
    "systemPrompt",
    "model",
    "tools",
    "middleware",
    "interruptOn",
    "responseFormat",
  ]);
  if (!model)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `createSubAgentMiddleware: the sub-agent '${name}' has no model. Give it a \`model\`, or give all a \`defaultModel\`.`,
    );
  const approval = interruptOn ? [humanInTheLoopMiddleware({ interruptOn })] : [];
  const { defaultMiddleware: first = [], stateSchema } = defaults;
  const middleware = [...replacing(typeof first === "function" ? first() : first, own), ...approval];
  return createAgent({ name, model, tools, systemPrompt, responseFormat, middleware, stateSchema });
}

/** The fields of a state that agents share. */
function sharedOf(state: Fields, { fields }: Schema<SchemaFields>): Fields {
  const shared = Object.entries(state).filter(
    ([key, value]) => !OWN.has(key) && value !== undefined && fields[key] && !fields[key].private,
  );
  return Object.fromEntries(shared);
}

/** Files that sub-agents of one super-step have changed: by the state that they all began with. */
const written = new WeakMap<object, Map<string, readonly [call: object, file: unknown]>>();

/** A sub-agent's changes, as an update that leaves the other fields alone. */
function changesOf(given: Fields, has: Fields, runtime: ToolRuntime): { fields: Fields; notes: string[] } {
  const fields: Fields = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(has)) {
    const before = given[key];
    if (value === before) continue;
    const { kind } = runtime.schema.fields[key] as { kind: string };
    if (kind === "files" || kind === "merge") {
      const changes = changedEntries((before ?? {}) as Fields, (value ?? {}) as Fields, kind === "files");
      if (kind === "files") besideOthers(key, changes, (before ?? {}) as Fields, runtime, notes);
      if (Object.keys(changes).length > 0) fields[key] = changes;
    } else if (Array.isArray(value) && Array.isArray(before) && (kind === "append" || kind === "reducer")) {
      const grown = value.length >= before.length && before.every((one, at) => same(one, value[at]));
      const more = grown ? value.slice(before.length) : value;
      if (more.length > 0) fields[key] = more;
    } else if (before === undefined || !same(before, value))
      fields[key] = kind === "reducer" ? addedTo(before, value, key, runtime.schema) : value;
  }
  return { fields, notes };
}

/** The update that makes `value` of `before`. If the field's reducer adds up numbers or texts, it is the added part. */
function addedTo(before: unknown, value: unknown, key: string, schema: Schema<SchemaFields>): unknown {
  const added =
    typeof before === "number" && typeof value === "number"
      ? value - before
      : typeof before === "string" && typeof value === "string" && value.startsWith(before)
        ? value.slice(before.length)
        : undefined;
  if (added === undefined) return value;
  const { [key]: made } = schema.merge({ [key]: before }, { [key]: added }) as Fields;
  return made === value ? added : value;
}

const same = (a: unknown, b: unknown) => a === b || sameJson(a, b);

function changedEntries(before: Fields, after: Fields, removes: boolean): Fields {
  const changes: Fields = {};
  for (const [key, value] of Object.entries(after))
    if (!Object.hasOwn(before, key) || !same(before[key], value)) set(changes, key, value);
  if (removes) for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) set(changes, key, null);
  return changes;
}

/** Not by assignment: a path may be `__proto__`. */
const set = (object: Fields, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });

/** Keeps what another call of this step has written to the same path: this one's goes beside it. */
function besideOthers(key: string, changes: Fields, before: Fields, runtime: ToolRuntime, notes: string[]): void {
  const { state, toolCall } = runtime;
  let others = written.get(state);
  if (!others) written.set(state, (others = new Map()));
  // This includes the agent's own writes in this turn, and writes from before an interrupt.
  for (const theirs of runtime.writtenBeside(key) as Fields[])
    for (const [path, file] of Object.entries(theirs)) if (!others.has(path)) others.set(path, [theirs, file]);
  for (const [path, file] of Object.entries(changes)) {
    const [call, theirs] = others.get(path) ?? [toolCall];
    if (call !== toolCall && !same(contentOf(theirs), contentOf(file))) {
      delete changes[path];
      if (file === null) notes.push(`Note: another call changed ${path} at the same time, so it was not deleted.`);
      else {
        const beside = freePath(`${path}.${(toolCall.id ?? "").replace(/[^\w-]/g, "_")}`, [before, changes], others);
        others.set(beside, [toolCall, file]);
        set(changes, beside, file);
        notes.push(`Note: another call changed ${path} at the same time. This one's is in ${beside}: merge the two.`);
      }
    } else others.set(path, [toolCall, file]);
  }
}

/** A path at which there is no file: models may give the ids of calls again. */
function freePath(path: string, files: readonly Fields[], others: ReadonlyMap<string, unknown>): string {
  let free = path;
  for (let count = 2; others.has(free) || files.some((own) => Object.hasOwn(own, free)); count++)
    free = `${path}-${count}`;
  return free;
}

const contentOf = (file: unknown): unknown => (file as FileData | null)?.content ?? null;
