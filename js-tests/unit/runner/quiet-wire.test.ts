// A page that folds updates is as its server, whatever a node writes and whoever else uses the thread.
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { clientTransport } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { expectAsServer, quietPage } from "../../support/quiet-page.js";

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  spent: field.reducer((sum: number, more: number) => sum + more, { default: () => 0 }),
});

let made = 0;
const says = (text: string) => ({ messages: [{ type: "ai", id: `${text}${++made}`, content: text }] });

/** A server whose node asks beside another that is done. */
const asking = () =>
  serveLangGraph(
    new StateGraph(schema)
      .addNode("a", () => ({ log: ["a"], spent: 1 }))
      .addNode("ask", (_, ctx) => ({ log: [`answer ${String(ctx.interrupt("?"))}`] }))
      .addEdge(START, "a")
      .addEdge(START, "ask")
      .addEdge("a", END)
      .addEdge("ask", END)
      .compile({ checkpointer: new MemorySaver() }),
  );

const answering = () =>
  serveLangGraph(
    new StateGraph(schema)
      .addNode("a", () => ({ ...says("A"), log: ["a"], spent: 1 }))
      .addNode("b", () => ({ ...says("B"), log: ["b"], spent: 2 }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile({ checkpointer: new MemorySaver() }),
  );

describe("an answer beside a node that was done", () => {
  test("by the SDK's client", async () => {
    const handler = asking();
    const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
    const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch, maxRetries: 0 } });
    const { thread, runner } = quietPage(
      handler,
      schema as never,
      {
        apiUrl: undefined,
        assistantId: undefined,
        fetch: undefined,
        transport: clientTransport(client as never, { assistantId: "agent" }),
      } as never,
    );
    await runner.sendMessage("Hi");
    await expectAsServer(thread, handler);
    await runner.resume({ value: 1 });
    expect(await expectAsServer(thread, handler)).toMatchObject({ log: ["a", "answer 1"], spent: 1 });
  });
});

test.each([
  ["digest", 403],
  ["digest", 405],
  ["search", 403],
])("a %s that is refused by %d leaves the state to be asked for", async (name, status) => {
  const handler = answering();
  const { thread, runner, between } = quietPage(handler, schema as never, {
    between: {
      refuses: (path) => (path.endsWith(name) ? status : undefined),
      blocks: (blocks) => blocks.toSpliced(3, 1),
    },
  });
  await runner.sendMessage("Hi");
  await expectAsServer(thread, handler);
  delete between.blocks;
  await runner.sendMessage("again");
  await expectAsServer(thread, handler);
});
