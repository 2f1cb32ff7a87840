// An agent's messages and state, and its thread: the same after any change on either side.
import { AbstractAgent, type BaseEvent, HttpAgent, type Message, type RunAgentInput } from "@ag-ui/client";
import { from, Observable, type Subscriber } from "rxjs";
import { Thread } from "threadfold";
import { FoldHttpAgent, withFold } from "threadfold/ag-ui/client";
import { expect, test, vi } from "vitest";
import { agentOf, type Event, finished, response, started, text } from "./agents.js";

const question = (id = "u1", content = "Q"): Message => ({ id, role: "user", content });
const ids = (agent: { messages: readonly { id: string }[] }) => agent.messages.map(({ id }) => id);

/** An agent whose events the test sends. */
class Driven extends withFold(AbstractAgent) {
  #events: Subscriber<BaseEvent> | undefined;
  readonly inputs: RunAgentInput[] = [];

  run(input: RunAgentInput): Observable<BaseEvent> {
    this.inputs.push(input);
    return new Observable((subscriber) => void (this.#events = subscriber));
  }

  async send(...events: Event[]): Promise<void> {
    for (const event of events) this.#events?.next(event as unknown as BaseEvent);
    await settled();
  }

  end(): void {
    this.#events?.complete();
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

const config = () => ({ threadId: "t1", initialMessages: [question()], initialState: { mood: "calm" } });

test("the thread has the agent's initial values, and its name", () => {
  const { thread } = new Driven(config());
  expect(thread).toBeInstanceOf(Thread);
  expect(thread.threadId).toBe("t1");
  expect(thread.getState()).toEqual({ messages: [question()], mood: "calm" });
});

test("changes to the agent between runs are in the thread at the next read", () => {
  const agent = new Driven(config());
  const { thread } = agent;
  agent.addMessage(question("u2"));
  expect(ids(thread.getState() as never)).toEqual(["u1", "u2"]);
  agent.setMessages([question("u3"), question("u2", "edited"), question("u1")]);
  expect(thread.getState().messages).toEqual([question("u3"), question("u2", "edited"), question("u1")]);
  agent.setState({ other: 1 });
  expect(thread.getState()).toMatchObject({ other: 1 });
  expect(thread.getState()).not.toHaveProperty("mood");

  agent.messages.splice(1, 0, question("u4"));
  agent.messages.pop();
  expect(ids(agent.thread.getState() as never)).toEqual(["u3", "u4", "u2"]);
  agent.messages = [];
  agent.state = null;
  expect(agent.thread.getState()).toEqual({ messages: [] });
});

test("listeners of the thread are notified of changes to the agent", () => {
  const agent = new Driven(config());
  const seen: number[] = [];
  agent.thread.subscribe(({ messages }) => seen.push(messages.length));
  agent.addMessages([question("u2"), question("u3")]);
  agent.setMessages([]);
  expect(seen).toEqual([3, 0]);
});

test("kept values are the same objects, even when all is set anew from copies", () => {
  const agent = new Driven({ initialMessages: [question("u1"), question("u2"), question("u3")] });
  const before = agent.thread.getState().messages;
  agent.setMessages(
    structuredClone([before[0], { ...before[1], content: "edited" }, before[2], question("u4")]) as Message[],
  );
  const after = agent.thread.getState().messages;
  expect(after.map((message, at) => message === before[at])).toEqual([true, false, true, false]);
});

test("the user's own values are never frozen nor changed", async () => {
  const own = question("u2");
  const state = { mood: "calm", deep: { er: 1 } };
  const agent = new Driven(config());
  agent.addMessage(own);
  agent.state = state;
  void agent.thread.getState();
  expect(Object.isFrozen(own)).toBe(false);
  expect(Object.isFrozen(state)).toBe(false);
  const run = agent.runAgent();
  await settled();
  await agent.send(started(), ...text("m1", "a"), {
    type: "STATE_DELTA",
    delta: [{ op: "replace", path: "/deep/er", value: 2 }],
  });
  expect(state).toEqual({ mood: "calm", deep: { er: 1 } });
  expect(agent.state).toEqual({ mood: "calm", deep: { er: 2 } });
  agent.messages.push(question("u9"));
  (agent.state as Record<string, unknown>)["more"] = true;
  await agent.send(...text("m2", "b"), finished());
  agent.end();
  await run;
  expect(ids(agent)).toEqual(["u1", "u2", "m1", "u9", "m2"]);
  expect(agent.state).toMatchObject({ more: true });
});

test("an optimistic message shows in the agent, is sent with the run, and retires with the server's copy", async () => {
  const agent = new Driven(config());
  const changes: number[] = [];
  agent.subscribe({ onMessagesChanged: ({ messages }) => void changes.push(messages.length) });
  const op = agent.thread.optimistic({ messages: [question("u2")] });
  expect(ids(agent)).toEqual(["u1", "u2"]);
  expect(changes).toEqual([2]);
  const run = agent.runAgent();
  await settled();
  expect(agent.inputs[0]?.messages.map(({ id }) => id)).toEqual(["u1", "u2"]);
  await agent.send(started());
  expect(op.status).toBe("sent");
  await agent.send(...text("m1", "a"));
  expect(ids(agent)).toEqual(["u1", "u2", "m1"]);
  await agent.send(
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [question("u1"), question("u2"), { id: "m1", role: "assistant", content: "a" }],
    },
    finished(),
  );
  agent.end();
  await run;
  expect(op.status).toBe("done");
  expect(ids(agent)).toEqual(["u1", "u2", "m1"]);
});

test("a rollback leaves no trace in the agent", async () => {
  const agent = new Driven(config());
  const op = agent.thread.optimistic({ messages: [question("u2")], mood: "gay" });
  expect(agent.state).toEqual({ mood: "gay" });
  const run = agent.runAgent();
  await settled();
  await agent.send(started(), { type: "STATE_DELTA", delta: [{ op: "add", path: "/step", value: 1 }] });
  expect(agent.state).toEqual({ mood: "gay", step: 1 });
  await agent.send({ type: "RUN_ERROR", message: "no" });
  agent.end();
  await run;
  expect(op.status).toBe("failed");
  op.rollback();
  expect(ids(agent)).toEqual(["u1"]);
  expect(agent.state).toEqual({ mood: "calm", step: 1 });
});

test("additions to the thread itself are the agent's, too, and later run output goes on top", async () => {
  const agent = new Driven(config());
  agent.thread.update({ messages: [question("u2")], mood: { is: "gay" } });
  expect(ids(agent)).toEqual(["u1", "u2"]);
  expect(agent.state).toEqual({ mood: { is: "gay" } });
  const run = agent.runAgent();
  await settled();
  expect(agent.inputs[0]?.state).toEqual({ mood: { is: "gay" } });
  await agent.send(
    started(),
    { type: "STATE_DELTA", delta: [{ op: "replace", path: "/mood/is", value: "so-so" }] },
    finished(),
  );
  agent.end();
  await run;
  expect(agent.state).toEqual({ mood: { is: "so-so" } });
  expect(agent.thread.getState()).toMatchObject({ mood: { is: "so-so" } });
});

test("a server that gives every run the same id does not remove earlier answers", async () => {
  const agent = agentOf("folding", [
    [started("same"), ...text("m1", "one"), finished("same")],
    [started("same"), ...text("m2", "two"), finished("same")],
  ]);
  await agent.runAgent();
  await agent.runAgent();
  expect(ids(agent)).toEqual(["m1", "m2"]);
});

const logged = (more: Event[] = [], id = "r1") =>
  [
    started(id),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/-", value: 2 }] },
    ...more,
    finished(id),
  ] as Event[];

test("a run that the agent starts under an id that it had is another run: nothing of the first is lost", async () => {
  for (const kind of ["plain", "folding"] as const) {
    const agent = agentOf(kind, [logged(text("m1", "a")), logged(text("m2", "b"))], { initialState: { log: [1] } });
    await agent.runAgent({ runId: "r1" });
    await agent.runAgent({ runId: "r1" });
    expect(agent.state).toEqual({ log: [1, 2, 2] });
    expect(ids(agent)).toEqual(["m1", "m2"]);
  }
});

test("an interrupt that is resumed under its run's id loses nothing", async () => {
  const interrupts = [{ id: "i1", reason: "approval" }];
  for (const kind of ["plain", "folding"] as const) {
    const agent = agentOf(kind, [
      [
        started(),
        ...text("m1", "May I?"),
        { type: "STATE_SNAPSHOT", snapshot: { asked: true } },
        finished("r1", { outcome: { type: "interrupt", interrupts } }),
      ],
      [started(), ...text("m2", "Done."), finished()],
    ]);
    await agent.runAgent({ runId: "r1" });
    if (kind === "folding")
      expect((agent as FoldHttpAgent).thread.run).toMatchObject({ id: "r1", status: "interrupted", interrupts });
    await agent.runAgent({ runId: "r1", resume: [{ interruptId: "i1", status: "resolved" }] });
    expect(ids(agent)).toEqual(["m1", "m2"]);
    expect(agent.state).toEqual({ asked: true });
  }
});

/** An agent that joins the runs of its server. */
function joining(runs: Event[][], config: object): FoldHttpAgent {
  const agent = agentOf("folding", runs, config) as FoldHttpAgent;
  Object.defineProperty(agent, "connect", { value: agent.run.bind(agent) });
  return agent;
}

test("a replayed run begins with its own first state, and with later local changes", async () => {
  const again = logged([{ type: "CUSTOM", name: "now", value: 1 }]);
  const agent = joining([again, again, again], { initialState: { log: [1], first: true } });
  await agent.runAgent({ runId: "r1" });
  expect(agent.state).toEqual({ log: [1, 2], first: true });
  await agent.connectAgent(
    {},
    { onCustomEvent: () => agent.setState({ log: (agent.state as { log: number[] }).log, own: true }) },
  );
  expect(agent.state).toEqual({ log: [1, 2], own: true });
  await agent.connectAgent();
  expect(agent.state).toEqual({ log: [1, 2], own: true });
  expect(agent.thread.getState()).toEqual({ messages: [], log: [1, 2], own: true });
});

test("joined runs of others go by their own ids: replaying the last one is that run", async () => {
  const history = logged(text("m1", "a"));
  const agent = joining([history, history], { initialState: { log: [1] } });
  await agent.connectAgent();
  await agent.connectAgent();
  expect(agent.state).toEqual({ log: [1, 2] });
  expect(ids(agent)).toEqual(["m1"]);
});

test("a value set in the thread during a run is the agent's after a replay, too", async () => {
  const again = [started("r1"), { type: "CUSTOM", name: "now", value: 1 }, finished("r1")] as Event[];
  const agent = agentOf("folding", [again, again], { initialState: { first: true } }) as FoldHttpAgent;
  await agent.runAgent({ runId: "r1" }, { onCustomEvent: () => agent.thread.update({ mood: "gay" }) });
  await agent.runAgent({ runId: "r1" });
  expect(agent.state).toEqual({ first: true, mood: "gay" });
});

test("a clone has a thread of its own", async () => {
  const agent = agentOf("folding", [[started(), ...text("m1", "a"), finished()]], {
    initialMessages: [question()],
  }) as FoldHttpAgent;
  const { thread } = agent;
  const clone = agent.clone() as FoldHttpAgent;
  expect(clone).toBeInstanceOf(FoldHttpAgent);
  expect(clone.thread).not.toBe(thread);
  await clone.runAgent();
  expect(ids(clone)).toEqual(["u1", "m1"]);
  expect(ids(agent)).toEqual(["u1"]);
  expect(thread.getState().messages).toHaveLength(1);
});

test("the result and the new messages of a run", async () => {
  const agent = agentOf("folding", [[started(), ...text("m1", "a"), finished("r1", { result: 42 })]], {
    initialMessages: [question()],
  });
  const { result, newMessages } = await agent.runAgent();
  expect(result).toBe(42);
  expect(newMessages).toEqual([{ id: "m1", role: "assistant", content: "a" }]);
});

test("an agent that is detached stops where it is", async () => {
  const agent = new Driven(config());
  const run = agent.runAgent();
  await settled();
  await agent.send(started(), ...text("m1", "a", "b").slice(0, 2));
  await agent.detachActiveRun();
  await run;
  await agent.send(...text("m1", "a", "b").slice(2));
  expect(agent.messages.at(-1)).toMatchObject({ id: "m1", content: "a" });
});

test("a message that the agent was given without an id gets one", async () => {
  const agent = new Driven({ initialMessages: [{ role: "user", content: "Q" } as Message] });
  expect(agent.thread.getState().messages[0]).toMatchObject({
    role: "user",
    content: "Q",
    id: expect.any(String) as string,
  });
});

test("a listener that calls the agent while it is notified", async () => {
  const agent = new Driven(config());
  let once = true;
  agent.thread.subscribe(() => {
    if (!once) return;
    once = false;
    agent.addMessage(question("u9"));
  });
  const run = agent.runAgent();
  await settled();
  await agent.send(started(), ...text("m1", "a", "b"), finished());
  agent.end();
  await run;
  expect(ids(agent).toSorted()).toEqual(["m1", "u1", "u9"]);
  expect(agent.thread.getState().messages).toEqual(agent.messages);
});

test("an event that cannot be folded is a warning and no change, as in AG-UI's reference", async () => {
  const delta = (path: string) => ({ type: "STATE_DELTA", delta: [{ op: "remove", path }] });
  for (const kind of ["plain", "folding"] as const) {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const events = [started(), delta("/nowhere"), delta("/messages/0"), delta("/mood"), finished()];
    const agent = agentOf(kind, [events], { initialState: { mood: "calm" } });
    let changes = 0;
    agent.subscribe({ onStateChanged: () => void changes++ });
    await agent.runAgent();
    expect([kind, warn.mock.calls.length, changes]).toEqual([kind, 2, 1]);
    expect(warn.mock.calls.flat().join()).toMatch(/nowhere/);
    warn.mockRestore();
  }
});

test("the README's line: HttpAgent before, FoldHttpAgent after", async () => {
  for (const Agent of [HttpAgent, FoldHttpAgent]) {
    const agent = new Agent({
      url: "http://made",
      fetch: async () => response([started(), ...text("m1", "Hel", "lo"), finished()]),
    });
    agent.addMessage({ id: "q", role: "user", content: "Hi" });
    await agent.runAgent();
    expect(agent.messages.map(({ content }) => content)).toEqual(["Hi", "Hello"]);
    expect(agent).toBeInstanceOf(HttpAgent);
  }
});

test("any agent's class can fold", async () => {
  class Own extends AbstractAgent {
    readonly own = 1;
    run(): Observable<BaseEvent> {
      return from([started(), ...text("m1", "a"), finished()] as unknown as BaseEvent[]);
    }
  }
  const Folding = withFold(Own);
  const agent = new Folding({ threadId: "t9" });
  await agent.runAgent();
  expect(agent.own).toBe(1);
  expect(agent).toBeInstanceOf(Own);
  expect(agent.thread.threadId).toBe("t9");
  expect(agent.thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "a" }]);
});
