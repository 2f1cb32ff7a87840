import { createAgent, todoListMiddleware, tool } from "threadfold/agent";
import { expect, test } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

type Given = { readonly replies: readonly Reply[] };
type Came = { readonly messages: object[]; readonly todos: object[] | null };

test("todos: the effect of write_todos, and of several in a turn", () =>
  replay("todos", async ({ in: given, out }: Recorded<Given, Came>) => {
    const agent = createAgent({
      model: scripted(given.replies),
      tools: [tool({ name: "echo", run: ({ x }: { x: string }) => x })],
      middleware: [todoListMiddleware()],
    });
    const result = await agent.invoke(
      { messages: "go", todos: "dropped" as never },
      { maxConcurrency: 1, on: () => {} },
    );
    expect(result.messages.map(shown)).toEqual(out?.messages);
    // A list that nobody wrote is empty: langgraph.js's rule, whose schema it is.
    expect(result.todos).toEqual(out?.todos ?? []);
  }));
