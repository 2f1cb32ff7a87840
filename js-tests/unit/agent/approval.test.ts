import { createAgent, humanInTheLoopMiddleware, tool, type ToolApprovalRequest } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

type HumanInTheLoopOptions = Parameters<typeof humanInTheLoopMiddleware>[0];
type InterruptOnConfig = Exclude<HumanInTheLoopOptions["interruptOn"][string], boolean>;

interface Given {
  readonly gates: Record<string, boolean | { allowed_decisions: never[]; description?: string }>;
  readonly replies: readonly Reply[];
  readonly turns: readonly object[][];
}

/** The agent of a record, and its tools. */
function agentOf(given: Pick<Given, "gates" | "replies">, options: Partial<HumanInTheLoopOptions>) {
  const log: string[] = [];
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
          log.push(`${name}(${x})`);
          return `${name}:${x}`;
        },
      }),
    ),
    middleware: [humanInTheLoopMiddleware({ interruptOn: Object.fromEntries(gates), editNotice: "NOTE", ...options })],
    checkpointer: new MemorySaver(),
  });
  return [agent, log] as const;
}

test("approval: the request, and the effect of each decision", () =>
  replay("approval", async ({ in: given, out, error, log, asked }: Recorded<Given, object[]> & { asked?: unknown }) => {
    const [agent, own] = agentOf(given, {});
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
    // Python's run fails, however often it is retried; as in langchain.js, the model receives the error.
    if (error?.includes("which is not an available tool")) {
      expect(JSON.stringify(await run())).toContain("Error: nope is not a valid tool, try one of [echo, ping, safe].");
      expect(questions.slice(0, spread(asked).length)).toEqual(spread(asked));
      return;
    }
    if (error !== undefined) {
      const came = await run().then(
        () => "no error",
        (failed: Error) => failed.message,
      );
      // Python prints a repr where ours is JSON.
      expect(plain(came)).toBe(plain(error));
    } else expect(await run()).toEqual(out);
    expect(questions).toEqual(spread(asked));
    // A failed step's siblings are stopped sooner or later.
    if (error === undefined) expect(own).toEqual(log);
  }));

type CallTurns = Omit<Given, "turns"> & { readonly turns: readonly Record<string, object>[] };

test("approval of each call by itself", () =>
  replay(
    "approval_per_call",
    async ({ in: given, out, error, log, asked }: Recorded<CallTurns, object[]> & { asked?: unknown }) => {
      const [agent, own] = agentOf(given, { interruptMode: "per_call" });
      const config = { threadId: "1", maxConcurrency: 1 };
      const questions: unknown[] = [];
      const run = async () => {
        let result: Record<string, unknown> = await agent.invoke({ messages: "go" }, config);
        for (const decisions of given.turns) {
          const waiting = result[INTERRUPT] as { id: string; value: ToolApprovalRequest }[] | undefined;
          if (!waiting) break;
          questions.push(...waiting.map(({ value }) => value));
          const resume = waiting.map(({ id, value }) => [id, decisions[value.tool_call_id]]);
          result = await agent.invoke(new Command({ resume: Object.fromEntries(resume) }), config);
        }
        return (result["messages"] as object[]).map(shown);
      };
      // Python's sentence is pydantic's, of the schema that it checks an answer with.
      if (error !== undefined)
        await expect(run()).rejects.toThrow(/Unexpected human decision|An edit of one call|Invalid edited action/);
      else expect(await run()).toEqual(out);
      expect(questions).toEqual(spread(asked));
      if (error === undefined) expect(own).toEqual(log);
    },
  ));

test("an answer to one call that does not fit fails the run, and the call can be answered again", async () => {
  const calls = [{ id: "c1", name: "echo", args: { x: "1" } }];
  const replies = [{ content: "", tool_calls: calls }];
  const [agent, log] = agentOf({ gates: { echo: true }, replies }, { interruptMode: "per_call" });
  const thread = { threadId: "1" };
  const asked = await agent.invoke({ messages: "go" }, thread);
  const [question] = (asked as unknown as Record<string, { id: string }[]>)[INTERRUPT] as { id: string }[];
  const answer = (decision: unknown) =>
    agent.invoke(new Command({ resume: { [question?.id as string]: decision } }), thread);
  const edited_action = { name: "safe", args: { x: "2" } };
  for (const wrong of [null, "yes", { type: "maybe" }, { type: "edit" }, { type: "edit", edited_action }])
    await expect(answer(wrong)).rejects.toThrow(/Unexpected human decision|An edit of one call|Invalid edited action/);
  // The answer to one question of a whole turn.
  await expect(answer({ decisions: [{ type: "approve" }] })).rejects.toThrow(
    "Expected one decision for a call, { type }",
  );
  expect(log).toEqual([]);
  await answer({ type: "approve" });
  expect(log).toEqual(["echo(1)"]);
});

test("an edit to an unknown tool: the model is notified, nothing ran, and the run continues", async () => {
  const replies = [{ content: "", tool_calls: [{ id: "c1", name: "echo", args: { x: "1" } }] }, { content: "Done." }];
  const [agent, log] = agentOf({ gates: { echo: true }, replies }, {});
  const thread = { threadId: "1" };
  await agent.invoke({ messages: "go" }, thread);
  const decisions = [{ type: "edit", edited_action: { name: "nope", args: {} } }];
  const { messages } = await agent.invoke(new Command({ resume: { decisions } }), thread);
  expect(messages.slice(2)).toMatchObject([
    { type: "tool", tool_call_id: "c1", status: "error" },
    { type: "ai", content: "Done." },
  ]);
  expect(messages[2]?.content).toBe("Error: nope is not a valid tool, try one of [echo, ping, safe].");
  expect(log).toEqual([]);
  expect((await agent.getState(thread)).next).toEqual([]);
});

test("the model is notified of an edit in LangChain's words, with the arguments as Python writes JSON", async () => {
  const replies = [{ content: "", tool_calls: [{ id: "c1", name: "echo", args: { x: "1" } }] }];
  const ran = async (options: Partial<HumanInTheLoopOptions>) => {
    const [agent] = agentOf({ gates: { echo: true }, replies }, options);
    await agent.invoke({ messages: "go" }, { threadId: "1" });
    const args = { x: 'é "a": \n{ [', list: [1, [], {}, { a: null }], none: {} };
    const decisions = [{ type: "edit", edited_action: { name: "echo", args } }];
    const { messages } = await agent.invoke(new Command({ resume: { decisions } }), { threadId: "1" });
    return messages[2]?.content;
  };
  // The answers of langchain 1.4.7's `HumanInTheLoopMiddleware`.
  expect(await ran({ editNotice: undefined })).toBe(
    "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one you " +
      "produced, not the one that executed. This was intentional and authorized. Do not re-issue your original call. " +
      'Executed instead: echo with arguments {"x": "\\u00e9 \\"a\\": \\n{ [", "list": [1, [], {}, {"a": null}], "none": {}}.' +
      '\n\nTool response:\necho:é "a": \n{ [',
  );
  for (const editNotice of [null, ""]) expect(await ran({ editNotice })).toBe('echo:é "a": \n{ [');
});

test("an unknown mode", () => {
  expect(() => humanInTheLoopMiddleware({ interruptOn: {}, interruptMode: "each" as never })).toThrow(/'per_call'/);
});

const plain = (text: string) => text.replace(/['"]/g, "").replace(/([:,]) /g, "$1");

/** Python prints arguments as their repr; ours are JSON, as in langchain.js. */
const spread = (asked: unknown): unknown[] =>
  JSON.parse(JSON.stringify(asked), (key, value: unknown) =>
    key === "description"
      ? String(value).replace(
          /Args: (\{.*\})$/s,
          (_, args: string) => `Args: ${JSON.stringify(JSON.parse(args), null, 2)}`,
        )
      : value,
  );

/** An agent that asks before it sends, and its sent messages. */
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

test("continuing without an answer: the model gets a result for the open call, the state stays as it is", async () => {
  const sent: string[][] = [];
  const model = async (messages: readonly { type: string; content: unknown }[]) => {
    sent.push(messages.map(({ type }) => type));
    return sent.length === 1 ? { tool_calls: [{ id: "c1", name: "send", args: {} }] } : "Fine.";
  };
  const agent = createAgent({
    model,
    tools: [tool({ name: "send", run: () => "Sent." })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  await agent.invoke({ messages: "Send it." }, { threadId: "t" });
  const { messages } = await agent.invoke({ messages: "Never mind." }, { threadId: "t" });
  expect(sent).toEqual([["human"], ["human", "ai", "tool", "human"]]);
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
});
