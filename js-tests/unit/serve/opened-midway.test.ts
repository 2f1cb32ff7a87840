// A page opens a thread in the middle of a run, or stops one: what it shows is the server's, or in doubt.
import { MemorySaver, StateGraph } from "threadfold/graph";
import { Thread, defineSchema, field } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  sum: field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
});
type State = { messages: { id: string }[]; log: string[]; sum: number };

/** A gate that a node waits at. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  let reach = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const wait = (signal?: AbortSignal) => {
    reach();
    return new Promise<void>((resolve, reject) => {
      void passed.then(resolve);
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  return { open, reached, wait };
}

const said = (id: string) => ({ messages: [{ type: "ai" as const, id, content: id }], log: [id], sum: 1 });

/** Two steps, then two nodes side by side, where one waits, then an end. */
function graphWith(at: ReturnType<typeof gate>) {
  return new StateGraph(schema)
    .addNode("first", () => said("first"))
    .addNode("second", () => said("second"))
    .addNode("quick", () => said("quick"))
    .addNode("slow", async (_, { signal }) => {
      await at.wait(signal);
      return said("slow");
    })
    .addNode("last", () => said("last"))
    .addEdge("__start__", "first")
    .addEdge("first", "second")
    .addEdge("second", "quick")
    .addEdge("second", "slow")
    .addEdge(["quick", "slow"], "last")
    .compile({ checkpointer: new MemorySaver() });
}

/** A server without marks and digests knows no `stream_steps`. */
function page(serve: ReturnType<typeof serveLangGraph>, isMarked: boolean, of?: string | object) {
  const fresh = new Thread({ schema, threadId: typeof of === "string" ? of : undefined });
  const thread = typeof of === "object" ? (Thread.fromJSON(of, { schema: schema as never }) as typeof fresh) : fresh;
  const asked: string[] = [];
  const doubts: string[] = [];
  thread.on("doubt", ({ reason }) => doubts.push(reason));
  const runner = new LangGraphRunner(thread, {
    apiUrl: "http://localhost",
    assistantId: "agent",
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      asked.push(pathname.replace(/[0-9a-f-]{36}/g, "ID"));
      if (!isMarked && pathname.endsWith("/digest")) return new Response("", { status: 404 });
      const { stream_steps: steps, ...body } = JSON.parse(String(init?.body ?? "{}")) as Record<string, unknown>;
      const request = isMarked || steps === undefined ? init : { ...init, body: JSON.stringify(body) };
      return serve(new Request(String(url), request));
    },
  });
  return { thread, runner, asked, doubts, shown: () => plain(thread.getState() as State) };
}

const plain = ({ messages, log, sum }: State) => ({ ids: messages.map(({ id }) => id), log, sum });

async function held(serve: ReturnType<typeof serveLangGraph>, threadId = "") {
  const response = await serve(new Request(`http://localhost/threads/${threadId}/state`));
  return plain(((await response.json()) as { values: State }).values);
}

const input = { type: "human" as const, id: "q", content: "Hi" };

test.each([true, false])("a page that opens the thread in the middle of a run, with marks: %s", async (isMarked) => {
  const at = gate();
  const serve = serveLangGraph(graphWith(at));
  const one = page(serve, isMarked);
  const run = one.runner.sendMessage(input);
  await at.reached;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const other = page(serve, isMarked, one.thread.threadId);
  const loaded = other.runner.load();
  await new Promise((resolve) => setTimeout(resolve, 30));
  // `quick` has written, and its step is open: nothing is folded twice.
  const { ids, ...fields } = await held(serve, one.thread.threadId);
  expect(other.shown()).toMatchObject(fields);
  expect([...other.shown().ids].sort()).toEqual([...ids].sort());
  expect(new Set(other.doubts)).toEqual(new Set(["gap"]));
  at.open();
  expect([(await run).status, (await loaded).status]).toEqual(["finished", "finished"]);
  expect(other.shown()).toEqual(await held(serve, one.thread.threadId));
  expect(other.thread.doubts).toEqual([]);
  expect(one.shown()).toEqual(other.shown());
});

test("with marks, a page that opens it between two steps has no doubt, and asks for nothing", async () => {
  const at = gate();
  const graph = new StateGraph(schema)
    .addNode("first", () => said("first"))
    .addNode("slow", async () => (await at.wait(), said("slow")))
    .addNode("last", () => said("last"))
    .addEdge("__start__", "first")
    .addEdge("first", "slow")
    .addEdge("slow", "last")
    .compile({ checkpointer: new MemorySaver() });
  const serve = serveLangGraph(graph);
  const one = page(serve, true);
  const run = one.runner.sendMessage(input);
  await at.reached;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const other = page(serve, true, one.thread.threadId);
  const loaded = other.runner.load();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(other.shown()).toEqual({ ids: ["q", "first"], log: ["first"], sum: 1 });
  at.open();
  await Promise.all([run, loaded]);
  expect(other.shown()).toEqual(await held(serve, one.thread.threadId));
  expect(other.doubts).toEqual([]);
  expect(other.asked).not.toContain("/threads/search");
});

test.each([true, false])("a stop asks for the state once, with marks: %s", async (isMarked) => {
  const at = gate();
  const serve = serveLangGraph(graphWith(at));
  const { thread, runner, asked, doubts, shown } = page(serve, isMarked);
  const run = runner.sendMessage(input);
  await at.reached;
  await new Promise((resolve) => setTimeout(resolve, 20));
  asked.length = 0;
  await runner.stop();
  expect((await run).status).toBe("stopped");
  expect(new Set(doubts)).toEqual(new Set(["bad-end"]));
  expect(shown()).toEqual(await held(serve, thread.threadId));
  expect(thread.doubts).toEqual([]);
  expect(asked.filter((path) => path.endsWith("/state"))).toHaveLength(1);
});

test("half an answer stays after a stop, and the messages in doubt", async () => {
  const at = gate();
  const graph = new StateGraph(schema)
    .addNode("say", async (_, { message, signal }) => {
      message({ type: "AIMessageChunk", id: "half", content: "Hel" } as never);
      await at.wait(signal);
      return said("half");
    })
    .addEdge("__start__", "say")
    .compile({ checkpointer: new MemorySaver() });
  const { thread, runner, shown } = page(serveLangGraph(graph), true);
  const run = runner.sendMessage(input);
  await at.reached;
  await new Promise((resolve) => setTimeout(resolve, 20));
  await runner.stop();
  await run;
  expect(shown().ids).toEqual(["q", "half"]);
  expect(thread.doubts).toEqual([{ field: "messages", reason: "bad-end" }]);
});

test("a page that is reloaded after one of two nodes has asked still has the question, and the other's message", async () => {
  const at = gate();
  const graph = new StateGraph(schema)
    .addNode("ask", (_, { interrupt }) => ({ log: [String(interrupt({ message: "Sure?" }))] }))
    .addNode("talk", async (_, { message }) => {
      message({ type: "AIMessageChunk", id: "talk", content: "Hel" } as never);
      await at.wait();
      return { messages: [{ type: "ai" as const, id: "talk", content: "Hello" }] };
    })
    .addEdge("__start__", "ask")
    .addEdge("__start__", "talk")
    .compile({ checkpointer: new MemorySaver() });
  const serve = serveLangGraph(graph);
  const one = page(serve, true);
  const run = one.runner.sendMessage(input);
  await at.reached;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const saved: object = JSON.parse(JSON.stringify(one.thread)) as object;
  one.runner.dispose();
  await run;
  const { thread, runner } = page(serve, true, saved);
  const loaded = runner.load();
  await new Promise((resolve) => setTimeout(resolve, 20));
  at.open();
  expect((await loaded).status).toBe("interrupted");
  expect(runner.interrupts).toMatchObject([{ message: "Sure?" }]);
  expect(thread.getState().messages).toMatchObject([{ id: "q" }, { id: "talk", content: "Hello" }]);
  expect((await runner.resume({ value: "yes" })).status).toBe("finished");
  expect(thread.getState().log).toEqual(["yes"]);
  expect(JSON.stringify(thread)).not.toContain("asked");
});
