// A graph in the page as an agent of @ag-ui/client: its events, and their effect in the real client.
import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { Annotation, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Observable } from "rxjs";
import { Thread, type AgUiState } from "threadfold";
import { agentTransport, AgUiRunner, type RunnableGraph } from "threadfold/ag-ui";
import { GraphAgent } from "threadfold/ag-ui/client";
import { describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";
import { graphEvents } from "../../support/graph-events";

type Event = BaseEvent & Record<string, unknown>;

/** The same agent with `@ag-ui/client`'s own folding, which refuses events in a wrong order. */
class PlainAgent extends AbstractAgent {
  readonly #agent: GraphAgent;
  constructor(graph: RunnableGraph, threadId = "t") {
    super({ threadId });
    this.#agent = new GraphAgent({ graph, threadId });
  }
  run(input: RunAgentInput): Observable<BaseEvent> {
    return this.#agent.run(input);
  }
}

const input = (text: string, more: object = {}): RunAgentInput =>
  ({
    threadId: "t",
    runId: "r1",
    messages: [{ id: `q-${text}`, role: "user", content: text }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
    ...more,
  }) as RunAgentInput;

function eventsOf(graph: RunnableGraph, given: RunAgentInput, config?: object): Promise<Event[]> {
  const events: Event[] = [];
  return new Promise((resolve, reject) => {
    new GraphAgent({ graph, ...(config && { config }) }).run(given).subscribe({
      next: (event) => void events.push(event as Event),
      error: reject,
      complete: () => resolve(events),
    });
  });
}

/** Loses the checkpoint after each thread's first step, once. */
class ForgetfulSaver extends MemorySaver {
  readonly #lost = new Set<unknown>();
  override put(...[config, checkpoint, metadata]: Parameters<MemorySaver["put"]>) {
    const thread = config.configurable?.["thread_id"] as unknown;
    if (metadata.step !== 1 || this.#lost.has(thread)) return super.put(config, checkpoint, metadata);
    this.#lost.add(thread);
    return Promise.reject(new Error("The disk is full."));
  }
}

const types = (events: readonly Event[]) => events.map(({ type }) => String(type));
const told = (events: readonly Event[]) =>
  events.map(({ type, stepName, delta, toolCallName }) =>
    [type, stepName ?? toolCallName, typeof delta === "string" ? delta : undefined].filter((word) => word).join(" "),
  );

describe.each(LIBRARIES)("$library", ({ library, chatGraph, nestedGraph, halfGraph }) => {
  describe("its events", () => {
    test("contain nodes, text, tool calls, results, the state by deltas, and the messages at the end", async () => {
      const events = await eventsOf(chatGraph(), input("How is the weather?"));
      for (const event of events) EventSchemas.parse(event);
      expect(told(events)).toEqual([
        "RUN_STARTED",
        "STATE_SNAPSHOT",
        "STEP_STARTED plan",
        "STEP_FINISHED plan",
        "STATE_DELTA",
        "STEP_STARTED model",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT Let",
        "TEXT_MESSAGE_CONTENT  me",
        "TEXT_MESSAGE_CONTENT  look.",
        "TOOL_CALL_START weather",
        'TOOL_CALL_ARGS {"cit',
        'TOOL_CALL_ARGS y":"Rome"}',
        "TOOL_CALL_START weather",
        'TOOL_CALL_ARGS {"cit',
        'TOOL_CALL_ARGS y":"Lima"}',
        "CUSTOM",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "TOOL_CALL_END",
        "STEP_FINISHED model",
        "STATE_DELTA",
        "STEP_STARTED act",
        "TOOL_CALL_RESULT",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED act",
        "STEP_STARTED model",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT It",
        "TEXT_MESSAGE_CONTENT  is",
        "TEXT_MESSAGE_CONTENT  sunny",
        "TEXT_MESSAGE_CONTENT  in",
        "TEXT_MESSAGE_CONTENT  Lima",
        "TEXT_MESSAGE_CONTENT  there.",
        "CUSTOM",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED model",
        "STATE_DELTA",
        "STEP_STARTED close",
        "STEP_FINISHED close",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "RUN_FINISHED",
      ]);
      const deltas = events.filter(({ type }) => type === "STATE_DELTA").map(({ delta }) => delta);
      expect(deltas).toEqual([
        [
          { op: "add", path: "/todos/-", value: { content: "Answer", status: "in_progress" } },
          { op: "add", path: "/log/-", value: "planned" },
        ],
        [{ op: "add", path: "/log/-", value: "answered" }],
        [{ op: "add", path: "/log/-", value: "answered" }],
        [{ op: "replace", path: "/todos/0/status", value: "completed" }],
      ]);
      expect(events.find(({ type }) => type === "CUSTOM")).toMatchObject({ name: "progress", value: 1 });
    });

    test("of a graph that streams no parts of messages bring its messages all the same", async () => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("a", () => ({ messages: [{ role: "user", id: "note", content: "A note" }] }))
        .addEdge(START, "a")
        .addEdge("a", END)
        .compile();
      const events = await eventsOf(graph, input("Hi"));
      expect(events.at(-2)).toMatchObject({
        type: "MESSAGES_SNAPSHOT",
        messages: [
          { id: "q-Hi", role: "user", content: "Hi" },
          { id: "note", role: "user", content: "A note" },
        ],
      });
    });

    test("report a node's errors under LangGraph's names", async () => {
      const failed = await eventsOf(chatGraph(), input("fail"));
      expect(failed.at(-1)).toEqual({ type: "RUN_ERROR", message: "The model is out.", code: "RangeError" });
      const limited = await eventsOf(chatGraph(), input("weather"), { recursionLimit: 2 });
      expect(limited.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "GRAPH_RECURSION_LIMIT" });
    });

    test("of a subgraph are sent, those of a tool's own graph are not", async () => {
      const events = await eventsOf(nestedGraph(), input("Hi"));
      const texts = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);
      expect(texts.join("")).toBe("You said: HiwithinThe tool is done.");
      expect(types(events).filter((type) => type === "STEP_STARTED")).toHaveLength(2);
    });

    test("of parallel tasks of one node are one step", async () => {
      const { Send } = await import("@langchain/langgraph");
      const graph = new StateGraph(
        Annotation.Root({ n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }) }),
      )
        .addNode("one", () => ({ n: 1 }))
        .addConditionalEdges(START, () => [new Send("one", {}), new Send("one", {}), new Send("one", {})], ["one"])
        .addEdge("one", END)
        .compile();
      const agent = new PlainAgent(graph);
      await agent.runAgent();
      expect(agent.state).toEqual({ n: 3 });
    });
  });

  describe("in @ag-ui/client", () => {
    test.each([true, false])(
      "two turns end with the graph's messages and state; its threads kept: %s",
      async (checkpointer) => {
        const graph = chatGraph({ checkpointer });
        const [plain, folded] = [new PlainAgent(graph, "plain"), new GraphAgent({ graph, threadId: "folded" })];
        for (const agent of [plain, folded]) {
          for (const content of ["How is the weather?", "Thanks"]) {
            agent.addMessage({ id: `${content}-id`, role: "user", content });
            await agent.runAgent();
          }
          const texts = agent.messages.map(({ role, content }) => `${role} ${String(content)}`);
          expect(texts).toEqual([
            "user How is the weather?",
            "assistant Let me look.",
            "tool sunny in Rome",
            "tool sunny in Lima",
            "assistant It is sunny in Lima there.",
            "user Thanks",
            "assistant You said: Thanks",
          ]);
          // The client sends the state back: an append-only list must not grow by that.
          const log = ["planned", "answered", "answered", "planned", "answered"];
          expect(agent.state).toMatchObject({ todos: [{ status: "completed" }], log });
        }
        expect(folded.thread.getState().messages).toEqual(folded.messages);
      },
    );

    test("the front end's tools are in the field that the graph has for them", async () => {
      const agent = new PlainAgent(chatGraph());
      const tool = { name: "confirm", description: "Asks", parameters: {} };
      await agent.runAgent({ tools: [tool] });
      expect(agent.state).toMatchObject({ tools: [tool] });
      expect(agent.state).not.toHaveProperty("copilotkit");
    });

    test("its interrupt is sent in AG-UI's way, and resumed by the answer", async () => {
      const agent = new GraphAgent({ graph: chatGraph(), threadId: "t", interrupts: "outcome" });
      agent.addMessage({ id: "q", role: "user", content: "Mail Ada" });
      await agent.runAgent();
      expect(agent.pendingInterrupts).toMatchObject([
        {
          reason: "langgraph:interrupt",
          message: "Send the mail?",
          toolCallId: "call-mail",
          metadata: { langgraph: { raw: { question: "Send the mail?", tool_call_id: "call-mail" } } },
        },
      ]);
      const id = agent.pendingInterrupts[0]?.id ?? "";
      await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }] });
      expect(agent.pendingInterrupts).toEqual([]);
      expect(agent.messages.map(({ content }) => content)).toEqual(["Mail Ada", "Sent."]);
    });

    test("a user message sent again is answered anew: its earlier results are gone", async () => {
      const graph = chatGraph();
      const agent = new GraphAgent({ graph, threadId: "t" });
      agent.addMessage({ id: "q1", role: "user", content: "How is the weather?" });
      await agent.runAgent();
      agent.addMessage({ id: "q2", role: "user", content: "Thanks" });
      await agent.runAgent();
      const before = agent.messages.at(-1);
      // As CopilotKit regenerates an answer.
      agent.setMessages(agent.messages.slice(0, -1));
      await agent.runAgent();
      const texts = agent.messages.map(({ content }) => content);
      expect(texts.slice(-3)).toEqual(["It is sunny in Lima there.", "Thanks", "You said: Thanks"]);
      expect(agent.messages.at(-1)?.id).not.toBe(before?.id);
      agent.setMessages(agent.messages.slice(0, 1));
      await agent.runAgent();
      expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    });

    test.each([
      ["half a step: the other half failed", "The other half is out.", undefined],
      ["a step whose checkpoint was lost", "The disk is full.", new ForgetfulSaver()],
    ])("what the user says again is answered anew after %s", async (_, message, saver) => {
      const graph = halfGraph(saver);
      const threadId = library;
      const first = await eventsOf(graph, input("Hi", { threadId }));
      expect(first.at(-1)).toMatchObject({ type: "RUN_ERROR", message });
      const second = await eventsOf(graph, input("Hi", { threadId, runId: "r2" }));
      expect(types(second).at(-1)).toBe("RUN_FINISHED");
      const { messages } = second.at(-2) as unknown as { messages: { content: string }[] };
      expect(messages.map(({ content }) => content)).toEqual(["Hi", "half 2", "and half 2"]);
    });

    test("a cancelled interrupt resumes with ag-ui-langgraph's mark; so does an answer in forwardedProps", async () => {
      const graph = chatGraph();
      const events = await eventsOf(graph, input("Mail Ada"));
      const { metadata } = events.at(-1) as unknown as { metadata: { threadfold: { interrupts: [{ id: string }] } } };
      const resume = [{ interruptId: metadata.threadfold.interrupts[0].id, status: "cancelled" }];
      const cancelled = await eventsOf(graph, input("Mail Ada", { runId: "r2", resume }));
      expect(cancelled.at(-2)).toMatchObject({ messages: [{}, { content: "Not sent." }] });
      const again = input("Mail Bob", { threadId: "t2" });
      await eventsOf(graph, again);
      const forwardedProps = { command: { resume: '{"approved":true}' } };
      const sent = await eventsOf(graph, { ...again, forwardedProps });
      expect(sent.at(-2)).toMatchObject({ messages: [{}, { content: "Sent." }] });
    });

    test("abortRun stops the graph, and the agent runs again; so does a clone", async () => {
      const agent = new GraphAgent({ graph: chatGraph({ pause: 30 }), threadId: "t" });
      agent.addMessage({ id: "q", role: "user", content: "one two three four five six" });
      await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() });
      const text = String(agent.messages.at(-1)?.content);
      expect(text).toMatch(/^You/);
      expect(text).not.toContain("six");
      expect(agent.thread.run.status).toBe("ready");
      const copy = agent.clone();
      copy.addMessage({ id: "q2", role: "user", content: "Hi" });
      await copy.runAgent();
      expect(copy.messages.at(-1)?.content).toBe("You said: Hi");
    });
  });

  test("an AgUiRunner runs it: messages, an approval, a failure and its retry", async () => {
    const thread = new Thread<AgUiState>({ threadId: "t" });
    const runner = new AgUiRunner(thread, { transport: agentTransport(new GraphAgent({ graph: chatGraph() })) });
    await runner.sendMessage("Mail Ada");
    expect(runner.status).toBe("interrupted");
    expect(runner.interrupts).toMatchObject([{ message: "Send the mail?", toolCallId: "call-mail" }]);
    const id = runner.interrupts[0]?.id;
    await runner.resume([{ id, value: true }]);
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Mail Ada", "Sent."]);
    const { status } = await runner.sendMessage("fail");
    expect([status, runner.error?.message]).toEqual(["error", "The model is out."]);
    expect(await runner.retry()).toMatchObject({ status: "error" });
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Mail Ada", "Sent.", "fail"]);
  });

  test.each([undefined, {}, new StateGraph(MessagesAnnotation)])("argument %# is no compiled graph", (graph) => {
    expect(() => new GraphAgent({ graph: graph as never })).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("compiled graph") as string,
      }),
    );
  });

  test("a checkpointer that another graph shares keeps the threads apart by their ids", async () => {
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("count", ({ messages }) => ({
        messages: [{ role: "assistant", id: `n${messages.length}`, content: `${messages.length}` }],
      }))
      .addEdge(START, "count")
      .addEdge("count", END)
      .compile({ checkpointer });
    for (const threadId of ["a", "b"]) {
      const agent = new GraphAgent({ graph, threadId });
      agent.addMessage({ id: "q", role: "user", content: "?" });
      await agent.runAgent();
      expect(agent.messages.at(-1)?.content).toBe("1");
    }
  });

  test.each([
    [undefined, input("Hi"), "compiled graph"],
    [chatGraph(), undefined, "threadId"],
    [chatGraph(), { ...input("Hi"), runId: 1 }, "runId"],
    [chatGraph(), { ...input("Hi"), messages: [{ id: "q" }] }, "messages"],
  ])("graphTransport refuses bad input %#, at once", (graph, given, sentence) => {
    expect(() => graphEvents(graph as never, given as never)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(sentence) as string }),
    );
  });
});

test("a config that is made asynchronously is waited for", async () => {
  const seen: unknown[] = [];
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("see", (_, { configurable }) => {
      seen.push(configurable?.["user"]);
      return {};
    })
    .addEdge(START, "see")
    .addEdge("see", END)
    .compile();
  const config = async ({ threadId }: { threadId: string }) => {
    await Promise.resolve();
    return { configurable: { user: `of ${threadId}` } };
  };
  await eventsOf(graph, input("Hi"), config);
  expect(seen).toEqual([`of ${input("Hi").threadId}`]);
});
