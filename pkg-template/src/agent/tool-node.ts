// The node `tools`: runs the calls that it is sent, each through the middlewares.
import { ThreadfoldError } from "../shared/errors.js";
import type { Schema, Fields as SchemaFields } from "../state/schema.js";
import type { NodeContext } from "../graph/given/node-context.js";
import type { ToolCall } from "../state/messages.js";
import type { Callbacks } from "./callbacks.js";
import { lastTurn, openCalls, toolMessage, typeOf } from "./message.js";
import { withContext, withOwn } from "./middleware/middleware.js";
import { PageCalls } from "./tools/page-tools.js";
import { agentTool, invalidResponse, isCommand } from "./tools/tools.js";
import type { AgentState, AgentTool, Middleware, ToolCallRequest, ToolOutcome, ToolRuntime } from "./types.js";

type Handler = (request: ToolCallRequest) => Promise<ToolOutcome>;

/** Makes the node. It is sent one call, in a list. Sent none, it runs the last message's open calls. */
export function toolNode(
  tools: ReadonlyMap<string, AgentTool>,
  middleware: readonly Middleware[],
  schema: Schema<SchemaFields>,
  callbacks: Callbacks,
) {
  const all = [...tools.values()];
  const page = new PageCalls((name) => tools.has(name));
  const run: Handler = ({ tool, toolCall, runtime }) => {
    if (tool) return agentTool(tool).call(toolCall, runtime);
    const names = [...tools.keys()].join(", ");
    const said = `Error: ${toolCall.name} is not a valid tool, try one of [${names}].`;
    return Promise.resolve(toolMessage(toolCall, said, "error"));
  };
  const handler = middleware.reduceRight<Handler>((inner, one) => {
    const { name, wrapToolCall: wrap } = one;
    if (!wrap) return inner;
    return async (request) => {
      const came = await wrap(withContext(one, request), inner);
      if (typeOf(came) === "tool" || isCommand(came)) return came;
      throw invalidResponse("wrapToolCall", name, "ToolMessage", came);
    };
  }, run);

  return async (given: AgentState | readonly ToolCall[], ctx: NodeContext): Promise<object> => {
    const state = ctx.state as AgentState;
    const calls = Array.isArray(given) ? (given as readonly ToolCall[]) : page.withoutPage(openCallsOf(state), ctx);
    const ran = calls.map((toolCall) => {
      const own = { toolCall, toolCallId: toolCall.id ?? "", tools: all, schema };
      const runtime = withOwn(ctx, own) as NodeContext & ToolRuntime;
      return callbacks.aroundTool({ toolCall, tool: tools.get(toolCall.name), state, runtime }, handler);
    });
    // Mostly it is one: the node is sent each call by itself.
    const outcomes = ran.length === 1 ? [await (ran[0] as Promise<ToolOutcome>)] : await Promise.all(ran);
    if (!outcomes.some(isCommand)) return { messages: outcomes };
    return outcomes.map((outcome) => (isCommand(outcome) ? outcome : { messages: [outcome] }));
  };
}

function openCallsOf({ messages }: AgentState): readonly ToolCall[] {
  if (!lastTurn(messages).ai) throw new ThreadfoldError("INVALID_STATE", "No AIMessage found in input");
  return openCalls(messages);
}
