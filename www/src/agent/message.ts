// The messages of the page's graph, and the models that answer them.
import type { NodeContext } from "threadfold/graph";

/** A message of the graph, as much of it as is read here. */
export interface Message {
  readonly type: "human" | "ai" | "tool";
  readonly id: string;
  readonly content: string;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Answers a conversation. It streams its text to `ctx.message`. */
export type Model = (messages: readonly Message[], ctx: NodeContext) => Promise<Message>;
