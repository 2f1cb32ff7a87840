import * as core from "#core";
import { choice, COMPATS } from "../shared/choices.js";
import type { MessageLike, MessageOf } from "./messages.js";
import type { Tool } from "./tools.js";

/** The part of an AG-UI `RunAgentInput` that {@link langGraphDefaultMergeState} reads. */
export interface RunInput {
  tools?: readonly object[] | null | undefined;
  context?: readonly object[] | null | undefined;
  forwardedProps?: unknown;
}

export interface MergeStateOptions {
  /**
   * Which version of ag-ui-langgraph to follow. `"0.0.x"`: 0.0.14 to 0.0.25, `messages` are only the new ones.
   * `"current"`: 0.0.47, which also puts the input's tools first and repairs messages. `"accumulate"`, the
   * default: as `"0.0.x"`, but `messages` are the whole list.
   */
  compat?: "accumulate" | "0.0.x" | "current" | undefined;
}

/** A state after {@link langGraphDefaultMergeState}. */
export type MergedState<S, M> = Omit<S, "messages" | "tools" | "ag-ui"> & {
  messages: M[];
  tools: Tool[];
  "ag-ui": { tools: Tool[]; context: object[]; a2ui_schema?: unknown; inject_a2ui_tool?: unknown };
};

/**
 * Returns the state that an AG-UI run starts with, as ag-ui-langgraph's `langgraph_default_merge_state` makes it:
 * `state` with the messages that it does not have yet, and the tools and context of the run's input.
 *
 * Drops a system message that comes first in `messages`. Leaves the state's other keys as they are.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`.
 *
 * @example
 * ```ts
 * import { langGraphDefaultMergeState } from "threadfold";
 *
 * const state = { messages: [{ type: "human", id: "1", content: "a" }], mood: "calm" };
 * const merged = langGraphDefaultMergeState(state, [{ type: "human", id: "2", content: "b" }], {
 *   tools: [{ name: "search" }],
 * });
 * console.log(merged.messages.length, merged["ag-ui"].tools.length, merged.mood); // 2 1 calm
 * ```
 */
export function langGraphDefaultMergeState<S extends object, M extends MessageLike>(
  state: S,
  messages: readonly M[],
  input: RunInput,
  options?: MergeStateOptions,
): MergedState<S, MessageOf<M | (S extends { messages: readonly (infer Known)[] } ? Known : never)>> {
  const compat = choice(options, "compat", COMPATS);
  return core.call(() =>
    core.value(core.langGraphDefaultMergeState(core.hold(state), core.hold(messages), core.hold(input), compat)),
  );
}
