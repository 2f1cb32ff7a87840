// The configs that servers accept, and the runners that components take.
import { defineSchema, field, Thread, type AgUiMessage } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { createAgent } from "threadfold/agent";
import { LangGraphRunner } from "threadfold/langgraph";
import type { BranchRunner } from "threadfold/react";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { expect, expectTypeOf, test } from "vitest";

const agent = createAgent({ model: () => "Hello" });
const contextOf = (request: Request) => ({ context: { user: request.headers.get("x-user") } });

test("a server's config is an object, or a function of what that server passes", () => {
  serveLangGraph(agent, { config: contextOf });
  serveAgUi(agent, { config: (_, request) => contextOf(request) });
  serveAgUi(agent, { config: async ({ threadId }) => ({ context: { threadId } }) });
  // @ts-expect-error serveAgUi passes the input first
  serveAgUi(agent, { config: contextOf });
  // @ts-expect-error serveLangGraph passes the request alone
  serveLangGraph(agent, { config: (_: unknown, request: Request) => contextOf(request) });
  // @ts-expect-error a page has no request
  graphTransport(agent, { config: contextOf });
});

test("a config may be any object", () => {
  interface Config {
    readonly recursionLimit: number;
    readonly context: { readonly user: string };
  }
  const config: Config = { recursionLimit: 5, context: { user: "ada" } };
  serveAgUi(agent, { config });
  serveLangGraph(agent, { config });
  graphTransport(agent, { config });
  const some: object = config;
  serveAgUi(agent, { config: some });
  serveLangGraph(agent, { config: { configurable: { user: "ada" }, tags: ["a"] } });
});

test("a component with branches takes every runner", () => {
  const messages = field.messages<AgUiMessage>();
  const thread = new Thread({ schema: defineSchema({ messages, spent: field.replace<number>() }) });
  const withSchema = new AgUiRunner(thread, { transport: graphTransport(agent) });
  expectTypeOf(withSchema).toExtend<BranchRunner>();
  expectTypeOf<AgUiRunner>().toExtend<BranchRunner>();
  expectTypeOf<LangGraphRunner>().toExtend<BranchRunner>();
  expectTypeOf(withSchema).toExtend<Pick<AgUiRunner, "threads">>();
});

test("a runner refuses a thread whose id is a number, such as a database's", () => {
  // @ts-expect-error a string
  const thread = new Thread({ threadId: 5 });
  expect(() => new LangGraphRunner(thread, { apiUrl: "http://server", assistantId: "agent" })).toThrow(
    "new LangGraphRunner: the thread's threadId must be a string, got 5. Use String(id).",
  );
});
