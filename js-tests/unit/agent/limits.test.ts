import {
  createAgent,
  type Middleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  tool,
  toolCallLimitMiddleware,
  toolRetryMiddleware,
} from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { expect, test, vi } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown, ValueError } from "./records.js";

interface Given {
  readonly stack: readonly { readonly kind: string; readonly options: Record<string, unknown> }[];
  readonly replies: readonly Reply[];
  readonly fails: number;
}

const camel = (options: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const made: Record<string, (options: never) => Middleware> = {
  model_limit: (options) => modelCallLimitMiddleware(options) as never,
  tool_limit: (options) => toolCallLimitMiddleware(options) as never,
  tool_limit_echo: (options) => toolCallLimitMiddleware(options) as never,
  model_retry: (options: object) => modelRetryMiddleware({ ...options, initialDelayMs: 0 }) as never,
  tool_retry: (options: object) => toolRetryMiddleware({ ...options, initialDelayMs: 0 }) as never,
  fallback: () => modelFallbackMiddleware(scripted([{ content: "fell back" }])) as never,
};

test("limits, retries and fallback over two runs of a thread", () =>
  replay("limits", async ({ in: given, out, error, log }: Recorded<Given, object[]>) => {
    const own: string[] = [];
    let fails = given.fails;
    const agent = createAgent({
      model: scripted(given.replies),
      tools: ["echo", "ping", "fail"].map((name) =>
        tool({
          name,
          run: () => {
            own.push(name);
            if (name === "fail" && fails-- > 0) throw new ValueError("broken");
            return name;
          },
        }),
      ),
      middleware: given.stack.map(({ kind, options }) => made[kind]?.(camel(options) as never) as Middleware),
      checkpointer: new MemorySaver(),
    });
    const config = { threadId: "1", maxConcurrency: 1 };
    const run = async () => {
      await agent.invoke({ messages: "one" }, config);
      return (await agent.invoke({ messages: "two" }, config)).messages.map(shown);
    };
    if (error !== undefined) await expect(run()).rejects.toThrow(error);
    else {
      expect(await run()).toEqual(out);
      expect(own).toEqual(log);
    }
  }));

const failing = (error: unknown) => (options: object) => {
  const run = vi.fn(() => Promise.reject(error));
  const asking = (messages: readonly { content: unknown }[]) =>
    messages.length > 1
      ? String(messages.at(-1)?.content)
      : { content: "", tool_calls: [{ id: "c", name: "f", args: {} }] };
  const agents = {
    model: () => createAgent({ model: run as never, middleware: [modelRetryMiddleware(options)] }),
    tool: () =>
      createAgent({ model: asking, tools: [tool({ name: "f", run })], middleware: [toolRetryMiddleware(options)] }),
  };
  return async (kind: keyof typeof agents) => {
    const said = await agents[kind]()
      .invoke({ messages: "Hi" })
      .then(
        ({ messages }) => messages.at(-1)?.content,
        (error: unknown) => error,
      );
    return [said, run.mock.calls.length];
  };
};

test("a wait that is longer than a timer takes is waited for", async () => {
  const run = vi.fn(() => Promise.reject(new Error("503")));
  const long = { initialDelayMs: 10 ** 10, maxDelayMs: Infinity, jitter: false };
  const agent = createAgent({ model: run as never, middleware: [modelRetryMiddleware(long)] });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("stopped")), 20);
  await expect(agent.invoke({ messages: "Hi" }, { signal: stop.signal })).rejects.toThrow("stopped");
  expect(run).toHaveBeenCalledTimes(1);
});

test("an error that is not worth a retry goes to onFailure at once", async () => {
  class Timeout extends Error {}
  const [error, slow] = [new RangeError("no such row"), new Timeout("slow")];
  const retryOn = [Timeout];
  const quick = { initialDelayMs: 0, maxRetries: 1 };
  const wrong = failing(error)({ ...quick, retryOn });
  expect(await wrong("model")).toEqual(["Model call failed after 1 attempt with RangeError: no such row", 1]);
  const ofTool = failing(error)({ ...quick, retryOn: () => false });
  expect(await ofTool("tool")).toEqual([
    "Tool 'f' failed after 1 attempt with RangeError: no such row. Please try again.",
    1,
  ]);
  for (const kind of ["model", "tool"] as const) {
    expect(await failing(error)({ ...quick, retryOn, onFailure: "error" })(kind)).toEqual([error, 1]);
    expect(await failing(error)({ ...quick, retryOn, onFailure: () => "Sorry." })(kind)).toEqual(["Sorry.", 1]);
    const [said, calls] = await failing(slow)({ ...quick, retryOn })(kind);
    // Named by its class, as in LangChain.
    expect([said, calls]).toEqual([expect.stringContaining("failed after 2 attempts with Timeout: slow"), 2]);
    expect((await failing("a text")({ ...quick, retryOn })(kind))[0]).toContain("with Error: a text");
  }
});
