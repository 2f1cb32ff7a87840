// Answers that come after a stop, from a fetch or a client that does not look at the signal.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { turn, until } from "./stub-server.js";

interface Request {
  readonly texts: unknown[];
  answer(): void;
}

const stream = (parts: readonly string[], headers: object) =>
  new Response(parts.join(""), { headers: { "content-type": "text/event-stream", ...headers } });

/** Returns a fetch whose answers wait. */
function waiting(respond: (number: number) => Response) {
  const requests: Request[] = [];
  const ask = (messages: readonly { content?: unknown }[] = []) =>
    new Promise<Response>((resolve) => {
      const number = requests.length;
      const texts = messages.map(({ content }) => content);
      requests.push({ texts, answer: () => resolve(respond(number)) });
    });
  return { requests, ask };
}

function agUi() {
  const runIds: string[] = [];
  const { requests, ask } = waiting((number) => {
    const event = (type: string) => `data: ${JSON.stringify({ type, threadId: "t", runId: runIds[number] })}\n\n`;
    return stream([event("RUN_STARTED"), event("RUN_FINISHED")], {});
  });
  const run = ({ runId, messages }: { runId: string; messages: object[] }) => (runIds.push(runId), ask(messages));
  const transport = { run, join: () => [], cancel: () => {} };
  const thread = new Thread<AgUiState>({ threadId: "t" });
  return { requests, thread, runner: new AgUiRunner(thread, { transport: transport as never }) };
}

function langGraph() {
  const { requests, ask } = waiting((number) =>
    stream(
      [
        `id: 1\nevent: metadata\ndata: {"run_id":"r${number}"}\n\n`,
        `id: 2\nevent: updates\ndata: {"node":{"messages":[{"type":"ai","id":"a${number}","content":"Yes"}]}}\n\n`,
      ],
      { "content-location": `/threads/t/runs/r${number}` },
    ),
  );
  const run = ({ input }: { input?: { messages?: object[] } }) => ask(input?.messages);
  const transport = { run, join: () => [], cancel: () => {}, status: () => "success" };
  const thread = new Thread({ threadId: "t" });
  return { requests, thread, runner: new LangGraphRunner(thread, { transport: transport as never, cancelTimeout: 0 }) };
}

test.each([
  ["AG-UI", agUi],
  ["LangGraph", langGraph],
])("%s: the answer to a stopped run does not name the next, and a queued message is sent", async (_, open) => {
  const { requests, thread, runner } = open();
  const first = runner.sendMessage("one");
  await until(() => requests.length === 1);
  await runner.stop();
  const sent = [runner.sendMessage("two")];
  await until(() => requests.length === 2);
  sent.push(runner.sendMessage("three"));
  requests[0]?.answer();
  await turn();
  expect([thread.run.id, thread.pending.at(-1)?.status]).toEqual([undefined, "pending"]);
  requests[1]?.answer();
  await until(() => requests.length === 3);
  requests[2]?.answer();
  const results = await Promise.all([first, ...sent]);
  expect(results.map(({ status }) => status)).toEqual(["stopped", "finished", "finished"]);
  expect(requests[2]?.texts.at(-1)).toBe("three");
  expect(thread.pending).toEqual([]);
});

test.each([
  ["after the next one's", [1, 0], "t1"],
  ["before the next one's", [0, 1], "t0"],
])("a thread that a stopped run asked for, and that comes %s, replaces none in use", async (_, order, threadId) => {
  const making: ((id: string) => void)[] = [];
  const ran: string[] = [];
  const transport = {
    create: () => new Promise<string>((resolve) => making.push(resolve)),
    run: ({ threadId }: { threadId: string }) => {
      ran.push(threadId);
      const parts = [
        { id: "2", event: "updates", data: { node: { messages: [{ type: "ai", id: "a", content: "" }] } } },
      ];
      return [{ id: "1", event: "metadata", data: { run_id: "r" } }, ...parts];
    },
    join: () => [],
    cancel: () => {},
    status: () => "success",
  };
  const named: string[] = [];
  const runner = new LangGraphRunner(new Thread(), {
    transport: transport as never,
    cancelTimeout: 0,
    onThreadId: (id) => named.push(id),
  });
  void runner.sendMessage("one");
  await until(() => making.length === 1);
  await runner.stop();
  const sent = runner.sendMessage("two");
  await until(() => making.length === 2);
  for (const at of order) {
    making[at]?.(`t${at}`);
    await turn();
  }
  expect(await sent).toMatchObject({ status: "finished" });
  expect([runner.thread.threadId, named, ran]).toEqual([threadId, [threadId], [threadId]]);
});
