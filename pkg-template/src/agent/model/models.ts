// Models in every form that is taken, as one: `@langchain/core`'s, the AI SDK's, a function.
import { ThreadfoldError } from "../../shared/errors.js";
import type { ToolCall } from "../../state/messages.js";
import { chunkOf, type ModelCall } from "./model-call.js";
import { configOf, ownSignal } from "../runtime-config.js";
import { callAiSdk } from "./ai-sdk.js";
import { newId } from "../../shared/new-id.js";
import { type AiMessage, callsOf, checkedAnswer, type Fields, typeOf, withCallIds } from "../message.js";
import { isProviderTool } from "../tools/tools.js";
import type {
  AgentModel,
  AgentTool,
  AiSdkModel,
  FunctionModel,
  LangChainModel,
  ModelOptions,
  ToolCallPiece,
} from "../types.js";

/** Calls a model in any form. Throws at once if it is invalid. */
export function callModel(model: AgentModel, call: ModelCall): Promise<AiMessage> {
  if (typeof (model as AiSdkModel | null)?.doGenerate === "function") return callAiSdk(model as AiSdkModel, call);
  if (typeof (model as LangChainModel | null)?.invoke === "function")
    return callLangChain(model as LangChainModel, call);
  if (typeof model === "function") return callFunction(model, call);
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    `Expected a model with \`invoke\` (LangChain) or \`doGenerate\` (the AI SDK), or a function, got ${typeof model}. A model's name is not enough.`,
  );
}

async function callFunction(model: FunctionModel, call: ModelCall): Promise<AiMessage> {
  const { messages, tools, toolChoice, settings, runtime, onChunk } = call;
  const id = newId();
  const onToken = (text: string) => onChunk?.(chunkOf(id, text));
  const onToolCall = (piece: ToolCallPiece) => onChunk?.(chunkOf(id, "", [{ args: "", ...piece }]));
  const options: ModelOptions = {
    tools,
    toolChoice,
    settings,
    get signal() {
      return runtime.signal;
    },
    onToken,
    onToolCall,
  };
  const came = await model(messages, options);
  if (typeof came === "string") return { type: "ai", id, content: came };
  checkCalls(callsOf(checkedAnswer(came)));
  const answer = withCallIds(came);
  if (typeOf(answer) === "ai" && "type" in answer) return answer as AiMessage;
  const { role: _, ...rest } = answer as Fields;
  return { type: "ai", id, content: "", ...rest } as AiMessage;
}

/** Checks the calls of a function's answer. */
function checkCalls(calls: readonly ToolCall[]): void {
  for (const { name, args } of calls as readonly Partial<ToolCall>[]) {
    if (typeof name === "string" && typeof args === "object" && args !== null) continue;
    const which = typeof name === "string" ? `The model's call of '${name}'` : "A tool call of the model";
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `${which} is invalid: expected { name, args, id }, with a text for name and an object for args.`,
    );
  }
}

/** A model with tools bound: binding is dear, and the tools are mostly the same ones. */
const bound = new WeakMap<object, WeakMap<readonly AgentTool[], [choice: unknown, model: LangChainModel]>>();

function bind(model: LangChainModel, { tools, toolChoice, settings }: ModelCall): LangChainModel {
  if (tools.length === 0) return model;
  if (!model.bindTools)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "The agent has tools, but its model has no `bindTools`. Use a chat model that has it, or a function.",
    );
  let known = bound.get(model);
  if (!known) bound.set(model, (known = new WeakMap()));
  const last = known.get(tools);
  if (last && last[0] === toolChoice && !settings) return last[1];
  const choice = typeof toolChoice === "object" && "name" in toolChoice ? toolChoice.name : toolChoice;
  const options = choice === undefined ? settings : { ...settings, tool_choice: choice };
  const made = model.bindTools(tools.map(forLangChain), ...(options ? [options] : [])) as LangChainModel;
  if (!settings) known.set(tools, [toolChoice, made]);
  return made;
}

/** A tool as LangChain binds it: its own kind and a provider's as they are, others in OpenAI's form. */
function forLangChain(tool: AgentTool): unknown {
  const { source, name, description } = tool;
  if ("invoke" in source || isProviderTool(source)) return source;
  return { type: "function", function: { name, description, parameters: tool.parameters } };
}

function callLangChain(model: LangChainModel, call: ModelCall): Promise<AiMessage> {
  const { runtime, onChunk, messages, tools, settings } = call;
  const ready = bind(model, call);
  const isRunnable = (model as { lc_runnable?: boolean }).lc_runnable === true;
  const options = { ...(isRunnable ? configOf(runtime) : ownSignal(runtime)), ...(tools.length === 0 && settings) };
  if (!onChunk || !ready.stream || isRunnable) return answered(ready.invoke(messages, options));
  return streamed(ready.stream(messages, options) as Promise<AsyncIterable<Chunk>>, onChunk);
}

const answered = async (coming: Promise<unknown>) => withCallIds(checkedAnswer(await coming) as AiMessage);

type Chunk = Fields & { concat(more: Chunk): Chunk };

async function streamed(stream: Promise<AsyncIterable<Chunk>>, onChunk: (chunk: object) => void): Promise<AiMessage> {
  let whole: Chunk | undefined;
  let id: unknown;
  for await (const chunk of await stream) {
    // The chunks of a message are known by its id.
    id ??= chunk["id"] ?? newId();
    chunk["id"] ??= id;
    whole = whole ? whole.concat(chunk) : chunk;
    onChunk(chunk);
  }
  return withCallIds(whole ? wholeMessage(whole, id) : { type: "ai", id: newId(), content: "" }) as AiMessage;
}

/** The message that its chunks make. */
function wholeMessage(chunk: Fields, id: unknown): Fields {
  const message: Fields = { type: "ai", id, content: chunk["content"] };
  for (const field of ["name", "tool_calls", "invalid_tool_calls", "usage_metadata"]) {
    const value = chunk[field];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) message[field] = value;
  }
  for (const field of ["additional_kwargs", "response_metadata"]) message[field] = chunk[field] ?? {};
  return message;
}
