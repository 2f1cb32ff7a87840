// The state that an AG-UI run starts with: `langgraph_default_merge_state` of src/merge_state.rs in Rust. The cases of
// js-tests/unit/ag-ui/merge-state.json hold the two to one answer.
import { choice } from "../shared/choices.js";
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions } from "../shared/options.js";
import { own, withFields } from "../shared/own-fields.js";
import { guarded } from "../shared/reading.js";
import { kindOf } from "../state/message-kind.js";
import { addMessages, type MessageLike, type MessageOf } from "../state/messages.js";
import { mergeTools, type Tool } from "../state/tools.js";
import { repairedAndNew, type Message } from "./merge-repair.js";

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
 * import { langGraphDefaultMergeState } from "threadfold/ag-ui";
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
  checkOptions("langGraphDefaultMergeState", options, ["compat"]);
  const compat = COMPATS[choice(options, "compat", COMPATS)] as Compat;
  return merged(state, messages, input, compat) as never;
}

type Compat = NonNullable<MergeStateOptions["compat"]>;
const COMPATS: readonly Compat[] = ["accumulate", "0.0.x", "current"];

function merged(givenState: unknown, givenMessages: unknown, givenInput: unknown, compat: Compat): object {
  const state = objectOf(givenState, "state");
  const input = objectOf(givenInput, "input");
  const existing = messagesOf(guarded(() => own(state, "messages")));
  const messages = messagesOf(givenMessages);
  const fresh = guarded(() => freshMessages(existing, withoutLeadingSystem(messages), compat));
  const known = listUnder(state, "state", "tools");
  const offered = listUnder(input, "input", "tools");
  const isCurrent = compat === "current";
  const tools = isCurrent ? mergeTools(offered, known) : mergeTools(known, offered);
  const context = listUnder(input, "input", "context");
  const agUi = isCurrent ? guarded(() => currentAgUi(input, tools, context)) : { tools, context };
  const fields = { messages: fresh, tools, "ag-ui": agUi };
  if (!isCurrent) return guarded(() => withFields(state, fields));
  const copilotkit = objectOf(
    guarded(() => own(state, "copilotkit")),
    "state.copilotkit",
  );
  return guarded(() => withFields(state, { ...fields, copilotkit: withFields(copilotkit, { actions: tools }) }));
}

/** Returns an object as it is; null counts as an empty one. */
function objectOf(value: unknown, what: string): object {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || guarded(() => Array.isArray(value))) throw invalid(what, "an object");
  return value;
}

/** Returns the list under a key; null counts as an empty one. */
function listUnder(of: object, what: string, key: string): object[] {
  const list = guarded(() => own(of, key));
  if (list === null || list === undefined) return [];
  if (!guarded(() => Array.isArray(list))) throw invalid(`${what}.${key}`, "a list");
  return list as object[];
}

const invalid = (what: string, form: string) => new ThreadfoldError("INVALID_ARGUMENT", `${what} should be ${form}.`);

/** Has the core read a list of messages, in any form. By DeepAgents' rules messages without an id stay so. */
const messagesOf = (given: unknown): readonly Message[] =>
  addMessages(given as readonly { type: "human"; content: string; id: string }[], [], { rules: "deepagents" });

function withoutLeadingSystem(messages: readonly Message[]): readonly Message[] {
  const [first] = messages;
  return first && kindOf(first) === "system" ? messages.slice(1) : messages;
}

function freshMessages(existing: readonly Message[], messages: readonly Message[], compat: Compat): readonly Message[] {
  const isKnown = knownIn(existing, messages);
  if (compat === "current") return repairedAndNew(existing, messages, isKnown);
  const fresh = isKnown.includes(true) ? messages.filter((_, at) => !isKnown[at]) : messages;
  if (compat === "0.0.x") return fresh;
  return fresh.length === 0 ? existing : existing.concat(fresh);
}

/** Returns for each message whether `existing` has its id. A missing id counts as an id, as in the reference. */
function knownIn(existing: readonly Message[], messages: readonly Message[]): boolean[] {
  const ids = new Set<unknown>();
  for (const { id } of existing) ids.add(id);
  const lacksId = (message: Message) => (own(message, "id") ?? null) === null;
  let hasNameless: boolean | undefined;
  const isKnown: boolean[] = [];
  for (const { id } of messages) {
    isKnown.push(typeof id === "string" ? ids.has(id) : (hasNameless ??= existing.some(lacksId)));
  }
  return isKnown;
}

/** The description that marks a context entry as the A2UI schema of the client. */
const A2UI_SCHEMA =
  "A2UI Component Schema — available components for generating UI surfaces. Use these component names and properties when creating A2UI operations.";

/** Returns `"ag-ui"` as 0.0.47 writes it: with the A2UI schema apart, and the caller's request for an A2UI tool. */
function currentAgUi(input: object, tools: readonly object[], context: readonly object[]): object {
  let hasSchema = false;
  let schema: unknown;
  const others: object[] = [];
  for (const entry of context) {
    if (own(entry, "description") === A2UI_SCHEMA) {
      hasSchema = true;
      schema = own(entry, "value");
    } else others.push(entry);
  }
  const flag = a2uiFlag(input);
  return {
    tools,
    context: hasSchema ? others : context,
    ...(schema !== undefined && schema !== null && { a2ui_schema: schema }),
    ...(flag !== undefined && { inject_a2ui_tool: flag }),
  };
}

function a2uiFlag(input: object): unknown {
  for (const key of ["inject_a2_u_i_tool", "injectA2UITool"])
    for (const forwarded of ["forwarded_props", "forwardedProps"]) {
      const flag = own(own(input, forwarded), key);
      if (flag !== undefined) return flag;
    }
  return undefined;
}
