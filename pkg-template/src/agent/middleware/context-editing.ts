import { clearToolUses, type ClearToolUsesOptions } from "../../context/clear.js";
import { countTokens } from "../../context/count.js";
import type { ContextLimit } from "../../context/policy.js";
import { checkOptions } from "../../shared/options.js";
import type { LangChainMessage } from "../../state/messages.js";
import { type Fields, typeOf } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { withMessages } from "./request-changes.js";

/** The parameters of an edit in LangChain's form: it changes `messages` in place. */
export interface ContextEditParams {
  readonly messages: LangChainMessage[];
  /** The model to call: its `profile` has its input limit. */
  readonly model?: unknown;
  countTokens(messages: readonly LangChainMessage[]): number | Promise<number>;
}

/** An edit of the model's input: the options of {@link clearToolUses}, a function, or an object with `apply`. */
export type ContextEdit =
  | ClearToolUsesEditOptions
  | ((messages: readonly LangChainMessage[]) => readonly LangChainMessage[])
  | { apply(params: ContextEditParams): void | Promise<void> };

/** Options of {@link ClearToolUsesEdit}: those of {@link clearToolUses}, with LangChain's measures. */
export interface ClearToolUsesEditOptions extends Omit<ClearToolUsesOptions<LangChainMessage>, "trigger" | "keep"> {
  /** When to clear: over so many tokens (100,000), or when all measures of one of these are reached. */
  readonly trigger?: number | ContextLimit | readonly ContextLimit[] | undefined;
  /** How many of the last results stay (3), or how many tokens of them. */
  readonly keep?: number | ContextLimit | undefined;
}

/**
 * Clears old tool results: LangChain's edit for {@link contextEditingMiddleware}, which takes its options as they are,
 * too.
 *
 * @example
 * ```ts
 * import { ClearToolUsesEdit, contextEditingMiddleware } from "threadfold/agent";
 *
 * const edit = new ClearToolUsesEdit({ trigger: { messages: 20 }, keep: { messages: 2 } });
 * console.log(contextEditingMiddleware({ edits: [edit] }).name); // ContextEditingMiddleware
 * ```
 */
export class ClearToolUsesEdit {
  readonly #options: ClearToolUsesEditOptions;

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind, and for those that there are not. */
  constructor(options: ClearToolUsesEditOptions = {}) {
    const { trigger: _, keep: __, ...rest } = options;
    clearToolUses([], rest);
    this.#options = options;
  }

  async apply({ messages, model, countTokens: count }: ContextEditParams): Promise<void> {
    const { trigger, keep = 3, ...rest } = this.#options;
    const most = (model as { profile?: { maxInputTokens?: number } } | undefined)?.profile?.maxInputTokens ?? NaN;
    let tokens: number | undefined;
    if (typeof trigger === "object") {
      const now = (tokens = await count(messages));
      const isDue = ({ messages: many = 0, tokens: much = 0, fraction = 0 }: ContextLimit) =>
        messages.length >= many && now >= much && (!fraction || now >= fraction * most);
      if (![trigger].flat().some(isDue)) return;
    }
    let kept = typeof keep === "number" ? keep : keep.messages;
    if (kept === undefined) {
      const { tokens: room = ((keep as ContextLimit).fraction ?? 0) * most } = keep as ContextLimit;
      const results = messages.filter((message) => typeOf(message) === "tool");
      for (let used = (kept = 0); kept < results.length; kept++)
        if (!((used += await count([results.at(-1 - kept) as LangChainMessage])) <= room)) break;
    }
    const settled = { ...rest, trigger: typeof trigger === "object" ? -1 : trigger, keep: kept };
    messages.splice(0, messages.length, ...clearToolUses(messages, settled, tokens));
  }
}

/**
 * Edits what the model is sent, as LangChain's `contextEditingMiddleware` does: by default old tool results are cleared
 * once there are 100,000 tokens. The messages of the state stay whole.
 *
 * The cleared results change from call to call, which costs prompt cache hits. `clearToolUses` of
 * {@link summarizationMiddleware} remembers how far it has cleared.
 *
 * @example
 * ```ts
 * import { contextEditingMiddleware, createAgent } from "threadfold/agent";
 *
 * const agent = createAgent({
 *   model: async (messages) => `The tool said: ${String(messages[1]?.content)}`,
 *   middleware: [contextEditingMiddleware({ edits: [{ trigger: 10, keep: 0 }] })],
 * });
 * const { messages } = await agent.invoke({
 *   messages: [
 *     { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *     { type: "tool", content: "a long text", tool_call_id: "c1" },
 *   ],
 * });
 * console.log(messages[1]?.content, "|", messages[2]?.content); // a long text | The tool said: [cleared]
 * ```
 */
export function contextEditingMiddleware(options: { readonly edits?: readonly ContextEdit[] | undefined } = {}) {
  // LangChain's second argument chooses how tokens are counted.
  const { edits: given = [{}], tokenCountMethod: _ } = options as typeof options & Fields;
  checkOptions("contextEditingMiddleware", options, ["edits", "tokenCountMethod"]);
  const edits = given.map((one) => (typeof one === "function" || "apply" in one ? one : new ClearToolUsesEdit(one)));
  return createMiddleware({
    name: "ContextEditingMiddleware",
    wrapModelCall: async (request, handler) => {
      let { messages } = request;
      for (const one of edits) {
        if (typeof one === "function") {
          messages = one(messages);
          continue;
        }
        const edited = [...messages];
        await one.apply({ messages: edited, model: request.model, countTokens });
        // An unchanged list stays the same object, so that its cached facts stay valid.
        if (edited.length !== messages.length || edited.some((one, at) => one !== messages[at])) messages = edited;
      }
      return handler(withMessages(request, messages));
    },
  });
}
