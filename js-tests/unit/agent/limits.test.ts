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
import { expect, test } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

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
            if (name === "fail" && fails-- > 0) throw Object.assign(new Error("broken"), { name: "ValueError" });
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
