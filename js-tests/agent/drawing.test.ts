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

test("the graph of every stack of LangChain's middlewares", () =>
  replay("stacks", async ({ in: given, out, edges }: Recorded<{ stack: string[]; tools: boolean }, string>) => {
    const agent = createAgent({
      model,
      tools: given.tools ? [tool({ name: "echo", run: () => "" })] : [],
      middleware: given.stack.map((name) => made[name]?.() as Middleware),
    });
    expect(arrows(agent.drawMermaid())).toEqual(sorted(edges));
    expect(agent.drawMermaid()).toBe(out);
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
