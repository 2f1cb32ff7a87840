// A Worker with a Durable Object for each thread. The program that starts it has the page's files.
import { serveAgUi } from "threadfold/serve";
import { DurableObjectRuns, DurableObjectSaver, threadIdOf } from "threadfold/serve/durable-object";
import { graphOf } from "./graph.mjs";

export class AgentThread {
  constructor(ctx, { MODEL }) {
    this.ctx = ctx;
    this.runs = new DurableObjectRuns(ctx);
    const instance = crypto.randomUUID();
    this.handler = serveAgUi(graphOf(MODEL, instance, new DurableObjectSaver(ctx)), { runs: this.runs });
  }
  fetch(request) {
    if (request.url.endsWith("/abort")) this.ctx.abort("aborted by the test");
    return this.handler(request);
  }
  alarm() {
    return this.runs.alarm();
  }
}

export default {
  async fetch(request, env) {
    if (!new URL(request.url).pathname.startsWith("/agent")) return env.FILES.fetch(request);
    return env.THREADS.getByName(await threadIdOf(request)).fetch(request);
  },
};
