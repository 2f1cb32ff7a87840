// Cases in which a folded agent must behave like the plain one: each runs with both.
import { AbstractAgent, type BaseEvent, HttpAgent, type Message, type RunAgentInput } from "@ag-ui/client";
import { concat, EMPTY, from, map, type Observable, throwError } from "rxjs";
import { ThreadfoldError } from "threadfold";
import { FoldHttpAgent, withFold } from "threadfold/ag-ui/client";
import { expect, test, vi } from "vitest";
import { AGENTS, type Event, finished, response, started, text, toolCall } from "./agents.js";
import { isOne } from "./client-version.js";

type Kind = keyof typeof AGENTS;
const KINDS = ["plain", "folding"] as const;

const question = (id = "u1", content = "Q"): Message => ({ id, role: "user", content });
const ids = (agent: { messages: readonly { id: string }[] }) => agent.messages.map(({ id }) => id);
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * An agent of a kind whose server sends these runs one after the other, without a wire between. Returns also its
 * requests.
 */
function told(kind: Kind, runs: readonly Event[][], config: object = {}) {
  const sent: RunAgentInput[] = [];
  class Told extends AbstractAgent {
    run(input: RunAgentInput): Observable<BaseEvent> {
      sent.push(structuredClone(input));
      return from((runs[sent.length - 1] ?? [started(), finished()]) as unknown as BaseEvent[]);
    }
  }
  const Kinds = { plain: Told, folding: withFold(Told) };
  return { agent: new Kinds[kind]({ threadId: "t1", ...config }), sent };
}

async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const spies = (["warn", "error"] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}));
  try {
    return await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const ODD: Record<string, Message[]> = {
  "of an unknown role": [question(), { id: "x1", role: "critic", content: "Hm." } as never, question("u2")],
  "with a type of its own": [
    question(),
    { id: "x1", role: "user", type: "voice", content: "Hm." } as never,
    question("u2"),
  ],
  "of an unknown role among tool results": [
    question(),
    {
      id: "m0",
      role: "assistant",
      toolCalls: [{ id: "c0", type: "function", function: { name: "n", arguments: "{}" } }],
    },
    { id: "x1", role: "critic", content: "Hm." } as never,
    { id: "t0", role: "tool", toolCallId: "c0", content: "R" },
  ],
};

for (const [what, messages] of Object.entries(ODD)) {
  test(`a message ${what} is kept in its place, and sent again`, async () => {
    for (const kind of KINDS) {
      const { agent, sent } = told(kind, [[started(), ...text("m1", "a"), finished()]], { initialMessages: messages });
      await agent.runAgent();
      await agent.runAgent();
      expect(ids(agent), kind).toEqual([...ids({ messages }), "m1"]);
      expect(
        sent.map((input) => asJson(input.messages)),
        kind,
      ).toEqual([messages, [...messages, { id: "m1", role: "assistant", content: "a" }]]);
    }
  });

  test(`a message ${what} that is added, moved and changed`, async () => {
    for (const kind of KINDS) {
      const { agent, sent } = told(kind, [[started(), ...text("m1", "a"), finished()]]);
      for (const message of structuredClone(messages)) agent.addMessage(message);
      await agent.runAgent();
      const [first, ...rest] = structuredClone(agent.messages);
      agent.setMessages([...rest, { ...first, content: "edited" } as Message]);
      await agent.runAgent();
      expect(ids(agent), kind).toEqual([...ids({ messages }).slice(1), "m1", "u1"]);
      expect(asJson(sent[1]?.messages.at(-1)), kind).toEqual(question("u1", "edited"));
      agent.setMessages(agent.messages.filter(({ id }) => id !== "x1"));
      await agent.runAgent();
      expect(ids(agent), kind).toEqual([...ids({ messages }).slice(1), "m1", "u1"].filter((id) => id !== "x1"));
    }
  });
}

test("a message of an unknown role outlasts the replay of a run", async () => {
  const events = [started(), ...text("m1", "a"), finished()];
  const { agent } = told("folding", [events, events]);
  Object.defineProperty(agent, "connect", { value: agent.run.bind(agent) });
  await agent.runAgent({ runId: "r1" });
  agent.addMessage({ id: "x1", role: "critic", content: "Hm." } as never);
  await agent.connectAgent();
  expect(ids(agent).toSorted()).toEqual(["m1", "x1"]);
});

test("a tool result under its call's message id is there, with the call, and sent again", async () => {
  const run = [
    started(),
    ...toolCall("c1", "m1", "{}"),
    { type: "TOOL_CALL_RESULT", messageId: "m1", toolCallId: "c1", content: "42" },
    finished(),
  ];
  for (const kind of KINDS) {
    const { agent, sent } = told(kind, [run]);
    await quietly(() => agent.runAgent());
    await quietly(() => agent.runAgent());
    for (const messages of [agent.messages, sent[1]?.messages ?? []]) {
      expect(
        messages.map(({ role }) => role),
        kind,
      ).toEqual(["assistant", "tool"]);
      expect(messages[1], kind).toMatchObject({ toolCallId: "c1", content: "42" });
    }
  }
});

test("two messages with one id in the agent's input are both kept", async () => {
  const call = { id: "c1", type: "function" as const, function: { name: "n", arguments: "{}" } };
  const messages: Message[] = [
    { id: "m1", role: "assistant", toolCalls: [call] },
    { id: "m1", role: "tool", toolCallId: "c1", content: "42" },
  ];
  for (const kind of KINDS) {
    const { agent, sent } = told(kind, [[started(), ...text("m2", "a"), finished()]], { initialMessages: messages });
    await agent.runAgent();
    await agent.runAgent();
    for (const { messages: history } of sent)
      expect(
        history.slice(0, 2).map(({ role }) => role),
        kind,
      ).toEqual(["assistant", "tool"]);
    expect(
      agent.messages.map(({ role }) => role),
      kind,
    ).toEqual(["assistant", "tool", "assistant"]);
  }
});

test("two results that came under one id, and a call under the id of another message, are all kept", async () => {
  const run = [
    started(),
    ...toolCall("c1", "m1", "{}"),
    ...toolCall("c2", "m1", "{}"),
    ...["c1", "c2"].map((toolCallId) => ({
      type: "TOOL_CALL_RESULT",
      messageId: "same",
      toolCallId,
      content: toolCallId,
    })),
    { type: "TOOL_CALL_START", toolCallId: "u1", toolCallName: "n" },
    { type: "TOOL_CALL_END", toolCallId: "u1" },
    finished(),
  ];
  for (const kind of KINDS) {
    const { agent } = told(kind, [run], { initialMessages: [question()] });
    await quietly(() => agent.runAgent());
    expect(agent.messages.map(({ role }) => role).toSorted(), kind).toEqual([
      "assistant",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
    const calls = agent.messages.flatMap((message) => (message as { toolCalls?: { id: string }[] }).toolCalls ?? []);
    expect(
      calls.map(({ id }) => id),
      kind,
    ).toEqual(["c1", "c2", "u1"]);
  }
});

test("messages without ids that are set twice are the same messages", () => {
  const { agent } = told("folding", []);
  const messages = [
    { role: "user", content: "one" },
    { role: "user", content: "two" },
    { role: "user", content: "two" },
  ] as Message[];
  const folding = agent as FoldHttpAgent;
  agent.setMessages(messages);
  const first = folding.thread.getState().messages;
  expect(first.map(({ content }) => content)).toEqual(["one", "two", "two"]);
  agent.setMessages(messages);
  expect(folding.thread.getState().messages).toEqual(first);
  agent.messages.push({ role: "user", content: "three" } as Message);
  expect(folding.thread.getState().messages.map(({ content }) => content)).toEqual(["one", "two", "two", "three"]);
});

test("a caller's change to its own message after handing it over is sent", async () => {
  for (const kind of KINDS) {
    const { agent, sent } = told(kind, [[started(), ...text("m1", "a"), finished()]], {
      initialMessages: [question()],
    });
    const own = { id: "u2", role: "user" as const, content: [{ type: "text" as const, text: "first" }] };
    agent.addMessage(own);
    if (kind === "folding") void (agent as FoldHttpAgent).thread.getState();
    own.content = [{ type: "text", text: "second" }];
    (agent.messages[0] as { content: string }).content = "edited";
    await agent.runAgent();
    await agent.runAgent();
    for (const { messages } of sent) {
      expect(
        messages.slice(0, 2).map(({ content }) => content),
        kind,
      ).toEqual(["edited", [{ type: "text", text: "second" }]]);
    }
  }
});

test("a caller's change to its own message is not lost to the thread's view", () => {
  const { agent } = told("folding", []);
  const { thread } = agent as FoldHttpAgent;
  const own = question("u1", "first");
  agent.addMessage(own);
  own.content = "second";
  thread.optimistic({ messages: [question("u2")] });
  expect(agent.messages.map(({ content }) => content)).toEqual(["second", "Q"]);
  expect(own).toEqual(question("u1", "second"));
});

test("the run does not wait for onNewMessage and onNewToolCall", async () => {
  const never = () => new Promise<never>(() => {});
  for (const kind of KINDS) {
    const { agent } = told(kind, [
      [
        started(),
        ...text("m1", "a"),
        ...toolCall("c1", "m2", "{}"),
        { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: "" },
        finished(),
      ],
    ]);
    const heard: string[] = [];
    await agent.runAgent(
      {},
      {
        onNewMessage: ({ message }) => (heard.push(message.id), never()),
        onNewToolCall: ({ toolCall: call }) => (heard.push(call.id), never()),
      },
    );
    expect(heard, kind).toEqual(["m1", "c1", "t1"]);
    expect(ids(agent), kind).toEqual(["m1", "m2", "t1"]);
  }
});

test("payloads of events are neither frozen nor shared", async () => {
  const made = () => ({
    snapshot: { type: "STATE_SNAPSHOT", snapshot: { deep: { er: [1] } } },
    delta: { type: "STATE_DELTA", delta: [{ op: "add", path: "/more", value: { list: [] as number[] } }] },
    messages: {
      type: "MESSAGES_SNAPSHOT",
      messages: [question("u1"), { id: "u2", role: "user", content: [{ type: "text", text: "a" }] }],
    },
    activity: { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "PLAN", content: { steps: [1] } },
    patch: {
      type: "ACTIVITY_DELTA",
      messageId: "a1",
      activityType: "PLAN",
      patch: [{ op: "add", path: "/own", value: { a: 1 } }],
    },
  });
  for (const kind of KINDS) {
    const own = made();
    const { agent } = told(kind, [
      [
        started("r1", { input: { threadId: "t1", runId: "r1", messages: [question("u0")], tools: [], context: [] } }),
        ...Object.values(own),
        finished(),
      ] as Event[],
    ]);
    await agent.runAgent();
    const before = asJson([agent.messages, agent.state]);
    own.snapshot.snapshot.deep.er.push(2);
    own.delta.delta[0]?.value.list.push(1);
    for (const message of own.messages.messages) message.content = "changed";
    own.activity.content.steps.push(2);
    for (const { value } of own.patch.patch) value.a = 2;
    expect(asJson([agent.messages, agent.state]), kind).toEqual(before);
    expect(before[1], kind).toEqual({ deep: { er: [1] }, more: { list: [] } });
  }
});

test("a class with an apply of its own says that it cannot be folded; one over the folding may have it", async () => {
  class Own extends HttpAgent {
    protected override apply(...args: Parameters<AbstractAgent["apply" & keyof AbstractAgent]>): never {
      throw new Error(String(args));
    }
  }
  expect(() => withFold(Own)).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/Own: it has an apply/) as string,
    }) as Error,
  );
  class Below extends Own {}
  expect(() => withFold(Below)).toThrow(ThreadfoldError);

  let passed = 0;
  class Above extends FoldHttpAgent {
    protected override apply(input: never, events: Observable<BaseEvent>, subscribers: never) {
      return super.apply(input, events.pipe(map((event) => (passed++, event))), subscribers);
    }
  }
  const agent = new Above({
    url: "http://made",
    fetch: async () => response([started(), ...text("m1", "a"), finished()]),
  });
  await agent.runAgent();
  expect([passed, agent.thread.getState().messages.length]).toEqual([5, 1]);
  expect(withFold(Above)).toBe(Above);
});

test("a run that failed in the middle of a message does not send that message as history", async () => {
  const { agent, sent } = told(
    "folding",
    [[started(), ...text("m1", "whole"), ...text("m2", "cut off").slice(0, 2), { type: "RUN_ERROR", message: "no" }]],
    { initialMessages: [question()] },
  );
  await quietly(() => agent.runAgent().catch(() => {}) as Promise<unknown>);
  expect(ids(agent)).toEqual(["u1", "m1", "m2"]);
  expect((agent as FoldHttpAgent).thread.run).toMatchObject({ id: "r1", status: "error", error: { message: "no" } });
  await agent.runAgent();
  expect(ids({ messages: sent[1]?.messages ?? [] })).toEqual(["u1", "m1"]);
});

test.each([
  ["the connection breaks", throwError(() => new Error("lost")), { cause: { message: "lost" } }],
  ["the stream ends", EMPTY, undefined],
])("when %s in the middle of a run, the run is disconnected, not running for ever", async (_, end, error) => {
  class Told extends AbstractAgent {
    run = () => concat(from([started(), ...text("m1", "a").slice(0, 2)] as unknown as BaseEvent[]), end);
  }
  const agent = new (withFold(Told))();
  await quietly(() => agent.runAgent({ runId: "r1" }).catch(() => {}) as Promise<unknown>);
  expect(agent.thread.run).toMatchObject({ id: "r1", status: "disconnected", ...(error && { error }) });
  expect(agent.messages).toMatchObject([{ id: "m1", content: "a" }]);
});

test("an agent that is detached in the middle of a run is disconnected", async () => {
  const agent = new FoldHttpAgent({
    url: "http://made",
    fetch: async () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(started())}\n\n`)),
        }),
      ),
  });
  const run = agent.runAgent();
  await vi.waitFor(() => expect(agent.thread.run.status).toBe("submitted"));
  await agent.detachActiveRun();
  await run;
  expect(agent.thread.run).toMatchObject({ id: "r1", status: "disconnected" });
});

test("a page of HTML is not a successful run", async () => {
  const page = async () => new Response("<!doctype html><p>Welcome!</p>", { headers: { "content-type": "text/html" } });
  await new HttpAgent({ url: "http://made", fetch: page }).runAgent();
  const agent = new FoldHttpAgent({ url: "http://made", fetch: page });
  await quietly(() => expect(agent.runAgent()).rejects.toMatchObject({ code: "BAD_RESPONSE" }));
});

test("withFold and its agents report errors in their arguments", () => {
  for (const wrong of [undefined, null, 1, {}, Map, () => {}]) {
    expect(() => withFold(wrong as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error);
  }
});

test("an item of the agent's list that is not a message is reported, and the others stay", async () => {
  const { agent, sent } = told("folding", [], { initialMessages: [question()] });
  agent.messages.push(null as never);
  await quietly(() => expect((agent as FoldHttpAgent).thread.getState().messages).toEqual([question()]) as never);
  agent.messages.pop();
  await agent.runAgent();
  expect(ids({ messages: sent[0]?.messages ?? [] })).toEqual(["u1"]);
});

test.runIf(isOne)("a message of an unknown role goes over the wire as the plain agent sends it", async () => {
  const bodies: Record<string, unknown> = {};
  for (const kind of KINDS) {
    const agent = new AGENTS[kind]({
      url: "http://made",
      threadId: "t1",
      initialMessages: [question(), { id: "x", role: "user", content: "a", type: "voice" } as never],
      fetch: async (_, { body }) => {
        bodies[kind] = { ...(JSON.parse(body as string) as object), runId: "" };
        return response([started(), finished()]);
      },
    });
    await quietly(() => agent.runAgent());
  }
  expect(bodies["folding"]).toEqual(bodies["plain"]);
});
