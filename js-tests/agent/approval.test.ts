import { createAgent, humanInTheLoopMiddleware, type InterruptOnConfig, tool } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

interface Given {
  readonly gates: Record<string, boolean | { allowed_decisions: never[]; description?: string }>;
  readonly replies: readonly Reply[];
  readonly turns: readonly object[][];
}

test("approval: what is asked, and what becomes of each decision", () =>
  replay("approval", async ({ in: given, out, error, log, asked }: Recorded<Given, object[]> & { asked?: unknown }) => {
    const own: string[] = [];
    const gates = Object.entries(given.gates).map(([name, gate]) => {
      if (typeof gate === "boolean") return [name, gate];
      const { allowed_decisions: allowedDecisions, description } = gate;
      return [name, { allowedDecisions, description }];
    });
    const agent = createAgent({
      model: scripted(given.replies),
      tools: ["echo", "ping", "safe"].map((name) =>
        tool({
          name,
          run: ({ x }: { x: string }) => {
            own.push(`${name}(${x})`);
            return `${name}:${x}`;
          },
        }),
      ),
      middleware: [humanInTheLoopMiddleware({ interruptOn: Object.fromEntries(gates), editNotice: "NOTE" })],
      checkpointer: new MemorySaver(),
    });
    const config = { threadId: "1", maxConcurrency: 1 };
    const questions: unknown[] = [];
    const run = async () => {
      let result: Record<string, unknown> = await agent.invoke({ messages: "go" }, config);
      for (const decisions of given.turns) {
        const waiting = result[INTERRUPT] as { value: unknown }[] | undefined;
        if (!waiting) break;
        questions.push(waiting[0]?.value);
        result = await agent.invoke(new Command({ resume: { decisions } }), config);
      }
      return (result["messages"] as object[]).map(shown);
    };
    if (error !== undefined) {
      const came = await run().then(
        () => "no error",
        (failed: Error) => failed.message,
      );
      // What Python shows as its repr is JSON.
      expect(plain(came)).toBe(plain(error));
    } else expect(await run()).toEqual(out?.map(jsonArgs));
    expect(questions).toEqual(asked);
    // A failed step's siblings are stopped sooner or later.
    if (error === undefined) expect(own).toEqual(log);
  }));

const plain = (text: string) => text.replace(/['"]/g, "").replace(/([:,]) /g, "$1");

/** Python writes a space behind a colon in JSON. */
const jsonArgs = (message: object) => {
  const { content } = message as { content: string };
  return { ...message, content: content.replaceAll('{"x": "EDIT"}', '{"x":"EDIT"}') };
};

/** An agent that asks before it sends, and what it has sent. */
function sender(config: InterruptOnConfig) {
  const sent: unknown[] = [];
  const agent = createAgent({
    model: scripted([{ content: "", tool_calls: [{ id: "c1", name: "send", args: { to: "Ada" } }] }]),
    tools: [tool({ name: "send", run: (args) => void sent.push(args) })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: config } })],
    checkpointer: new MemorySaver(),
  });
  const answer = (decision: unknown) =>
    agent.invoke(new Command({ resume: { decisions: [decision] } }), { threadId: "t" });
  return { sent, answer, ask: () => agent.invoke({ messages: "go" }, { threadId: "t" }) };
}

test("approval: when and description may take their time; the arguments' schema is shown", async () => {
  const argsSchema = { type: "object", properties: { to: { type: "string" } } };
  const { ask, answer, sent } = sender({
    allowedDecisions: ["approve"],
    when: async ({ toolCall, runtime }) => toolCall.args["to"] === "Ada" && runtime.node !== "",
    description: async ({ name }) => `May I ${name}?`,
    argsSchema,
  });
  expect((await ask())[INTERRUPT]?.[0]?.value).toEqual({
    action_requests: [{ name: "send", args: { to: "Ada" }, description: "May I send?" }],
    review_configs: [{ action_name: "send", allowed_decisions: ["approve"], args_schema: argsSchema }],
  });
  await answer({ type: "approve" });
  expect(sent).toEqual([{ to: "Ada" }]);

  const free = sender({ allowedDecisions: ["approve"], when: async () => false });
  await free.ask();
  expect(free.sent).toEqual([{ to: "Ada" }]);
});

test.each([
  [{ type: "edit" }, 'Invalid edited action for tool "send": name must be a string'],
  [{ type: "edit", editedAction: { args: {} } }, 'Invalid edited action for tool "send": name must be a string'],
  [{ type: "edit", edited_action: { name: "send" } }, 'Invalid edited action for tool "send": args must be an object'],
  [{ type: "edit", editedAction: { name: "send", args: null } }, "args must be an object"],
  [{ type: "reject", message: { no: true } }, 'Tool call response for "send" must be a string, got object'],
  [{ type: "respond", message: 5 }, 'Tool call response for "send" must be a string, got number'],
])("approval: %j runs nothing", async (decision, said) => {
  const { ask, answer, sent } = sender({ allowedDecisions: ["edit", "reject", "respond"] });
  await ask();
  await expect(answer(decision)).rejects.toThrow(said);
  expect(sent).toEqual([]);
});
