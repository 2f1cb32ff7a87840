// Messages of the user's that come into a run: which node gets them, once, and what it may not do with them.
import { Thread, defineSchema, field, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { createAgent, createDeepAgent, modelCallLimitMiddleware, steeringMiddleware, tool } from "threadfold/agent";
import { piiMiddleware } from "threadfold/agent/pii";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { expect, test, vi } from "vitest";

interface Said {
  readonly type?: string;
  readonly content?: unknown;
}

function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { open, isOpen };
}

/** A page with the graph in it. Messages that are sent while a run goes on steer it. */
function page(graph: unknown) {
  const thread = new Thread<AgUiState>();
  const inner = graphTransport(graph as never);
  const steered = vi.fn(inner.steer);
  const runner = new AgUiRunner(thread, { transport: { ...inner, steer: steered }, whileRunning: "steer" });
  const shown = () => thread.getState().messages.map(({ content }) => content);
  return { runner, thread, shown, steered };
}

test("what a middleware does before a model call, it does to a message that steers", async () => {
  const [first, begun] = [gate(), gate()];
  const seen: unknown[] = [];
  const agent = createAgent({
    model: async (messages: readonly Said[]) => {
      seen.push(messages.at(-1)?.content);
      begun.open();
      await first.isOpen;
      return `To ${String(messages.at(-1)?.content)}`;
    },
    middleware: [piiMiddleware("email", { strategy: "redact" }), steeringMiddleware()],
  });
  const { runner, steered } = page(agent);
  const sent = [runner.sendMessage("Hi")];
  await begun.isOpen;
  sent.push(runner.sendMessage("I am ada@example.com"));
  await vi.waitFor(() => expect(steered).toHaveBeenCalledTimes(1));
  first.open();
  await Promise.all(sent);
  expect(seen).toEqual(["Hi", "I am [REDACTED_EMAIL]"]);
});

test("all messages that steer at once are checked for personal data", async () => {
  const [first, begun] = [gate(), gate()];
  const seen: unknown[][] = [];
  const agent = createAgent({
    model: async (messages: readonly Said[]) => {
      seen.push(messages.map(({ content }) => content));
      begun.open();
      await first.isOpen;
      return "Ok";
    },
    middleware: [piiMiddleware("email"), steeringMiddleware()],
  });
  const { runner, steered } = page(agent);
  const sent = [runner.sendMessage("Hi")];
  await begun.isOpen;
  for (const [at, name] of ["ada", "bob", "eve"].entries()) {
    sent.push(runner.sendMessage(`I am ${name}@example.com`));
    await vi.waitFor(() => expect(steered).toHaveBeenCalledTimes(at + 1));
  }
  first.open();
  await Promise.all(sent);
  expect(seen[1]).toEqual(["Hi", "Ok", ...Array.from({ length: 3 }, () => "I am [REDACTED_EMAIL]")]);
});

test("a sub-agent does not get them: its caller's agent does", async () => {
  const [inside, go] = [gate(), gate()];
  const calls: string[] = [];
  const model = async (messages: readonly Said[]) => {
    const said = messages.filter(({ type }) => type === "human").map(({ content }) => String(content));
    calls.push(said.join(" + "));
    if (said[0] === "Look it up") {
      inside.open();
      await go.isOpen;
      return "Looked up.";
    }
    if (messages.some(({ type }) => type === "tool")) return "Done.";
    return {
      content: "",
      tool_calls: [{ id: "c1", name: "task", args: { description: "Look it up", subagent_type: "helper" } }],
    };
  };
  const helper = {
    name: "helper",
    description: "Helps.",
    systemPrompt: "Help.",
    middleware: [steeringMiddleware()],
  };
  const agent = createDeepAgent({ model, middleware: [steeringMiddleware()], subagents: [helper] } as never);
  const { runner, steered } = page(agent);
  const sent = [runner.sendMessage("Hi")];
  await inside.isOpen;
  sent.push(runner.sendMessage("Be quick"));
  await vi.waitFor(() => expect(steered).toHaveBeenCalled());
  go.open();
  await Promise.all(sent);
  expect(calls).toEqual(["Hi", "Look it up", "Hi + Be quick"]);
});

test.each([
  ["modelCallLimitMiddleware", { middleware: [modelCallLimitMiddleware({ runLimit: 1 }), steeringMiddleware()] }],
  ["maxIterations", { middleware: [steeringMiddleware()], maxIterations: 1 }],
])("%s: a message that steers is no way round the limit", async (_, options) => {
  const [first, begun] = [gate(), gate()];
  const model = async (messages: readonly Said[]) => {
    begun.open();
    await first.isOpen;
    return `To ${String(messages.at(-1)?.content)}`;
  };
  const agent = createAgent({
    model,
    ...options,
    checkpointer: new MemorySaver(),
  });
  const { runner, thread, shown, steered } = page(agent);
  const sent = [runner.sendMessage("A")];
  await begun.isOpen;
  sent.push(runner.sendMessage("B"));
  await vi.waitFor(() => expect(steered).toHaveBeenCalled());
  first.open();
  await Promise.all(sent);
  // It is taken, and the limit's words are the answer.
  expect(shown()).toEqual(["A", "To A", "B", "Model call limits exceeded: run limit (1/1)"]);
  expect(thread.pending).toEqual([]);
});

test("calls that wait for the page: the run ends for them, and the message comes with their results", async () => {
  const [first, begun] = [gate(), gate()];
  const seen: string[][] = [];
  const model = async (messages: readonly Said[]) => {
    seen.push(messages.map(({ content }) => String(content)));
    begun.open();
    await first.isOpen;
    if (messages.length > 1) return "Fine.";
    return { content: "", tool_calls: [{ id: "c1", name: "place", args: {} }] };
  };
  const agent = createAgent({ model, middleware: [steeringMiddleware()], checkpointer: new MemorySaver() });
  const thread = new Thread<AgUiState>();
  const inner = graphTransport(agent as never);
  const steered = vi.fn(inner.steer);
  const runner = new AgUiRunner(thread, {
    transport: { ...inner, steer: steered },
    whileRunning: "steer",
    tools: [{ name: "place", description: "", parameters: { type: "object" } }],
  });
  const sent = runner.sendMessage("Where?");
  await begun.isOpen;
  const more = runner.sendMessage("Hurry");
  await vi.waitFor(() => expect(steered).toHaveBeenCalled());
  first.open();
  await sent;
  expect(seen[0]).toEqual(["Where?"]);
  await more;
  expect(seen.slice(1).flat()).toContain("Hurry");
  expect(thread.getState().messages.filter(({ content }) => content === "Hurry")).toHaveLength(1);
});

test("a node of a graph reads them itself; one that is tried again gets them again, the next one does not", async () => {
  const [begun, go] = [gate(), gate()];
  const got: string[] = [];
  const contents = (messages: readonly Said[]) => messages.map(({ content }) => String(content)).join();
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("wait", async () => {
      begun.open();
      await go.isOpen;
      return {};
    })
    .addNode(
      "read",
      (_state, { inbox, attempt }) => {
        const messages = inbox();
        got.push(`read ${attempt}: ${contents(messages)}`);
        if (attempt === 1) throw new Error("Try again.");
        return { messages: [...messages] };
      },
      { retryPolicy: { maxAttempts: 2, initialInterval: 1, retryOn: () => true } },
    )
    .addNode("next", ({ messages }, { inbox }) => {
      got.push(`next: ${contents(inbox())}`);
      return { messages: [{ type: "ai", content: `To ${contents(messages)}` }] };
    })
    .addEdge(START, "wait")
    .addEdge("wait", "read")
    .addEdge("read", "next")
    .addEdge("next", END)
    .compile();
  const { runner, shown, steered } = page(graph);
  const sent = [runner.sendMessage("A")];
  await begun.isOpen;
  sent.push(runner.sendMessage("B"));
  await vi.waitFor(() => expect(steered).toHaveBeenCalled());
  go.open();
  await Promise.all(sent);
  expect(got).toEqual(["read 1: B", "read 2: B", "next: "]);
  expect(shown()).toEqual(["A", "B", "To A,B"]);
});

test("a run without an inbox has an empty one", async () => {
  const search = tool({ name: "search", description: "", run: () => "found" });
  const agent = createAgent({ model: async () => "Hello", tools: [search], middleware: [steeringMiddleware()] });
  const { messages } = await agent.invoke({ messages: "Hi" });
  expect(messages.map(({ content }) => content)).toEqual(["Hi", "Hello"]);
});
