// Where folding is meant to differ from `@ag-ui/client`: each case with its agent and with ours.
import type { HttpAgent, Message } from "@ag-ui/client";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test, vi } from "vitest";
import { agentOf, type Event, finished, started, text, toolCall } from "./agents.js";
import { isOne } from "./client-version.js";
import { reference } from "./reference.js";

type Kind = "plain" | "folding";

const question = (id = "u1"): Message => ({ id, role: "user", content: "Q" });
const ids = (agent: { messages: readonly { id: string }[] }) => agent.messages.map(({ id }) => id);
const contents = (agent: { messages: readonly object[] }) =>
  agent.messages.map((message) => (message as { content?: unknown }).content);

/** Runs both agents on the same input, and returns their results. */
async function each<T>(work: (kind: Kind) => Promise<T>): Promise<{ theirs: T; ours: T }> {
  const quiet = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")].map((spy) => spy.mockImplementation(() => {}));
  try {
    return { theirs: await work("plain"), ours: await work("folding") };
  } finally {
    for (const spy of quiet) spy.mockRestore();
  }
}

test("untouched messages stay the same objects", async () => {
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...text("m1", "a", "b"), finished()]], { initialMessages: [question()] });
    const seen = new Set<unknown>();
    await agent.runAgent({}, { onMessagesChanged: ({ messages }) => void seen.add(messages[0]) });
    return seen.size;
  });
  expect(theirs).toBe(3);
  expect(ours).toBe(1);
});

test("a token copies no message: not even one is cloned for it", async () => {
  const clones = async (kind: Kind, tokens: number) => {
    const agent = agentOf(
      kind,
      [[started(), ...text("m1", ...Array.from({ length: tokens }, () => "x")), finished()]],
      { initialMessages: [question()] },
    );
    const clone = vi.spyOn(globalThis, "structuredClone");
    await agent.runAgent({}, { onTextMessageContentEvent: () => {} });
    const count = clone.mock.calls.length;
    clone.mockRestore();
    return count;
  };
  const { theirs, ours } = await each(async (kind) => (await clones(kind, 30)) - (await clones(kind, 10)));
  expect(theirs).toBeGreaterThanOrEqual(20);
  expect(ours).toBe(0);
});

/** User actions in the middle of a run, while a text streams. */
const DURING: Record<string, { act: (agent: HttpAgent) => void; kept: (agent: HttpAgent) => boolean }> = {
  addMessage: { act: (agent) => agent.addMessage(question("u2")), kept: (agent) => ids(agent).includes("u2") },
  addMessages: {
    act: (agent) => agent.addMessages([question("u2"), question("u3")]),
    kept: (agent) => ids(agent).includes("u3"),
  },
  "a push to messages": {
    act: (agent) => void agent.messages.push(question("u2")),
    kept: (agent) => ids(agent).includes("u2"),
  },
  setMessages: {
    act: (agent) => agent.setMessages([{ ...question(), content: "edited" } as Message, ...agent.messages.slice(1)]),
    kept: (agent) => contents(agent)[0] === "edited",
  },
  "a removal by setMessages": {
    act: (agent) => agent.setMessages(agent.messages.slice(1)),
    kept: (agent) => !ids(agent).includes("u1"),
  },
  "a message put into another's place": {
    act: (agent) => void (agent.messages[0] = { ...question(), content: "edited" } as Message),
    kept: (agent) => contents(agent)[0] === "edited",
  },
  setState: {
    act: (agent) => agent.setState({ mood: "calm" }),
    kept: (agent) => (agent.state as { mood?: string }).mood === "calm",
  },
  "a change of state's first level": {
    act: (agent) => void ((agent.state as Record<string, unknown>)["mood"] = "calm"),
    kept: (agent) => (agent.state as { mood?: string }).mood === "calm",
  },
};

for (const [what, { act, kept }] of Object.entries(DURING)) {
  test(`during a run: ${what} stays`, async () => {
    const { theirs, ours } = await each(async (kind) => {
      const run = [
        started(),
        ...text("m1", "a", "b", "c"),
        { type: "STATE_DELTA", delta: [{ op: "add", path: "/step", value: 1 }] },
        finished(),
      ];
      const agent = agentOf(kind, [run], { initialMessages: [question()], initialState: { first: true } });
      let tokens = 0;
      agent.subscribe({
        onTextMessageContentEvent: () => {
          if (++tokens === 2) act(agent);
        },
      });
      await agent.runAgent();
      expect(contents(agent)).toContain("abc");
      expect(agent.state).toMatchObject({ step: 1 });
      return kept(agent);
    });
    expect(theirs).toBe(false);
    expect(ours).toBe(true);
  });
}

const known = [
  started(),
  ...text("m1", "a", "b"),
  ...toolCall("c1", "m1", '{"q":', "1}"),
  { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: "42" },
  finished(),
];

test.each([
  ["the run told once more", (agent: HttpAgent) => agent.runAgent({ runId: "r1" })],
  ["by joining it", (agent: HttpAgent) => agent.connectAgent()],
])("a run replayed over known history is there once: %s", async (_, again) => {
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [known, known], { initialMessages: [question()] });
    // HttpAgent itself joins nothing; those that do, do it with a stream like this.
    Object.defineProperty(agent, "connect", { value: agent.run.bind(agent) });
    await agent.runAgent({ runId: "r1" });
    await again(agent);
    return agent.messages;
  });
  const call = (text: string) => [{ id: "c1", type: "function", function: { name: "search", arguments: text } }];
  const result = { id: "t1", role: "tool", toolCallId: "c1", content: "42" };
  expect(theirs).toEqual([
    question(),
    { id: "m1", role: "assistant", content: "abab", toolCalls: call('{"q":1}{"q":1}') },
    result,
    result,
  ]);
  expect(ours).toEqual([
    question(),
    { id: "m1", role: "assistant", content: "ab", toolCalls: call('{"q":1}') },
    result,
  ]);
});

test("history that the page had from elsewhere is there once, too", async () => {
  const history: Message[] = [question(), { id: "m1", role: "assistant", content: "ab" }];
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...text("m1", "a", "b"), finished()]], { initialMessages: history });
    await agent.runAgent();
    return contents(agent);
  });
  expect(theirs).toEqual(["Q", "abab"]);
  expect(ours).toEqual(["Q", "ab"]);
});

test("a text that continues is not a repetition, for neither", async () => {
  const history: Message[] = [{ id: "m1", role: "assistant", content: "ab" }];
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...text("m1", "a", "c"), ...text("m1", "ab"), finished()]], {
      initialMessages: history,
    });
    await agent.runAgent();
    return contents(agent);
  });
  expect(theirs).toEqual(["abacab"]);
  expect(ours).toEqual(["abacab"]);
});

test("an error late in a burst does not lose the events before it", async () => {
  const { theirs, ours } = await each(async (kind) => {
    // All in one part; the last event breaks the protocol's rules.
    const burst = [started(), ...text("m1", "a", "b"), { type: "TEXT_MESSAGE_END", messageId: "m1" }];
    const agent = agentOf(kind, [burst]);
    await expect(agent.runAgent()).rejects.toThrow("TEXT_MESSAGE_END");
    return contents(agent);
  });
  expect(theirs).toEqual([]);
  expect(ours).toEqual(["ab"]);
});

const snapshot = (...messages: object[]): Event => ({ type: "MESSAGES_SNAPSHOT", messages });

test("messages stand in the snapshot's order (ag-ui#1745)", async () => {
  const stored = [
    question(),
    { id: "s1", role: "system", content: "S" },
    { id: "m1", role: "assistant", content: "a" },
  ];
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...text("m1", "a"), snapshot(...stored), finished()]], {
      initialMessages: [question()],
    });
    await agent.runAgent();
    return ids(agent);
  });
  expect(theirs).toEqual(["u1", "m1", "s1"]);
  expect(ours).toEqual(["u1", "s1", "m1"]);
});

test("a result that the snapshot has under another id stays in its place (ag-ui#2707)", async () => {
  const call = { id: "c1", type: "function", function: { name: "search", arguments: "{}" } };
  const run = [
    started(),
    ...toolCall("c1", "m1", "{}"),
    { type: "TOOL_CALL_RESULT", messageId: "streamed", toolCallId: "c1", content: "42" },
    ...text("m2", "Done"),
    snapshot(
      question(),
      { id: "m1", role: "assistant", content: "", toolCalls: [call] },
      { id: "stored", role: "tool", toolCallId: "c1", content: "42" },
      { id: "m2", role: "assistant", content: "Done" },
    ),
    finished(),
  ];
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [run], { initialMessages: [question()] });
    await agent.runAgent();
    return ids(agent);
  });
  expect(theirs).toEqual(["u1", "m1", "m2", "stored"]);
  expect(ours).toEqual(["u1", "m1", "stored", "m2"]);
});

test("a lagging snapshot removes nothing from a text that is being streamed", async () => {
  const run = (late: Event) => [
    started(),
    ...text("m1", "a", "b").slice(0, 2),
    late,
    ...text("m1", "a", "b").slice(2),
    finished(),
  ];
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [run(snapshot(question()))], { initialMessages: [question()] });
    await agent.runAgent();
    return contents(agent);
  });
  expect(theirs).toEqual(["Q"]);
  expect(ours).toEqual(["Q", "ab"]);
});

test("the result of a known call is not there twice, under any id", async () => {
  const results = ["t1", "t1", "t2"].map((messageId, at) => ({
    type: "TOOL_CALL_RESULT",
    messageId,
    toolCallId: "c1",
    content: `${at}`,
  }));
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...toolCall("c1", "m1", "{}"), ...results, finished()]]);
    await agent.runAgent();
    return agent.messages.map(({ id, content }) => `${id} ${content as string}`).slice(1);
  });
  expect(theirs).toEqual(["t1 0", "t1 1", "t2 2"]);
  expect(ours).toEqual(["t1 2"]);
});

test("partial arguments are an object, as they are documented", async () => {
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...toolCall("c1", "m1", '{"q": "x', '", "n": [1', "]}"), finished()]]);
    const seen: unknown[] = [];
    await agent.runAgent({}, { onToolCallArgsEvent: ({ partialToolCallArgs }) => void seen.push(partialToolCallArgs) });
    return seen;
  });
  expect(theirs).toEqual([{}, {}, {}]);
  expect(ours).toEqual([{}, { q: "x" }, { q: "x", n: [1] }]);
});

test("a mutation by the subscriber of a content event does not cost the token", async () => {
  const { theirs, ours } = await each(async (kind) => {
    const agent = agentOf(kind, [[started(), ...text("m1", "a", "b"), finished()]]);
    const edited = new Set<string>();
    agent.subscribe({
      onTextMessageContentEvent({ event, messages }) {
        if (edited.has(event.delta)) return;
        edited.add(event.delta);
        return { messages: [...(messages as Message[]), question(`u-${event.delta}`)] };
      },
    });
    await agent.runAgent();
    return agent.messages.find(({ id }) => id === "m1")?.content;
  });
  expect(theirs).toBe("");
  expect(ours).toBe("ab");
});

test("the state's own messages are not the thread's", async () => {
  const human = { type: "human", id: "h", content: "hi" };
  const events = [
    started(),
    ...text("m1", "a"),
    { type: "STATE_SNAPSHOT", snapshot: { messages: [human], mood: "calm" } },
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/messages/-", value: human },
        { op: "replace", path: "/mood", value: "gay" },
      ],
    },
    finished(),
  ];
  const agent = agentOf("folding", [events]);
  await agent.runAgent();
  expect(agent.state).toEqual((await reference(events)).state);
  expect(agent.state).toEqual({ messages: [human, human], mood: "gay" });
  expect(ids(agent)).toEqual(["m1"]);

  const thread = new Thread();
  await foldAgUi(thread, events);
  expect(thread.getState()).toMatchObject({ messages: [{ id: "m1" }], mood: "gay" });
});

test("a state of null has no fields", async () => {
  const thread = new Thread<{ messages: object[]; mood?: string }>({ values: { mood: "calm" } });
  await foldAgUi(thread, [started(), { type: "STATE_SNAPSHOT", snapshot: null }, finished()]);
  expect(thread.getState()).toEqual({ messages: [] });

  const agent = agentOf("folding", [[started(), { type: "STATE_SNAPSHOT", snapshot: null }, finished()]], {
    initialState: { mood: "calm" },
  });
  await agent.runAgent();
  // Before 1.0 the client itself passes over it.
  expect(agent.state).toEqual(isOne ? null : { mood: "calm" });
});
