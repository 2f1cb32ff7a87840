// The loop of an agent: the nodes of the hooks, and the edges between them, the model and the tools.
import { END, Send, START } from "../graph/build/command.js";
import type { NodeContext } from "../graph/given/node-context.js";
import type { ToolCall } from "../state/messages.js";
import { afterModel } from "./decide.js";
import { callsOf, lastTurn, openCalls } from "./message.js";
import { hookOf, withContext } from "./middleware/middleware.js";
import { PageCalls } from "./tools/page-tools.js";
import type { AgentState, AgentTool, JumpTarget, Middleware, NodeHook } from "./types.js";

/** The state as the edges see it. */
interface LoopState extends AgentState {
  readonly jumpTo?: JumpTarget | undefined;
}

/** The nodes that a condition leads to. */
type Ends = readonly string[] | Readonly<Record<string, string>>;

/** The builder, without the types of a state that is known only now. */
export interface Builder {
  addNode(name: string, node: unknown, options?: object): unknown;
  addEdge(from: string, to: string): unknown;
  addConditionalEdges(from: string, path: (state: LoopState, context: NodeContext) => unknown, ends: Ends): unknown;
  compile(options: object): unknown;
}

const NODES = {
  beforeAgent: "before_agent",
  beforeModel: "before_model",
  afterModel: "after_model",
  afterAgent: "after_agent",
};
type HookName = keyof typeof NODES;

/** A hook, as a node of the graph. */
interface HookNode {
  readonly node: string;
  readonly canJumpTo: readonly JumpTarget[];
}

/** Where a hook's jumps lead. */
type Targets = Readonly<Record<JumpTarget, string>>;
type Tools = ReadonlyMap<string, AgentTool>;
type Answers = ReadonlyMap<string, unknown>;

/** Adds the nodes of the hooks, and the edges between them, the model and the tools. */
export function addLoop(
  graph: Builder,
  middleware: readonly Middleware[],
  tools: Tools,
  answers: Answers = new Map(),
  hasTools: boolean,
): void {
  const { beforeAgent, beforeModel, afterModel: afterModels, afterAgent } = hookNodes(graph, middleware);
  /** Where each turn begins, and where the run ends. */
  const entry = beforeModel[0]?.node ?? "model";
  const exit = afterAgent[0]?.node ?? END;
  const targets: Targets = { end: exit, tools: "tools", model: entry };
  const page = new PageCalls((name) => tools.has(name) || answers.has(name));
  const chain = (nodes: readonly HookNode[], last: string) =>
    nodes.forEach((one, at) => addWayOut(graph, one, nodes[at + 1]?.node ?? last, targets, page));

  graph.addEdge(START, beforeAgent[0]?.node ?? entry);
  const last = afterModels.at(-1);
  const from = last?.node ?? "model";
  if (hasTools) {
    addToolEdges(graph, { tools, answers, page }, targets);
    const again = last || answers.size > 0 || middleware.some(({ wrapModelCall }) => wrapModelCall) ? [entry] : [];
    graph.addConditionalEdges(from, nextOf(targets, answers, page), unique("tools", exit, ...again));
  } else if (answers.size > 0) {
    // A model that only returns text is called again, as in Python.
    const decide = (state: LoopState, context: NodeContext) =>
      (state.jumpTo && targets[state.jumpTo]) ?? (isStructured(state) || page.areOpen(state, context) ? exit : entry);
    graph.addConditionalEdges(from, decide, [entry, exit]);
  } else if (last) addWayOut(graph, last, exit, targets, page);
  else graph.addEdge("model", exit);
  chain(beforeAgent, entry);
  chain(beforeModel, "model");
  // The loop decides after the last node that follows the model.
  if (last) graph.addEdge("model", (afterModels[0] as HookNode).node);
  chain(afterModels.slice(0, -1), from);
  chain(afterAgent, END);
}

/** Adds the way out of a hook: to the next node, or where it may jump to. */
function addWayOut(
  graph: Builder,
  { node, canJumpTo }: HookNode,
  next: string,
  targets: Targets,
  page: PageCalls,
): void {
  if (canJumpTo.length === 0) {
    graph.addEdge(node, next);
    return;
  }
  const jump = (to: JumpTarget) => (to === "model" && node === targets.model ? "model" : targets[to]);
  const known = (Object.keys(targets) as JumpTarget[]).filter((to) => canJumpTo.includes(to));
  graph.addConditionalEdges(
    node,
    (state, context) => {
      const { jumpTo } = state;
      if (!jumpTo || !canJumpTo.includes(jumpTo)) return next;
      return jumpTo === "tools" ? toTools(state, context, page) : jump(jumpTo);
    },
    unique(next, ...known.map(jump)),
  );
}

/** Sends each open call to the tools, as a task of its own. Without open calls, the node runs none. */
function toTools({ messages }: LoopState, context: NodeContext, page: PageCalls): unknown {
  const calls = page.withoutPage(openCalls(messages), context);
  return calls.length === 0 ? "tools" : calls.map(sentCall);
}

const sentCall = (call: ToolCall | undefined) => new Send("tools", [call]);

/** Returns the decision after a turn of the model: the calls to run, or where to go. */
function nextOf(targets: Targets, answers: Answers, page: PageCalls) {
  return (state: LoopState, context: NodeContext): unknown => {
    const { ai, results } = lastTurn(state.messages);
    const calls = ai && page.withoutPage(callsOf(ai), context);
    const decided = afterModel({
      jumpTo: state.jumpTo,
      calls,
      results,
      isAnswer: (name) => answers.has(name),
      isStructured: isStructured(state),
    });
    // The agent's own calls are answered. The page's are answered by the next run.
    if (decided === "model" && !state.jumpTo && page.areOpen(state, context)) return targets.end;
    if (decided === "tools") return toTools(state, context, page);
    if (typeof decided === "string") return targets[decided];
    return Array.from(decided, (at) => sentCall(calls?.[at]));
  };
}

/** The tools of an agent, and those by which it gives its answer. */
interface ToolsOfLoop {
  readonly tools: Tools;
  readonly answers: Answers;
  readonly page: PageCalls;
}

/**
 * Adds the way back from the tools: to the next turn, or to the end. The run ends if their results are the agent's
 * answer, and if the page has calls to answer.
 */
function addToolEdges(
  graph: Builder,
  { tools, answers, page }: ToolsOfLoop,
  { model: entry, end: exit }: Targets,
): void {
  const ends = answers.size > 0 || [...tools.values()].some(({ returnDirect }) => returnDirect);
  graph.addConditionalEdges(
    "tools",
    (state, context) => (page.areOpen(state, context) || (ends && isAnswered(state, tools, answers)) ? exit : entry),
    withUndrawn(ends ? [entry, exit] : [entry], exit),
  );
}

/** Adds a way that drawings leave out: the graph is drawn as LangChain's, which knows no tools of a page. */
const withUndrawn = (ends: readonly string[], end: string): Readonly<Record<string, string>> =>
  Object.defineProperty(Object.fromEntries(ends.map((one) => [one, one])), end, { value: end });

/** Whether the tools' results are the agent's answer. */
function isAnswered({ messages }: AgentState, tools: Tools, answers: Answers): boolean {
  const { ai, results } = lastTurn(messages);
  if (!ai) return false;
  // The name of the result counts: an approval may have put another tool in the place of the one that was called.
  const ran = new Map(results.flatMap(({ tool_call_id: id, name = "" }) => (tools.has(name) ? [[id, name]] : [])));
  const known = callsOf(ai).flatMap(({ id, name }) => tools.get(ran.get(id as string) ?? name) ?? []);
  if (known.length > 0 && known.every(({ returnDirect }) => returnDirect)) return true;
  return results.some(({ name = "", status }) => answers.has(name) && status !== "error");
}

const isStructured = ({ structuredResponse }: LoopState) => structuredResponse != null;

const unique = <T>(...all: readonly T[]): T[] => [...new Set(all)];

/** Adds the hooks' nodes. Returns those of each kind, in the order in which they run. */
function hookNodes(graph: Builder, middleware: readonly Middleware[]): Record<HookName, HookNode[]> {
  const nodes: Record<HookName, HookNode[]> = { beforeAgent: [], beforeModel: [], afterModel: [], afterAgent: [] };
  for (const one of middleware) {
    for (const [hook, suffix] of Object.entries(NODES) as [HookName, string][]) {
      const given: NodeHook | undefined = one[hook];
      if (!given) continue;
      const { run, canJumpTo } = hookOf(given);
      const node = `${one.name}.${suffix}`;
      const told = (state: never, runtime: never) => run(state, withContext(one, { runtime }).runtime);
      graph.addNode(node, one.contextSchema ? told : run);
      // "After" hooks run from the last middleware to the first.
      if (hook.startsWith("after")) nodes[hook].unshift({ node, canJumpTo });
      else nodes[hook].push({ node, canJumpTo });
    }
  }
  return nodes;
}
