// The program of docs/many-machines.md as a Worker, and objects that the tests can abort.
import { createAgent } from "threadfold/agent";
import { serveAgUi } from "threadfold/serve";
import { DurableObjectRuns, DurableObjectSaver, threadIdOf } from "threadfold/serve/durable-object";
import program, { AgentThread } from "program of the docs";
import { builder, openGate } from "./graph.js";
import { names } from "./rules.js";

export { Rules } from "./rules.js";

/** Answers the requests that only a test makes. */
async function commanded(request, ctx) {
  const { pathname } = new URL(request.url);
  const command = pathname.split("/").at(-1);
  if (command === "abort") ctx.abort("aborted by the test");
  if (command !== "open") return undefined;
  openGate(await threadIdOf(request));
  return new Response("opened");
}

/** The docs' object. */
export class Thread extends AgentThread {
  constructor(ctx) {
    super(ctx);
    this.ctx = ctx;
  }

  async fetch(request) {
    return (await commanded(request, this.ctx)) ?? super.fetch(request);
  }
}

/** An object that knows its users, and whose alarm is soon. */
export class Guarded {
  constructor(ctx) {
    this.ctx = ctx;
    this.runs = new DurableObjectRuns(ctx, { ttl: 200, keepFor: 400 });
    const checkpointer = new DurableObjectSaver(ctx);
    const authenticate = (request) => ({ identity: request.headers.get("authorization") ?? "ada" });
    this.handler = serveAgUi(builder.compile({ checkpointer }), { runs: this.runs, authenticate });
  }

  async fetch(request) {
    if (request.url.endsWith("/stored"))
      return Response.json(await this.runs.runs({ threadId: await threadIdOf(request) }));
    return (await commanded(request, this.ctx)) ?? this.handler(request);
  }

  alarm() {
    return this.runs.alarm();
  }
}

/** An object of createAgent. */
export class Agent {
  constructor(ctx) {
    this.runs = new DurableObjectRuns(ctx);
    const model = (messages) => `You said: ${messages.at(-1).content}`;
    const agent = createAgent({ model, checkpointer: new DurableObjectSaver(ctx) });
    this.handler = serveAgUi(agent, { runs: this.runs });
  }

  fetch(request) {
    return this.handler(request);
  }

  alarm() {
    return this.runs.alarm();
  }
}

export default {
  async fetch(request, env) {
    const [, name, rest] = /^\/(\w+)(\/.*)?$/.exec(new URL(request.url).pathname) ?? [];
    if (name === "names") return Response.json(names);
    if (name === "rules") return env.RULES.getByName(rest).fetch(request);
    if (name === "agent") return program.fetch(request, env);
    return env[name.toUpperCase()].getByName(await threadIdOf(request)).fetch(request);
  },
};
