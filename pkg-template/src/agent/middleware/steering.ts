import { callsOf, lastTurn } from "../message.js";
import type { AgentState, Runtime } from "../types.js";
import { createMiddleware } from "./middleware.js";

/**
 * Brings the messages that a user sends into a run under way, by a runner's `whileRunning: "steer"`, before the next call
 * of the model. One that comes while the last answer streams has the model called once more. Wherever you list it, it is
 * the first: what others do before each model call, as `piiMiddleware`, they do to these messages, too. Limits count, and
 * calls that wait for an approval or for the page wait all the same.
 *
 * @example
 * ```ts
 * import { Thread, type AgUiState } from "threadfold";
 * import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
 * import { createAgent, steeringMiddleware } from "threadfold/agent";
 *
 * let hasBegun = () => {};
 * const begun = new Promise<void>((resolve) => (hasBegun = resolve));
 * // In place of a model: writes until it is steered.
 * const model = async (messages: readonly { content: unknown }[]) => {
 *   if (messages.length > 1) return `Stopped: ${String(messages.at(-1)?.content)}`;
 *   hasBegun();
 *   await new Promise((resolve) => setTimeout(resolve, 50));
 *   return "Once upon a time …";
 * };
 * const agent = createAgent({ model, middleware: [steeringMiddleware()] });
 * const thread = new Thread<AgUiState>();
 * const runner = new AgUiRunner(thread, { transport: graphTransport(agent), whileRunning: "steer" });
 * const first = runner.sendMessage("A long story");
 * await begun;
 * await Promise.all([first, runner.sendMessage("Shorter")]);
 * const texts = thread.getState().messages.map(({ content }) => content);
 * console.log(texts.join(" | ")); // A long story | Once upon a time … | Shorter | Stopped: Shorter
 * ```
 */
export function steeringMiddleware() {
  const arrived = ({ inbox }: Runtime) => {
    const messages = inbox();
    return messages.length > 0 ? { messages } : undefined;
  };
  return createMiddleware({
    name: "SteeringMiddleware",
    beforeModel: (_, runtime) => arrived(runtime),
    afterModel: {
      canJumpTo: ["model"],
      hook: ({ messages }, runtime) => {
        if (isWaiting(messages)) return undefined;
        const update = arrived(runtime);
        return update && { ...update, jumpTo: "model" };
      },
    },
  });
}

/** Whether calls of the model's have no result yet. */
function isWaiting(messages: AgentState["messages"]): boolean {
  const { ai, results } = lastTurn(messages);
  const answered = new Set(results.map(({ tool_call_id: id }) => id));
  return callsOf(ai).some(({ id }) => !answered.has(id as string));
}
