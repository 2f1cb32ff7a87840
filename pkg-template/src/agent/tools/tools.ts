// Tools in every form that is taken, as one.
import { REMOVE_ALL_MESSAGES, type ToolCall } from "../../state/messages.js";
import { Command } from "../../graph/build/command.js";
import { ThreadfoldError } from "../../shared/errors.js";
import { newId } from "../../shared/new-id.js";
import { checkOptions, type NamesOf } from "../../shared/options.js";
import { contentOf, type Fields, named, toolMessage, typeOf } from "../message.js";
import { configOf } from "../runtime-config.js";
import { invokedInGraph } from "./langgraph-calls.js";
import { check, jsonSchemaOf } from "./schema-checks.js";
import type {
  AgentTool,
  AnySchema,
  LangChainTool,
  PlainTool,
  ProviderTool,
  StandardSchema,
  ToolLike,
  ToolOutcome,
  ToolRuntime,
} from "../types.js";

const NAMES: NamesOf<PlainTool> = { name: true, description: true, schema: true, returnDirect: true, run: true };

/**
 * Makes a tool. The types of its arguments come from a schema of zod, Valibot or ArkType; of JSON Schema they are
 * unknown until `run` names them.
 *
 * @example
 * ```ts
 * import { tool } from "threadfold/agent";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
 *   run: ({ a, b }: { a: number; b: number }) => a + b,
 * });
 * console.log(add.name); // add
 * ```
 */
export function tool<T = Record<string, unknown>>(
  spec: Omit<PlainTool<T>, "schema"> & { readonly schema?: StandardSchema<T> | object | undefined },
): PlainTool<T> {
  checkOptions("tool", spec, Object.keys(NAMES));
  return spec as PlainTool<T>;
}

/** Whether it is a tool that the model's provider runs. */
export function isProviderTool(source: ToolLike): source is ProviderTool {
  const { type, run, invoke } = (source ?? {}) as Partial<ProviderTool>;
  return typeof type === "string" && typeof run !== "function" && typeof invoke !== "function";
}

/** Reads a tool in any form, also one that was read before. */
export function agentTool(given: ToolLike | AgentTool): AgentTool {
  if (given && "source" in given) return given;
  const source = given as ToolLike;
  const isOfProvider = isProviderTool(source);
  const { name: own, description, schema, returnDirect, run, invoke } = (source ?? {}) as PlainTool & LangChainTool;
  const name = own ?? (isOfProvider ? source.type : undefined);
  if (typeof name !== "string" || !(isOfProvider || typeof run === "function" || typeof invoke === "function"))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Invalid tool: expected a `name`, and `run` or `invoke`. Make one with tool({ name, run }).",
    );
  let parameters: object | undefined;
  const ofLangChain = typeof run !== "function";
  return {
    name,
    description: description ?? "",
    returnDirect: returnDirect === true,
    get parameters() {
      return (parameters ??= jsonSchemaOf(schema as AnySchema | undefined, name));
    },
    source,
    call: (call, runtime) =>
      ofLangChain ? invoked(source as LangChainTool, call, runtime) : ran(source as PlainTool, call, runtime),
  };
}

async function ran(source: PlainTool, call: ToolCall, runtime: ToolRuntime): Promise<ToolOutcome> {
  const checking = check(source.schema, call.args);
  const checked = checking instanceof Promise ? await checking : checking;
  if (Array.isArray(checked)) return refused(call, checked.join("\n"));
  return outcomeOf(await source.run(checked.value as never, runtime), call);
}

async function invoked(source: LangChainTool, call: ToolCall, runtime: ToolRuntime): Promise<ToolOutcome> {
  const config = configOf(runtime);
  config["config"] = { ...config };
  config["state"] = runtime.state;
  config["toolCall"] = call;
  config["toolCallId"] = runtime.toolCallId;
  config["interrupt"] = runtime.interrupt;
  config["writer"] = runtime.writer;
  try {
    return outcomeOf(await invokedInGraph(source, { ...call, type: "tool_call" }, config, runtime), call);
  } catch (error) {
    if (String((error as Error | null)?.message).startsWith("Received tool input did not match"))
      return refused(call, (error as Error).message);
    throw error;
  }
}

/** The message to a model whose arguments do not fit, in LangChain's words. */
const refused = (call: ToolCall, problems: string) =>
  toolMessage(
    call,
    `Error invoking tool '${call.name}' with kwargs ${JSON.stringify(call.args)} with error:\n ${problems}\n Please fix the error and try again.`,
    "error",
  );

/** Converts a tool's result into an update of the state. */
export function outcomeOf(value: unknown, call: ToolCall): ToolOutcome {
  if (isCommand(value)) return answering(value, call);
  if (typeOf(value) === "tool") {
    // An instance gets its id in place, as in LangGraph: a copy would lose its class. The id is saved by `lc_kwargs`.
    const message = value as { id?: unknown; lc_kwargs?: Fields };
    message.id ??= newId();
    if (message.lc_kwargs) message.lc_kwargs["id"] ??= message.id;
    return value as ToolOutcome;
  }
  return toolMessage(call, contentOf(value));
}

/**
 * A tool's command, in which the message that answers the call has the tool's name, as LangGraph has it.
 *
 * @throws an error if no message answers the call: models refuse such a history.
 */
function answering(command: Command, { id, name }: ToolCall): ToolOutcome {
  const { update, graph } = command as { update?: unknown; graph?: unknown };
  if (typeof update !== "object" || update === null) return command;
  const messages = [(update as Fields)["messages"] ?? []].flat();
  const answers = (one: unknown) => typeOf(one) === "tool" && (one as Fields)["tool_call_id"] === id;
  if (!messages.some(answers)) {
    const isCleared = messages.length === 1 && (messages[0] as Fields | null)?.["id"] === REMOVE_ALL_MESSAGES;
    if (isCleared || graph) return command;
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Expected to have a matching ToolMessage in Command.update for tool '${name}': every call needs an answer, a tool message with the call's id.`,
    );
  }
  if (messages.every((one) => !answers(one) || (one as Fields)["name"] === name)) return command;
  const told = messages.map((one) => (answers(one) ? named(one as Fields, name) : one));
  return withUpdate(command, (all) => ({ ...all, messages: told }));
}

/** Whether it is a command, of this package or of langgraph.js. */
export const isCommand = (value: unknown): value is Extract<ToolOutcome, { lg_name: unknown }> =>
  (value as Fields | null | undefined)?.["lg_name"] === "Command";

/** Reports that a middleware answered a call with an invalid value, in LangChain's words. */
export const invalidResponse = (hook: string, who: string, kind: string, came: unknown): ThreadfoldError =>
  new ThreadfoldError(
    "INVALID_ARGUMENT",
    `Invalid response from "${hook}" in middleware "${who}": expected ${kind} or Command, got ${typeof came}`,
  );

/** The command with this laid over its update; a message becomes a command. */
export function withUpdate(outcome: ToolOutcome, more: (update: Fields) => Fields): ToolOutcome {
  if (!isCommand(outcome)) return new Command({ update: more({ messages: [outcome] }) });
  const { update, goto, graph } = outcome as { update?: Fields } & Omit<Command, "update">;
  return new Command({ update: more({ ...update }), goto, graph } as never);
}

/** The methods that {@link mcpTools} needs of a client of the Model Context Protocol. */
export interface McpClient {
  listTools(params?: { cursor?: string }): Promise<{
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string | undefined;
      readonly inputSchema: object;
    }[];
    /** Where the next page begins; left out on the last one. */
    readonly nextCursor?: string | undefined;
  }>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the protocol's own types
  callTool(request: { name: string; arguments: any }): Promise<any>;
}

/**
 * Makes tools of all those that a client of the Model Context Protocol lists, page by page.
 *
 * @throws the client's errors; {@link ThreadfoldError} `INVALID_ARGUMENT` if the server's pages do not end.
 *
 * @example
 * ```ts
 * import { mcpTools } from "threadfold/agent";
 *
 * const client = {
 *   listTools: async () => ({ tools: [{ name: "now", description: "The time.", inputSchema: { type: "object" } }] }),
 *   callTool: async () => ({ content: [{ type: "text", text: "12:00" }] }),
 * };
 * const tools = await mcpTools(client);
 * console.log(tools.map(({ name }) => name)); // [ 'now' ]
 * ```
 */
export async function mcpTools(client: McpClient): Promise<PlainTool<Record<string, unknown>>[]> {
  return (await listedTools(client)).map(({ name, description, inputSchema }) => ({
    name,
    description,
    schema: inputSchema,
    run: async (args, { toolCall }) => {
      const { content, structuredContent, isError } = (await client.callTool({ name, arguments: args })) as Fields;
      const blocks = (Array.isArray(content) ? content : []) as Fields[];
      const text = blocks.every(({ type }) => type === "text") && blocks.map(({ text }) => text).join("\n");
      const shown = blocks.length > 0 ? text || blocks : (structuredContent ?? "");
      return toolMessage(toolCall, contentOf(shown), isError === true ? "error" : "success");
    },
  }));
}

type Listed = Awaited<ReturnType<McpClient["listTools"]>>["tools"];

/** How many pages of tools a server may have. */
const MOST_PAGES = 1000;

async function listedTools(client: McpClient): Promise<Listed> {
  const listed: Listed[number][] = [];
  const known = new Set<string>();
  let { tools, nextCursor: cursor } = await client.listTools();
  listed.push(...tools);
  while (cursor) {
    if (known.has(cursor) || known.size >= MOST_PAGES)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `mcpTools: the server's pages of tools do not end: got the cursor '${cursor.slice(0, 100)}' after page ${known.size + 1}. Let its last page have none.`,
      );
    known.add(cursor);
    ({ tools, nextCursor: cursor } = await client.listTools({ cursor }));
    listed.push(...tools);
  }
  return listed;
}
