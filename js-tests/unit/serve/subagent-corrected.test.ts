// A middleware of a sub-agent changes messages that were streamed: the page gets them at the sub-agent's end.
import { EventSchemas } from "@ag-ui/core/schemas";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { createDeepAgent, tool } from "threadfold/agent";
import { piiMiddleware } from "threadfold/agent/pii";
import { MemorySaver } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

function agent() {
  return createDeepAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? "Done."
        : { tool_calls: [{ id: "c1", name: "task", args: { subagent_type: "reader", description: "Look." } }] },
    subagents: [
      {
        name: "reader",
        description: "looks",
        model: (messages) =>
          messages.at(-1)?.type === "tool"
            ? "Write to bob@example.com."
            : { tool_calls: [{ id: "c2", name: "look", args: {} }] },
        tools: [tool({ name: "look", run: () => "Mail info@hotel.it" })],
        middleware: [piiMiddleware("email", { applyToOutput: true, applyToToolResults: true })],
      },
    ],
    checkpointer: new MemorySaver(),
  });
}

test("a runner's sub-agent shows what the middleware left", async () => {
  const handler = serveAgUi(agent(), { subagents: true, resumable: true });
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const events: object[] = [];
  const runner = new AgUiRunner(thread, {
    url: "http://localhost/agent",
    fetch: async (url, init) => handler(new Request(url, init)),
    resumable: true,
    onEvent: (event) => events.push(event),
  });
  await runner.sendMessage("Go");
  const contents = thread.subagents.map((one) => {
    const { messages } = one.thread.getState() as AgUiState;
    return messages.map(({ content }) => content);
  });
  expect(contents).toEqual([[undefined, "Mail [REDACTED_EMAIL]", "Write to [REDACTED_EMAIL]."]]);
  for (const event of events) EventSchemas.parse(event);
});

test("a client that does not fold gets them in the closing snapshot", async () => {
  const handler = serveAgUi(agent(), { subagents: true });
  const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "q", role: "user", content: "Go" }] });
  const text = await (await handler(new Request("http://localhost/", { method: "POST", body }))).text();
  const snapshot = text.split("\n").findLast((line) => line.includes("MESSAGES_SNAPSHOT"));
  expect(snapshot).toContain("Mail [REDACTED_EMAIL]");
  expect(snapshot).not.toMatch(/info@hotel|bob@example/);
});
