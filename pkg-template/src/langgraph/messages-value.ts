import { addMessages, type LangChainMessage, type MessageLike } from "threadfold";

/** As much of a Standard Schema as LangGraph asks of one. */
interface ListSchema<Input, Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "threadfold";
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    validate(value: unknown): { readonly value: Output };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/** A field of a `StateSchema`: what LangGraph's own `ReducedValue` is made of, without its 300 KB. */
export interface MessagesValue {
  readonly [marker: symbol]: true;
  readonly valueSchema: ListSchema<unknown, LangChainMessage[]>;
  readonly inputSchema: ListSchema<unknown, MessageLike | readonly MessageLike[]>;
  readonly reducer: (current: LangChainMessage[], next: MessageLike | readonly MessageLike[]) => LangChainMessage[];
  readonly jsonSchemaExtra: Record<string, unknown>;
  ValueType: LangChainMessage[];
  InputType: MessageLike | readonly MessageLike[];
}

/**
 * The counterpart of LangGraph's `MessagesValue` with {@link addMessages} for its reducer: instances stay instances,
 * dicts stay dicts.
 *
 * @example
 * ```ts
 * import { StateGraph, StateSchema } from "@langchain/langgraph";
 * import { messagesValue } from "threadfold/langgraph";
 *
 * const State = new StateSchema({ messages: messagesValue });
 * const graph = new StateGraph(State);
 * ```
 */
export const messagesValue = {
  // How LangGraph knows a field with a reducer.
  [Symbol.for("langgraph.state.reduced_value")]: true,
  valueSchema: listSchema<LangChainMessage[]>(() => []),
  inputSchema: listSchema<MessageLike | readonly MessageLike[]>(undefined),
  reducer: (current: LangChainMessage[], next: MessageLike | readonly MessageLike[]) =>
    addMessages(current, next as never) as LangChainMessage[],
  jsonSchemaExtra: { langgraph_type: "messages", description: "A list of chat messages" },
} as unknown as MessagesValue;

/** Takes anything: the reducer says what is no message. */
function listSchema<T>(initial: (() => T) | undefined): ListSchema<unknown, T> {
  const jsonSchema = () => ({ type: "array", items: {} });
  return {
    "~standard": {
      version: 1,
      vendor: "threadfold",
      validate: (value) => ({ value: value === undefined && initial ? initial() : (value as T) }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}
