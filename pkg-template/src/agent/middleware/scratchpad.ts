import { field } from "../../state/fields.js";
import { Command } from "../../graph/build/command.js";
import { checkOptions } from "../../shared/options.js";
import type { ToolCall } from "../../state/messages.js";
import { type AiMessage, callsOf, typeOf } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { withUpdate } from "../tools/tools.js";
import type { ToolOutcome } from "../types.js";

/** One step of an agent, as its scratchpad keeps it. */
type ScratchpadEntry = { readonly step: number; readonly node: string; readonly note: unknown };

/** Options of {@link scratchpadMiddleware}. */
export interface ScratchpadOptions {
  /** How many steps are kept: the last 50. */
  readonly limit?: number | undefined;
  /** The note about a step; undefined for none. By default the calls of an answer and the size of a result. */
  readonly note?:
    | ((
        step: { readonly message: AiMessage } | { readonly toolCall: ToolCall; readonly result: ToolOutcome },
      ) => unknown)
    | undefined;
}

/**
 * Keeps notes of the steps of an agent in the private field `scratchpad`, which `getState` shows and no run returns.
 *
 * @example
 * ```ts
 * import { createAgent, scratchpadMiddleware } from "threadfold/agent";
 * import { MemorySaver } from "threadfold/graph";
 *
 * const agent = createAgent({
 *   model: async () => "Hello.",
 *   middleware: [scratchpadMiddleware({ note: (step) => "message" in step && step.message.content })],
 *   checkpointer: new MemorySaver(),
 * });
 * await agent.invoke({ messages: "Hi" }, { threadId: "t" });
 * const { values } = await agent.getState({ threadId: "t" });
 * console.log(values.scratchpad?.map(({ node, note }) => `${node}: ${String(note)}`)); // [ 'model: Hello.' ]
 * ```
 */
export function scratchpadMiddleware(options: ScratchpadOptions = {}) {
  const { limit = 50, note = usual } = options;
  checkOptions("scratchpadMiddleware", options, ["limit", "note"]);
  const reducer = (kept: readonly ScratchpadEntry[], more: readonly ScratchpadEntry[]) =>
    [...kept, ...more].slice(-limit);
  const entry = (runtime: { readonly step: number; readonly node: string }, said: unknown) => ({
    scratchpad: said === undefined ? [] : [{ step: runtime.step, node: runtime.node, note: said }],
  });
  return createMiddleware({
    name: "ScratchpadMiddleware",
    stateSchema: {
      scratchpad: field.reducer<readonly ScratchpadEntry[]>(reducer, { default: () => [], private: true }),
    },
    wrapModelCall: async (request, handler) => {
      const message = await handler(request);
      return { messages: [message], command: new Command({ update: entry(request.runtime, note({ message })) }) };
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      const result = await handler(request);
      const noted = entry(runtime, note({ toolCall, result }));
      return withUpdate(result, (update) => ({ ...update, ...noted }));
    },
  });
}

const usual: NonNullable<ScratchpadOptions["note"]> = (step) =>
  "message" in step
    ? { calls: callsOf(step.message).map(({ name }) => name) }
    : { tool: step.toolCall.name, said: typeOf(step.result) === "tool" };
