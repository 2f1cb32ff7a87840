// An answer that has a schema: the model gives it by calling a tool that is not run.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions } from "../../shared/options.js";
import type { LangChainMessage } from "../../state/messages.js";
import { type AiMessage, callsOf, type Fields, toolMessage } from "../message.js";
import { check, jsonSchemaOf } from "../tools/schema-checks.js";
import type { AgentTool, AnySchema, ResponseFormat, ToolStrategy } from "../types.js";

/**
 * Says how an answer with a schema is asked for, as LangChain's `toolStrategy` does. `responseFormat` takes a bare
 * schema, too.
 *
 * @example
 * ```ts
 * import { createAgent, toolStrategy } from "threadfold/agent";
 *
 * const schema = { title: "Answer", type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
 * const agent = createAgent({
 *   model: async () => ({ content: "", tool_calls: [{ id: "c1", name: "Answer", args: { n: 42 } }] }),
 *   responseFormat: toolStrategy(schema, { toolMessageContent: "Thank you." }),
 * });
 * const { structuredResponse } = await agent.invoke({ messages: "What is 6 × 7?" });
 * console.log(structuredResponse); // { n: 42 }
 * ```
 */
export function toolStrategy<T = unknown>(
  schema: AnySchema<T> | readonly AnySchema<T>[],
  options: Partial<Omit<ToolStrategy, "schemas">> & {
    /** langchain.js's name of `handleErrors`. */
    readonly handleError?: ToolStrategy["handleErrors"] | undefined;
  } = {},
): ToolStrategy<T> {
  checkOptions("toolStrategy", options, ["handleErrors", "handleError", "toolMessageContent"]);
  const { handleError = true, ...rest } = options;
  return { handleErrors: handleError, ...rest, schemas: Array.isArray(schema) ? schema : [schema as AnySchema<T>] };
}

/**
 * The model's answer did not fit (its `name` is then `StructuredOutputValidationError`), or there was more than one
 * (`MultipleStructuredOutputsError`). It is thrown where `handleErrors` is false.
 */
export class StructuredOutputError extends Error {
  override readonly name: string;
  readonly aiMessage: AiMessage;

  constructor(message: string, aiMessage: AiMessage, name = "StructuredOutputError") {
    super(message);
    this.name = name;
    this.aiMessage = aiMessage;
  }
}

/** A response format as an agent works with it. */
export interface Structured {
  readonly strategy: ToolStrategy;
  readonly tools: ReadonlyMap<string, readonly [tool: AgentTool, schema: AnySchema]>;
}

/** Reads a response format. */
export function structuredOf(format: ResponseFormat | undefined): Structured | undefined {
  if (format === undefined || format === null) return undefined;
  if (typeof format !== "object" && typeof format !== "function")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Expected a schema or toolStrategy(schema) as the responseFormat, got ${typeof format}.`,
    );
  if ([format].flat().some(isOfLangChain))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "The responseFormat is a strategy of langchain.js. Pass its schema, or toolStrategy(schema) of threadfold/agent.",
    );
  const strategy = "schemas" in format ? (format as ToolStrategy) : toolStrategy(format);
  const tools = strategy.schemas.map((schema, at) => {
    const json = jsonSchemaOf(schema, "responseFormat") as { title?: string; description?: string };
    const name = json.title ?? (at === 0 ? "extract" : `extract-${at + 1}`);
    const tool: AgentTool = {
      name,
      description: json.description ?? "",
      returnDirect: false,
      parameters: json,
      source: { name, run: () => undefined },
      call: () =>
        Promise.reject(new ThreadfoldError("INVALID_ARGUMENT", `'${name}' is the answer, not a tool to run.`)),
    };
    return [name, [tool, schema]] as const;
  });
  return { strategy, tools: new Map(tools) };
}

/** Whether it is a `ToolStrategy` or a `ProviderStrategy` of langchain.js, which would pass for JSON Schema. */
const isOfLangChain = (format: unknown) =>
  typeof format === "object" && format !== null && "schema" in format && !("~standard" in format);

/** Returns the result of an answer: messages to add after it, and the answer in its schema's form. */
export async function structuredAnswer(
  { strategy, tools }: Structured,
  answer: AiMessage,
): Promise<{ messages: LangChainMessage[]; structuredResponse?: unknown }> {
  const calls = callsOf(answer).filter(({ name }) => tools.has(name));
  const [call] = calls;
  if (!call) return { messages: [answer] };
  const fail = (text: string, name: string) => {
    const { handleErrors: handle } = strategy;
    const error = new StructuredOutputError(text, answer, name);
    if (handle === false) throw error;
    const said =
      handle === true
        ? `Error: ${text}\n Please fix your mistakes.`
        : typeof handle === "string"
          ? handle
          : handle(error);
    return { messages: [answer, ...calls.map((one) => toolMessage(one, said))] };
  };
  if (calls.length > 1) {
    const names = calls.map(({ name }) => name).join(", ");
    return fail(
      `Model incorrectly returned multiple structured responses (${names}) when only one is expected.`,
      "MultipleStructuredOutputsError",
    );
  }
  const checked = await check(tools.get(call.name)?.[1], call.args);
  if (Array.isArray(checked))
    return fail(
      `Failed to parse structured output for tool '${call.name}': ${checked.join("; ")}.`,
      "StructuredOutputValidationError",
    );
  const { value } = checked as { value: Fields };
  const said = strategy.toolMessageContent ?? `Returning structured response: ${JSON.stringify(value)}`;
  return { messages: [answer, toolMessage(call, said)], structuredResponse: value };
}
