import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { graphReducer } from "./graph-reducer.js";

type MessagesUpdate = BaseMessageLike | readonly BaseMessageLike[];

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

/** A field of a `StateSchema`: what LangGraph's own `ReducedValue` is made of. */
export interface MessagesValue {
  readonly [marker: symbol]: true;
  readonly valueSchema: ListSchema<unknown, BaseMessage[]>;
  readonly inputSchema: ListSchema<unknown, MessagesUpdate>;
  readonly reducer: (current: BaseMessage[], next: MessagesUpdate) => BaseMessage[];
  readonly jsonSchemaExtra: Record<string, unknown>;
  ValueType: BaseMessage[];
  InputType: MessagesUpdate;
}

/**
 * LangGraph's `MessagesValue` with {@link graphReducer} for its reducer.
 *
 * @example
 * ```ts
 * import { StateGraph, StateSchema } from "@langchain/langgraph";
 * import { messagesValue } from "threadfold/langgraph/core";
 *
 * const State = new StateSchema({ messages: messagesValue });
 * const graph = new StateGraph(State);
 * ```
 */
export const messagesValue = {
  // By this LangGraph knows a field with a reducer.
  [Symbol.for("langgraph.state.reduced_value")]: true,
  valueSchema: listSchema<BaseMessage[]>(() => []),
  inputSchema: listSchema<MessagesUpdate>(undefined),
  reducer: graphReducer,
  jsonSchemaExtra: { langgraph_type: "messages", description: "A list of chat messages" },
} as unknown as MessagesValue;

/** Makes a schema that accepts anything: the reducer refuses invalid messages. */
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
