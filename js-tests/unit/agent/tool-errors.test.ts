// toolErrorMiddleware: which tool errors the model receives.
import { createAgent, tool, toolErrorMiddleware, toolRetryMiddleware } from "threadfold/agent";
import { INTERRUPT, isInterrupted, MemorySaver } from "threadfold/graph";
import { expect, test, vi } from "vitest";

const model = async (messages: readonly { type: string; content: unknown }[]) =>
  messages.at(-1)?.type === "tool" ? "Done." : { tool_calls: [{ id: "c1", name: "look", args: { at: "x" } }] };

const agentOf = (run: () => unknown, ...middleware: ReturnType<typeof toolErrorMiddleware>[]) =>
  createAgent({ model, tools: [tool({ name: "look", run })], middleware });

test("onError's return value is reported as a failed result; it gets the error and the call", async () => {
  const onError = vi.fn(async (error: unknown) => [{ type: "text", text: `A ${(error as Error).name}.` }]);
  const failing = () => Promise.reject(new RangeError("secret"));
  const { messages } = await agentOf(failing, toolErrorMiddleware({ onError })).invoke({ messages: "Look." });
  const content = [{ type: "text", text: "A RangeError." }];
  expect(messages[2]).toMatchObject({ type: "tool", name: "look", tool_call_id: "c1", status: "error", content });
  expect(onError.mock.calls).toEqual([
    [expect.any(RangeError), expect.objectContaining({ toolCall: { id: "c1", name: "look", args: { at: "x" } } })],
  ]);
});

test("an error that it ignores fails the run, and so does one of another tool", async () => {
  const error = new RangeError("secret");
  const failing = () => Promise.reject(error);
  for (const nothing of [undefined, null])
    await expect(
      agentOf(failing, toolErrorMiddleware({ onError: () => nothing })).invoke({ messages: "Look." }),
    ).rejects.toBe(error);
  const others = toolErrorMiddleware({ onError: () => "Told.", tools: ["listen"] });
  await expect(agentOf(failing, others).invoke({ messages: "Look." })).rejects.toBe(error);
});

test("it gets the last error after retries, and no interrupt", async () => {
  const run = vi.fn(() => Promise.reject(new Error("Busy.")));
  const onError = vi.fn(() => "Told.");
  const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 0, onFailure: "error" });
  const { messages } = await agentOf(run, toolErrorMiddleware({ onError }), retry).invoke({ messages: "Look." });
  expect([run.mock.calls.length, onError.mock.calls.length, messages[2]?.content]).toEqual([3, 1, "Told."]);

  const asking = createAgent({
    model,
    tools: [tool({ name: "look", run: (_, { interrupt }) => interrupt("May I?") })],
    middleware: [toolErrorMiddleware({ onError })],
    checkpointer: new MemorySaver(),
  });
  const asked = await asking.invoke({ messages: "Look." }, { threadId: "t" });
  expect(isInterrupted(asked) && asked[INTERRUPT][0]?.value).toBe("May I?");
  expect(onError.mock.calls.length).toBe(1);
});
