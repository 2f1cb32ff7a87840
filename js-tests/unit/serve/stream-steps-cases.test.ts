// `stream_steps` in named cases, for both kinds of graphs: subgraphs, Overwrite, ids, a failure with siblings, questions.
import { AIMessage } from "@langchain/core/messages";
import * as theirs from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { overwrite } from "threadfold";
import * as ours from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { checkCommits, plain, Schema, SteppedThread } from "./stepped-thread.js";

const Annotated = theirs.Annotation.Root({
  log: theirs.Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  sum: theirs.Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  last: theirs.Annotation<string>(),
  messages: theirs.MessagesAnnotation.spec.messages,
});

type Node = (state: never, ctx: never) => unknown;
interface Builder {
  addNode(name: string, node: unknown, options?: object): Builder;
  addEdge(from: string, to: string): Builder;
  addConditionalEdges(from: string, path: unknown): Builder;
  compile(options?: object): object & { updateState(config: object, values: object, asNode: string): Promise<unknown> };
}

const HOSTS = {
  "threadfold/graph": {
    builder: () => new ours.StateGraph(Schema) as unknown as Builder,
    saver: () => new ours.MemorySaver(),
    send: (to: string, args: object): object => new ours.Send(to, args),
    Command: ours.Command as unknown as new (fields: object) => object,
    whole: (value: unknown[]) => overwrite(value) as unknown,
    ask: (value: unknown, ctx: { interrupt?: (value: unknown) => unknown }) => ctx.interrupt?.(value),
  },
  "langgraph.js": {
    builder: () => new theirs.StateGraph(Annotated) as unknown as Builder,
    saver: () => new theirs.MemorySaver(),
    send: (to: string, args: object): object => new theirs.Send(to, args),
    Command: theirs.Command as unknown as new (fields: object) => object,
    whole: (value: unknown[]) => new theirs.Overwrite(value) as unknown,
    ask: (value: unknown) => theirs.interrupt(value) as unknown,
  },
};

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const input = { log: ["in"], messages: [{ type: "human", id: "h", content: "Hi" }] };
const said = (id: string) => ({ messages: [{ type: "ai", id, content: id }], log: [id] });

describe.each(Object.entries(HOSTS))("%s", (host, { builder, saver, send, Command, whole, ask }) => {
  test("a subgraph, Sends, a Command and an Overwrite", async () => {
    const inner = builder()
      .addNode("x", () => said("x"))
      .addNode("y", () => said("y"))
      .addEdge("__start__", "x")
      .addEdge("x", "y")
      .compile();
    const graph = builder()
      .addNode("a", async () => (await later(3), said("a")))
      .addNode("b", () => new Command({ goto: [send("s", { n: 2 }), send("s", { n: 1 })], update: { log: ["b"] } }), {
        ends: ["s"],
      })
      .addNode("s", (async ({ n }: { n: number }) => (await later(n), { log: [`s${n}`], sum: n })) as Node)
      .addNode("team", inner)
      .addNode("clear", () => ({ log: whole(["cleared"]) }))
      .addNode("also", () => ({ log: ["also"] }))
      .addEdge("__start__", "a")
      .addEdge("__start__", "b")
      .addEdge("a", "team")
      .addEdge("team", "clear")
      .addEdge("team", "also")
      .compile({ checkpointer: saver() });
    for (const stream_subgraphs of [false, true]) {
      const thread = new SteppedThread(graph, { stream_subgraphs });
      if (stream_subgraphs) await thread.takeBase();
      await thread.run({ input });
      await checkCommits(thread);
      expect(thread.fold.commits.map(({ step }) => step - (stream_subgraphs ? 5 : 0))).toEqual([0, 1, 2, 3]);
      expect(plain(thread.fold.base).log).toEqual(["cleared"]);
    }
  });

  test("ids are the state's; a form that the graph copies is marked", async () => {
    const graph = builder()
      .addNode("object", () => ({ messages: [new AIMessage("object")] }))
      .addNode("dict", () => ({ messages: [{ type: "ai", content: "dict" }] }))
      .addNode("text", () => ({ messages: "text" }))
      .addNode("pair", () => ({ messages: [["ai", "pair"]] }))
      .addEdge("__start__", "object")
      .addEdge("object", "dict")
      .addEdge("dict", "text")
      .addEdge("text", "pair")
      .compile({ checkpointer: saver() });
    const thread = new SteppedThread(graph);
    const parts = await thread.run({ input });
    const marks = parts.flatMap(({ data }) => (data.__metadata__?.part === undefined ? [] : [data.__metadata__.ids]));
    const copied = host === "langgraph.js" ? false : undefined;
    expect(marks).toEqual([undefined, copied, copied, copied]);
    const ids = ({ messages }: Record<string, unknown>) => (messages as { id: string }[]).map(({ id }) => id);
    const state = ids((await thread.state()).values);
    expect(ids(thread.fold.base).slice(0, copied === false ? 2 : 5)).toEqual(
      copied === false ? state.slice(0, 2) : state,
    );
  });

  test("a failure tells what its siblings saved, and nothing else", async () => {
    const graph = builder()
      .addNode("bad", async () => {
        await later(5);
        throw new Error("bad");
      })
      .addNode("quick", () => said("quick"))
      .addNode("slow", async () => (await later(30), said("slow")))
      .addEdge("__start__", "bad")
      .addEdge("__start__", "quick")
      .addEdge("__start__", "slow")
      .compile({ checkpointer: saver() });
    const thread = new SteppedThread(graph);
    const parts = await thread.run({ input });
    expect(parts.at(-1)?.event).toBe("error");
    await later(40);
    await checkCommits(thread);
    expect([...thread.fold.pending.values()].map(({ path }) => path[1])).toEqual(["quick"]);
    const { digests, step } = JSON.parse(await thread.ask("/t/state/digest", {})) as { digests: object; step: number };
    expect([step, Object.keys(digests).includes("log")]).toEqual([0, true]);
  });

  test("a question, an update between, and the answer", async () => {
    const graph = builder()
      .addNode("asks", ((_: object, ctx: object) => ({ log: [String(ask("?", ctx))] })) as Node)
      .addNode("b", () => said("b"))
      .addNode("after", () => said("after"))
      .addEdge("__start__", "asks")
      .addEdge("__start__", "b")
      .addEdge("b", "after")
      .compile({ checkpointer: saver() });
    const thread = new SteppedThread(graph);
    await thread.run({ input });
    await checkCommits(thread);
    expect(thread.fold.pending.size).toBe(1);
    await thread.run({ command: { resume: "yes" } as never });
    await checkCommits(thread);
    expect(plain(thread.fold.base).log).toEqual(["in", "yes", "b", "after"]);
    await thread.ask("/t/state", { values: { log: ["other"] }, as_node: "b" });
    await thread.takeBase();
    await thread.run({ input: null });
    await checkCommits(thread);
    expect((plain(thread.fold.base).log as string[]).slice(-2)).toEqual(["other", "after"]);
  });

  test("a run names the checkpoint at which it begins", async () => {
    const graph = builder()
      .addNode("asks", ((_: object, ctx: object) => ({ log: [String(ask("?", ctx))] })) as Node)
      .addEdge("__start__", "asks")
      .compile({ checkpointer: saver() });
    const thread = new SteppedThread(graph);
    const begins = async (body: object) => {
      const head = (await thread.state()).checkpoint?.checkpoint_id ?? null;
      const [first, ...others] = (await thread.run(body)).flatMap(({ data: { __metadata__: marks } }) => marks ?? []);
      expect(others.some((marks) => "from" in marks)).toBe(false);
      expect((first as { from?: unknown }).from).toBe(head);
    };
    await begins({ input });
    await begins({ command: { resume: "yes" } });
    await begins({ input });
    // It drops the question.
    await begins({ input });
    await begins({ input, durability: "exit" });
    await begins({ input, durability: "exit" });
  });

  test("an update names what JSON changes", async () => {
    const graph = builder()
      .addNode("exact", () => ({ ...said("exact"), last: "x", log: whole(["a", { c: [0.5, null] }]) }))
      .addNode("message", () => ({
        messages: [
          new AIMessage({ id: "m", content: "m" }),
          { type: "ai", id: "n", content: "n", name: undefined, response_metadata: { usage: undefined } },
        ],
      }))
      // A reducer that merges objects sees the key.
      .addNode("nested", () => ({ log: whole([{ b: undefined }]) }))
      .addNode("not", () => ({ last: undefined, log: [Number.NaN], sum: -0, messages: [] }))
      .addNode("nor", () => ({ last: new Date(0), log: whole([new Map()]), sum: Number.POSITIVE_INFINITY }))
      .addEdge("__start__", "exact")
      .addEdge("exact", "message")
      .addEdge("message", "nested")
      .addEdge("nested", "not")
      .addEdge("not", "nor")
      .compile({ checkpointer: saver() });
    const parts = await new SteppedThread(graph).run({ input });
    const marks = parts.flatMap(({ data: { __metadata__: one } }) => (one?.part === undefined ? [] : [one]));
    expect(marks.map((one) => (one as { inexact?: string[] }).inexact?.toSorted())).toEqual([
      undefined,
      undefined,
      ["log"],
      ["last", "log", "sum"],
      ["last", "log", "sum"],
    ]);
    expect(marks.some((one) => "hidden" in one)).toBe(false);
  });

  test("who does not ask sees no difference, and who searches gets what it names", async () => {
    const graph = builder()
      .addNode("a", () => said("a"))
      .addNode("b", () => undefined)
      .addEdge("__start__", "a")
      .addEdge("__start__", "b")
      .compile({ checkpointer: saver() });
    const handler = serveLangGraph(graph as never);
    const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
    const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch } });
    const { thread_id } = await client.threads.create();
    const told: unknown[] = [];
    for await (const { event, data } of client.runs.stream(thread_id, "agent", { input, streamMode: ["updates"] }))
      if (event === "updates") told.push(data);
    expect(told).toHaveLength(2);
    expect(told.some((data) => "__metadata__" in (data as object))).toBe(false);
    const found = await handler(
      new Request("http://localhost/threads/search", {
        method: "POST",
        body: JSON.stringify({
          ids: [thread_id],
          select: ["status", "state_updated_at"],
          extract: { last: "values.messages[-1].id", none: "values.none[3]" },
        }),
      }),
    );
    const at = expect.stringMatching(/^\d{4}-/) as string;
    expect(await found.json()).toEqual([
      { status: "idle", state_updated_at: at, extracted: { last: "a", none: null } },
    ]);
  });
});
