import {
  contextEditingMiddleware,
  createAgent,
  createDeepAgent,
  createPatchToolCallsMiddleware,
  humanInTheLoopMiddleware,
  type Middleware,
  modelCallLimitMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
  tool,
  toolCallLimitMiddleware,
} from "threadfold/agent";
import { expect, test } from "vitest";
import { arrows, type Recorded, replay, scripted, sorted } from "./records.js";

const model = scripted([]);
const made: Record<string, () => unknown> = {
  todo: () => todoListMiddleware(),
  summarization: () => summarizationMiddleware({ model, trigger: { messages: 100 } }),
  patch: () => createPatchToolCallsMiddleware(),
  approval: () => humanInTheLoopMiddleware({ interruptOn: { echo: true } }),
  model_limit: () => modelCallLimitMiddleware({ runLimit: 3 }),
  tool_limit: () => toolCallLimitMiddleware({ runLimit: 3 }),
  editing: () => contextEditingMiddleware(),
};

/** They have hooks after the model. */
const AFTER = new Set(["todo", "approval", "model_limit", "tool_limit"]);

/** Edges are in another order, and langgraph.js ends the lines of classes with a semicolon. */
const lines = (mermaid: string) =>
  mermaid
    .split("\n")
    .map((line) => (line.startsWith("\tclassDef") ? line.replace(/;$/, "") : line))
    .sort();

test("the graph of every stack of LangChain's middlewares", () =>
  replay("stacks", async ({ in: given, out, edges }: Recorded<{ stack: string[]; tools: boolean }, string>) => {
    const agent = createAgent({
      model,
      tools: given.tools ? [tool({ name: "echo", run: () => "" })] : [],
      middleware: given.stack.map((name) => made[name]?.() as Middleware),
    });
    // Ours sends the model a view of the messages, in wrapModelCall. The model may be asked again after it.
    const again = given.stack.includes("summarization") && given.tools && !given.stack.some((name) => AFTER.has(name));
    if (again && !given.stack.includes("editing")) {
      const entry = edges.find(([from, to]) => from === "tools" && to !== "__end__")?.[1] as string;
      expect(arrows(agent.drawMermaid())).toEqual(sorted([...edges, ["model", entry, true]]));
      return;
    }
    expect(arrows(agent.drawMermaid())).toEqual(sorted(edges));
    expect(lines(agent.drawMermaid())).toEqual(lines(out ?? ""));
  }));

test("the graph of a deep agent is that of deepagents 0.3.8", () => {
  expect(arrows(createDeepAgent({ model }).drawMermaid())).toEqual(
    sorted([
      ["__start__", "PatchToolCallsMiddleware.before_agent", false],
      ["PatchToolCallsMiddleware.before_agent", "SummarizationMiddleware.before_model", false],
      ["SummarizationMiddleware.before_model", "model", false],
      ["model", "TodoListMiddleware.after_model", false],
      ["TodoListMiddleware.after_model", "tools", true],
      ["TodoListMiddleware.after_model", "SummarizationMiddleware.before_model", true],
      ["TodoListMiddleware.after_model", "__end__", true],
      ["tools", "SummarizationMiddleware.before_model", true],
    ]),
  );
});
