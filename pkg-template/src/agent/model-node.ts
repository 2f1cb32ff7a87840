// The node `model`: asks the model, through the middlewares.
import { ThreadfoldError } from "../shared/errors.js";
import type { Command } from "../graph/build/command.js";
import type { NodeContext } from "../graph/given/node-context.js";
import type { LangChainMessage } from "../state/messages.js";
import { REMOVE_ALL_MESSAGES, removeMessage } from "../state/removal.js";
import type { Callbacks } from "./callbacks.js";
import { type AiMessage, callsOf, type Fields, named, typeOf, withId } from "./message.js";
import { callModel } from "./model/models.js";
import type { AgentModel, AgentState, AgentTool, Middleware, ModelRequest, ModelResponse } from "./types.js";
import { invalidCallsRepair } from "./model/invalid-calls.js";
import { withContext } from "./middleware/middleware.js";
import { structuredAnswer, type Structured } from "./model/structured.js";
import { inLine, type SystemPrompt, systemMessage } from "./model/system-message.js";
import { isPageTool, pageTools } from "./tools/page-tools.js";
import { agentTool, invalidResponse, isCommand, isProviderTool } from "./tools/tools.js";

/** The outcome of a model call, on its way through the middlewares. */
interface Answer {
  /** Undefined if a middleware only updated the state. */
  readonly message: AiMessage | undefined;
  /** Where a middleware gave messages of its own. */
  readonly response?: ModelResponse | undefined;
  readonly commands: readonly Command[];
}
type Handler = (request: ModelRequest) => Promise<Answer>;

export interface ModelNodeOptions {
  readonly model: AgentModel;
  readonly name: string | undefined;
  readonly systemPrompt: SystemPrompt | undefined;
  readonly tools: readonly AgentTool[];
  readonly middleware: readonly Middleware[];
  readonly structured: Structured | undefined;
  readonly format: ModelRequest["responseFormat"];
  readonly structuredOf: (format: ModelRequest["responseFormat"]) => Structured | undefined;
  readonly callbacks: Callbacks;
}

/** The answers in their schema's form, found at the model call, for a middleware that passes the message on. */
type Found = WeakMap<AiMessage, ModelResponse>;

/** Makes the node. */
export function modelNode(options: ModelNodeOptions) {
  const { model, tools, structured, format } = options;
  const system = systemMessage(options.systemPrompt);
  const systemPrompt = system.text;
  const found: Found = new WeakMap();
  const handler = options.middleware.reduceRight(around, asking(options, found));

  return async (state: AgentState, runtime: NodeContext): Promise<object> => {
    const repaired = invalidCallsRepair(state.messages);
    const messages = repaired ?? state.messages;
    const request: ModelRequest = {
      model,
      tools: withPage(tools, pageTools(runtime)),
      systemPrompt,
      systemMessage: system,
      responseFormat: format,
      messages,
      state,
      runtime,
    };
    const { message, response, commands } = await handler(request);
    if (message) checkCallsAreNew(message, messages);
    const answer = response ?? (message && found.get(message)) ?? { messages: message ? [withId(message)] : [] };
    const update: Fields = { messages: answer.messages };
    if (repaired) update["messages"] = [removeMessage(REMOVE_ALL_MESSAGES), ...repaired, ...answer.messages];
    if (answer.structuredResponse !== undefined || structured) update["structuredResponse"] = answer.structuredResponse;
    return commands.length > 0 ? [update, ...commands] : update;
  };
}

/**
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for an answer that repeats a message and one of its calls. It would
 *   replace that message, whose calls are answered: the loop would never end.
 */
function checkCallsAreNew(answer: AiMessage, messages: readonly LangChainMessage[]): void {
  const calls = callsOf(answer);
  if (calls.length === 0 || answer.id === undefined) return;
  const known = callsOf(messages.find(({ id }) => id === answer.id)).map(({ id }) => id);
  const again = calls.find(({ id }) => known.includes(id));
  if (again)
    throw new ThreadfoldError(
      "INVALID_MESSAGE",
      `The model answered with message '${answer.id}' and call '${again.id}' once more. Give each answer its own id, or none.`,
    );
}

/** Asks the model: the innermost handler. */
function asking(options: ModelNodeOptions, found: Found): Handler {
  const { name, structured, format, callbacks } = options;
  const toolsFor = toolsOf(options);
  return async (request) => {
    const { runtime } = request;
    const answers = request.responseFormat === format ? structured : options.structuredOf(request.responseFormat);
    const tools = toolsFor(request, answers);
    const messages = withSystem(request);
    const streamed = runtime.streams?.("messages");
    const answer = await callbacks.aroundModel(request, messages, () =>
      callModel(request.model, {
        messages,
        tools,
        toolChoice: answers ? "any" : request.toolChoice,
        settings: request.modelSettings,
        onChunk: streamed ? (chunk) => runtime.message(chunk) : undefined,
        runtime,
      }),
    );
    const message = name === undefined ? answer : named(answer, name);
    if (answers) found.set(message, await structuredAnswer(answers, message));
    return { message, commands: [] };
  };
}

/** The same list for the same tools of a page. */
const withPageTools = new WeakMap<readonly AgentTool[], WeakMap<readonly AgentTool[], readonly AgentTool[]>>();

/** Returns an agent's tools, and those of the page whose names it does not have. */
function withPage(tools: readonly AgentTool[], page: readonly AgentTool[]): readonly AgentTool[] {
  if (page.length === 0) return tools;
  let known = withPageTools.get(tools);
  if (!known) withPageTools.set(tools, (known = new WeakMap()));
  let all = known.get(page);
  if (!all) {
    const names = new Set(tools.map(({ name }) => name));
    known.set(page, (all = [...tools, ...page.filter(({ name }) => !names.has(name))]));
  }
  return all;
}

/** Returns the tools that a request's model is given: its own, and those by which it gives its answer. */
function toolsOf({ tools, middleware, structured }: ModelNodeOptions) {
  const known = new Set(tools.map(({ source }) => source));
  const isDynamic = middleware.some(({ wrapToolCall }) => wrapToolCall);
  // The same list for the same tools: models keep what they made of it.
  const withAnswers = new WeakMap<readonly AgentTool[], readonly AgentTool[]>();
  return (request: ModelRequest, answers: Structured | undefined): readonly AgentTool[] => {
    const isPlain = request.tools === tools || request.tools === withPage(tools, pageTools(request.runtime));
    const wanted = isPlain ? (request.tools as readonly AgentTool[]) : request.tools.map(agentTool);
    if (!isPlain && !isDynamic) checkTools(wanted, known);
    if (!answers) return wanted;
    const all = withAnswers.get(wanted) ?? [...wanted, ...[...answers.tools.values()].map(([tool]) => tool)];
    if (answers === structured) withAnswers.set(wanted, all);
    return all;
  };
}

function checkTools(given: readonly AgentTool[], known: ReadonlySet<unknown>): void {
  const unknown = given.filter((tool) => !known.has(tool.source) && !isProviderTool(tool.source) && !isPageTool(tool));
  if (unknown.length > 0)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Middleware added tools that the agent does not have: ${unknown.map((tool) => tool.name).join(", ")}. ` +
        "Give them to the agent, or run them in wrapToolCall.",
    );
}

/** The messages that the model is sent: the system message is the first, if it has a text. */
function withSystem({ systemMessage: system, messages }: ModelRequest): readonly LangChainMessage[] {
  if (!system.text) return messages;
  const first = typeOf(system) === "system" ? system : { type: "system", content: system.content };
  return [first as LangChainMessage, ...messages];
}

/** Puts a middleware around a handler. */
function around(inner: Handler, one: Middleware): Handler {
  const { wrapModelCall: wrap } = one;
  if (!wrap) return inner;
  return async (given) => {
    const request = withContext(one, given);
    // If a handler is called again, only its last answer counts.
    let last: Answer | undefined;
    const came = await wrap(request, (changed) =>
      inner(inLine(changed, request)).then((answer) => (last = answer).message as AiMessage),
    );
    const commands = last?.commands ?? [];
    if (isCommand(came)) return { message: undefined, ...last, commands: [...commands, checked(came)] };
    if (typeOf(came) === "ai") {
      const response = last?.response && came === last.message ? last.response : undefined;
      return { message: came as AiMessage, response, commands };
    }
    const response = came as ModelResponse | undefined;
    if (!Array.isArray(response?.messages)) throw invalidResponse("wrapModelCall", one.name, "AIMessage", came);
    const message = response.messages.find((message) => typeOf(message) === "ai") as AiMessage;
    return { message, response, commands: response.command ? [...commands, checked(response.command)] : commands };
  };
}

function checked(command: Command): Command {
  const { goto, resume, graph } = command as Command & Fields;
  const way =
    [goto].flat().length > 0 && goto !== undefined ? "goto" : resume !== undefined ? "resume" : graph && "graph";
  if (way)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `wrapModelCall: expected a command that only updates the state, got one with ${way}. Jump in beforeModel or afterModel.`,
    );
  return command;
}
