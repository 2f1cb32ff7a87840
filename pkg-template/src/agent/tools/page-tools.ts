// The tools that an AG-UI client brings with a run. The model may call them; the page runs them.
import type { NodeContext } from "../../graph/given/node-context.js";
import type { ToolCall } from "../../state/messages.js";
import { PAGE_TOOLS } from "../../shared/page-tools.js";
import { openCalls } from "../message.js";
import type { AgentState, AgentTool, PlainTool } from "../types.js";
import { agentTool } from "./tools.js";

const NONE: readonly AgentTool[] = [];

/** The tools by the lists that came with runs: a run's model calls get the same list. */
const read = new WeakMap<object, readonly AgentTool[]>();
const sources = new WeakSet<object>();

/** Whether the page runs this tool. */
export const isPageTool = ({ source }: AgentTool): boolean => sources.has(source);

/** Returns the tools of the run's page. An agent inside another graph has none: its caller does not wait for the page. */
export function pageTools({ configurable }: NodeContext): readonly AgentTool[] {
  const given = (configurable as Record<string, unknown> | undefined)?.[PAGE_TOOLS];
  if (!Array.isArray(given) || String(configurable["checkpoint_ns"]).includes("|")) return NONE;
  let tools = read.get(given);
  if (!tools) read.set(given, (tools = (given as unknown[]).filter(isNamed).map(pageTool)));
  return tools;
}

interface Given {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
}

const isNamed = (tool: unknown): tool is Given => typeof (tool as Given | null)?.name === "string";

function pageTool({ name, description, parameters }: Given): AgentTool {
  const run = () => `Error: only the page can run ${name}.`;
  const source: PlainTool = { name, description: description ?? "", schema: parameters ?? { type: "object" }, run };
  sources.add(source);
  return agentTool(source);
}

/** Tells a run's calls of the page's tools from the agent's own. A tool of the agent counts before one of its name. */
export class PageCalls {
  readonly #own: (name: string) => boolean;

  /** @param own - Whether the agent has a tool of this name. */
  constructor(own: (name: string) => boolean) {
    this.#own = own;
  }

  /** Returns the calls that the agent runs itself. */
  withoutPage(calls: readonly ToolCall[], context: NodeContext): readonly ToolCall[] {
    const tools = pageTools(context);
    return tools.length === 0 ? calls : calls.filter((call) => !this.#isOfPage(call, tools));
  }

  /** Whether the last turn has a call that waits for the page. */
  areOpen({ messages }: AgentState, context: NodeContext): boolean {
    const tools = pageTools(context);
    if (tools.length === 0) return false;
    return openCalls(messages).some((call) => this.#isOfPage(call, tools));
  }

  #isOfPage({ name }: ToolCall, tools: readonly AgentTool[]): boolean {
    return !this.#own(name) && tools.some((tool) => tool.name === name);
  }
}
