// A run that fails after the answer to an interrupt: the effect of retry(), and how the answer is corrected.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field, Thread, ThreadfoldError, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport, type RunnableGraph } from "threadfold/ag-ui";
import { createDeepAgent, tool } from "threadfold/agent";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { beforeEach, describe, expect, test } from "vitest";
import { graphEvents } from "../../support/graph-events";

const APPROVED = { value: { decisions: [{ type: "approve" }] } };

let runs: string[];
let faults: string[];
beforeEach(() => {
  runs = [];
  faults = [];
});

/** Calls two tools, one of them fallible, and repeats their results. */
const deepAgent = (checkpointer: MemorySaver) =>
  createDeepAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? `said: ${messages.flatMap(({ type, content }) => (type === "tool" ? [content] : [])).join()}`
        : { content: "", tool_calls: ["x", "y"].map((name) => ({ id: name, name, args: {} })) },
    tools: ["x", "y"].map((name) =>
      tool({
        name,
        run: () => {
          runs.push(name);
          if (faults[0] === name) throw new Error(faults.shift());
          return `${name} done`;
        },
      }),
    ),
    interruptOn: { x: true },
    checkpointer,
  });

const runnerOf = (graph: RunnableGraph, thread = new Thread<AgUiState>()) =>
  new AgUiRunner(thread, { transport: graphTransport(graph) });
const reloaded = (thread: object) => Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)));
const contents = ({ thread }: AgUiRunner) => thread.getState().messages.map(({ content }) => content);

describe("an approved tool fails", () => {
  test.each(["", "a reload", "a reload and a restart"])(
    "retry() runs it again after %s, and no other",
    async (between) => {
      const saver = new MemorySaver();
      let graph = deepAgent(saver);
      let runner = runnerOf(graph);
      await runner.sendMessage("x");
      faults = ["x"];
      expect(await runner.resume([APPROVED])).toMatchObject({ status: "error", error: { message: "x" } });
      // It was answered: there is nothing to ask.
      expect(runner.interrupts).toEqual([]);
      if (between.includes("restart")) graph = deepAgent(saver);
      if (between) runner = runnerOf(graph, reloaded(runner.thread));
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect([...runs].sort()).toEqual(["x", "x", "y"]);
      expect(contents(runner)).toEqual(["x", "", "x done", "y done", "said: x done,y done"]);
    },
  );

  test("a new message begins anew", async () => {
    const graph = deepAgent(new MemorySaver());
    const first = runnerOf(graph);
    await first.sendMessage("x");
    faults = ["x"];
    await first.resume([APPROVED]);
    const runner = runnerOf(graph, reloaded(first.thread));
    await runner.sendMessage("Never mind");
    expect(contents(runner)).toContain("Never mind");
    expect(runs.filter((name) => name === "x")).toHaveLength(1);
  });
});

describe("an answer that the graph refuses", () => {
  const ways = {
    "in the page": runnerOf,
    "behind serve": (graph: RunnableGraph) =>
      new AgUiRunner(new Thread<AgUiState>(), {
        url: "http://localhost/agent",
        fetch: (async (url: string, init: RequestInit) => serveAgUi(graph)(new Request(url, init))) as never,
      }),
  };

  test.each(Object.entries(ways))("can be corrected: %s", async (_, make) => {
    const runner = make(deepAgent(new MemorySaver()));
    await runner.sendMessage("x");
    const asked = runner.interrupts;
    for (const again of [() => runner.resume([{ value: { approved: true } }]), () => runner.retry()]) {
      expect(await again()).toMatchObject({ status: "error" });
      expect(runner.status).toBe("error");
      expect(runner.error?.message).toContain("decisions");
      expect(runner.interrupts).toEqual(asked);
    }
    expect(await runner.resume([APPROVED])).toMatchObject({ status: "finished" });
    expect(contents(runner).at(-1)).toBe("said: x done,y done");
  });

  test("can be corrected after a reload, once the server was asked", async () => {
    const graph = deepAgent(new MemorySaver());
    const first = runnerOf(graph);
    await first.sendMessage("x");
    await first.resume([{ value: { approved: true } }]);
    const runner = runnerOf(graph, reloaded(first.thread));
    expect(await runner.retry()).toMatchObject({ status: "error" });
    expect(runner.interrupts).toHaveLength(1);
    expect(await runner.retry()).toMatchObject({ status: "interrupted" });
    expect(await runner.resume([APPROVED])).toMatchObject({ status: "finished" });
  });

  test("and is dismissed by stop()", async () => {
    const runner = runnerOf(deepAgent(new MemorySaver()));
    await runner.sendMessage("x");
    await runner.resume([{ value: { approved: true } }]);
    await runner.stop();
    expect([runner.status, runner.interrupts]).toEqual(["ready", []]);
    expect(await runner.sendMessage("Never mind")).toMatchObject({
      status: expect.stringMatching(/finished|interrupted/),
    });
  });
});

/** Calls `mail`, asks, takes only a yes or a no for an answer, and mails. */
const { call, ask, mail } = {
  call: () => ({ messages: [{ type: "ai", id: "a", content: "", tool_calls: [{ id: "m", name: "mail", args: {} }] }] }),
  ask: (interrupt: (value: unknown) => unknown) => {
    if (typeof interrupt("Mail it?") !== "boolean") throw new Error("Yes or no?");
    return {};
  },
  mail: () => {
    runs.push("mail");
    if (faults.shift()) throw new Error("503");
    return { messages: [{ type: "tool", id: "r", tool_call_id: "m", content: "mailed" }] };
  },
};

/** A default is a value of a thread that the graph does not have, too. */
const Noted = theirs.Annotation.Root({
  ...theirs.MessagesAnnotation.spec,
  notes: theirs.Annotation<string[]>({ reducer: (_, notes) => notes, default: () => [] }),
});

const GRAPHS: Record<string, () => RunnableGraph> = {
  "langgraph.js": () =>
    new theirs.StateGraph(Noted)
      .addNode("call", call as never)
      .addNode("ask", (() => ask(theirs.interrupt)) as never)
      .addNode("mail", mail as never)
      .addEdge(theirs.START, "call")
      .addEdge("call", "ask")
      .addEdge("ask", "mail")
      .compile({ checkpointer: new theirs.MemorySaver() }) as never,
  "threadfold/graph": () =>
    new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("call", call as never)
      .addNode("ask", (_, { interrupt }) => ask(interrupt) as never)
      .addNode("mail", mail as never)
      .addEdge(START, "call")
      .addEdge("call", "ask")
      .addEdge("ask", "mail")
      .addEdge("mail", END)
      .compile({ checkpointer: new MemorySaver() }),
};

describe.each(Object.entries(GRAPHS))("a graph of %s", (library, graphOf) => {
  test("asks again after a wrong answer", async () => {
    const runner = runnerOf(graphOf());
    await runner.sendMessage("Mail Ada");
    const refused = { status: "error", error: { message: "Yes or no?" } };
    expect(await runner.resume({ value: "perhaps" })).toMatchObject(refused);
    expect(runner.interrupts).toMatchObject([{ message: "Mail it?" }]);
    // langgraph.js keeps the first answer, and mistakes the second for the answer to a second question.
    const corrected = library === "langgraph.js" ? refused : { status: "finished" };
    expect(await runner.resume({ value: true })).toMatchObject(corrected);
  });

  test("an answer fails for a thread that a restart has lost; a retry answers the graph that has it", async () => {
    const had = graphOf();
    let graph = had;
    const runner = new AgUiRunner(new Thread<AgUiState>(), {
      transport: { run: (input, options) => graphTransport(graph).run(input, options) },
    });
    await runner.sendMessage("Mail Ada");
    graph = graphOf();
    const lost = { serverCode: "NO_QUESTION", message: expect.stringContaining("no question to answer") as string };
    expect(await runner.resume({ value: true })).toMatchObject({ status: "error", error: lost });
    expect([runner.status, runner.error]).toMatchObject(["error", lost]);
    expect(await runner.retry()).toMatchObject({ status: "error", error: lost });
    expect(runs).toEqual([]);
    graph = had;
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(runs).toEqual(["mail"]);
  });

  test.each(["nope", "0".repeat(32)])("an answer to %s, which is not asked, approves nothing", async (interruptId) => {
    const graph = graphOf();
    const runner = runnerOf(graph, new Thread<AgUiState>({ threadId: "t" }));
    await runner.sendMessage("Mail Ada");
    const resume = [{ interruptId, status: "resolved", payload: true }];
    const events = graphEvents(graph, { threadId: "t", runId: "r", messages: [], resume });
    const ends: unknown[] = [];
    for await (const event of events) if (event.type.startsWith("RUN_")) ends.push(event);
    expect(ends).toMatchObject([{ type: "RUN_STARTED" }, { type: "RUN_ERROR", code: "NO_QUESTION" }]);
    expect(runs).toEqual([]);
    expect(await runner.resume({ value: true })).toMatchObject({ status: "finished" });
    expect(runs).toEqual(["mail"]);
  });

  test("a ThreadfoldError of a node has its code in RUN_ERROR", async () => {
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("fails", () => {
        throw new ThreadfoldError("INVALID_STATE", "No.");
      })
      .addEdge(START, "fails")
      .compile();
    const events: unknown[] = [];
    for await (const event of graphEvents(graph, { threadId: "t", runId: "r", messages: [] })) events.push(event);
    expect(events.at(-1)).toEqual({ type: "RUN_ERROR", message: "No.", code: "INVALID_STATE" });
  });

  test("an answer whose response was lost may come again", async () => {
    const graph = graphOf();
    const runner = runnerOf(graph, new Thread<AgUiState>({ threadId: "t" }));
    await runner.sendMessage("Mail Ada");
    const resume = runner.interrupts.map(({ id = "" }) => ({ interruptId: id, status: "resolved", payload: true }));
    const types: string[] = [];
    for (const runId of ["r1", "r2"])
      for await (const { type } of graphEvents(graph, {
        threadId: "t",
        runId,
        messages: [],
        resume,
      }))
        types.push(type);
    expect(types.filter((type) => type.startsWith("RUN_F") || type === "RUN_ERROR")).toEqual([
      "RUN_FINISHED",
      "RUN_FINISHED",
    ]);
    expect(runs).toEqual(["mail"]);
  });

  test.each([false, true])("continues after an answer (after a reload: %s)", async (reload) => {
    const graph = graphOf();
    let runner = runnerOf(graph);
    await runner.sendMessage("Mail Ada");
    faults = ["mail"];
    expect(await runner.resume({ value: true })).toMatchObject({ status: "error", error: { message: "503" } });
    expect(runner.interrupts).toEqual([]);
    if (reload) runner = runnerOf(graph, reloaded(runner.thread));
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(contents(runner)).toEqual(["Mail Ada", "", "mailed"]);
    expect(runs).toEqual(["mail", "mail"]);
  });
});
