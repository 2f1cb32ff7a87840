import { ThreadfoldError } from "../errors.js";
import { defineSchema, type Schema } from "threadfold";
import type { Fields as SchemaFields } from "../schema.js";
import type { JumpTarget, Middleware, NodeHook } from "./types.js";

/**
 * Makes a middleware: fields of the state, tools, and hooks around the loop of an agent, by the names that LangChain gives
 * them. `beforeAgent`, `beforeModel`, `afterModel` and `afterAgent` are nodes of the graph; `wrapModelCall` and
 * `wrapToolCall` are around what the nodes `model` and `tools` do.
 *
 * A hook that returns `jumpTo` goes another way, if it declares that: `{ canJumpTo: ["end"], hook }`.
 *
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for a middleware without a name.
 *
 * @example
 * ```ts
 * import { createAgent, createMiddleware } from "threadfold/agent";
 *
 * const polite = createMiddleware({
 *   name: "Polite",
 *   wrapModelCall: (request, handler) => handler({ ...request, systemPrompt: "Be polite." }),
 *   beforeModel: {
 *     canJumpTo: ["end"],
 *     hook: ({ messages }) => (messages.length > 10 ? { jumpTo: "end" } : undefined),
 *   },
 * });
 * const model = async (messages: readonly { content: unknown }[]) => `I was told: ${String(messages[0]?.content)}`;
 * const { messages } = await createAgent({ model, middleware: [polite] }).invoke({ messages: "Hi" });
 * console.log(messages.at(-1)?.content); // I was told: Be polite.
 * ```
 */
export function createMiddleware<const F extends SchemaFields = Record<never, never>>(
  middleware: Middleware<F>,
): Middleware<F> {
  if (typeof middleware?.name !== "string" || middleware.name === "")
    throw new ThreadfoldError("INVALID_VALUE", "A middleware should have a name: its hooks are nodes of that name.");
  return middleware;
}

type Hook = Extract<NodeHook, (...args: never) => unknown>;

/** A hook's function, and where it may jump to. */
export function hookOf(hook: NodeHook): { run: Hook; canJumpTo: readonly JumpTarget[] } {
  if (typeof hook === "function") return { run: hook, canJumpTo: [] };
  return { run: hook.hook, canJumpTo: hook.canJumpTo ?? [] };
}

/** The schema of a middleware, which may give bare fields. */
export function schemaOf(schema: Schema<SchemaFields> | SchemaFields): Schema<SchemaFields> {
  const isSchema = typeof (schema as Partial<Schema<SchemaFields>>).step === "function";
  return isSchema ? (schema as Schema<SchemaFields>) : defineSchema(schema as SchemaFields);
}
