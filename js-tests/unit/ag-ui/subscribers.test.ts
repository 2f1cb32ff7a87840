// An agent of `@ag-ui/client` and one that folds: their subscribers are called the same, with the same.
import type { AgentStateMutation, HttpAgent, Message } from "@ag-ui/client";
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { from, lastValueFrom, type Observable } from "rxjs";
import { expect, test, vi } from "vitest";
import { agentOf, type Event, finished, started, text, textResponse, toolCall } from "./agents.js";
import { known, knownEvents } from "./client-version.js";
import { conversation, run } from "./event-specs.js";
import { input } from "./reference.js";
import { withoutRepeatedResults } from "./repeated-results.js";
import { recorder } from "./traces.js";
import { seeded } from "../../support/seed.js";

interface Setting {
  messages?: Message[];
  state?: unknown;
  answer?: (name: string, params: Record<string, unknown>) => AgentStateMutation | void;
}

/** One agent's runs: the calls to its subscribers, and its final state. */
async function traced(
  kind: "plain" | "folding",
  runs: (() => readonly object[] | Response)[],
  { messages = [], state = {}, answer }: Setting,
) {
  const quiet = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")].map((spy) => spy.mockImplementation(() => {}));
  try {
    const agent: HttpAgent = agentOf(
      kind,
      runs.map((run) => run()),
      { initialMessages: structuredClone(messages), initialState: state },
    );
    const first = recorder(answer);
    const second = recorder();
    agent.subscribe(first.subscriber);
    const ends: unknown[] = [];
    for (const _ of runs) {
      ends.push(
        await agent
          .runAgent({ runId: `r${ends.length + 1}` }, second.subscriber)
          .catch((error: Error) => error.message),
      );
    }
    const { messages: kept, pendingInterrupts } = agent;
    return known(
      JSON.parse(
        JSON.stringify({
          first: first.calls,
          second: second.calls,
          ends,
          kept,
          state: agent.state as unknown,
          pendingInterrupts,
        }),
      ) as Trace,
    );
  } finally {
    for (const spy of quiet) spy.mockRestore();
  }
}

interface Trace {
  first: { name: string }[];
  kept: Message[];
}

/** Messages in the order of their ids, wherever they are: a snapshot's order is kept by ours alone. */
const unordered = (trace: Trace) =>
  JSON.parse(JSON.stringify(trace), (key, value: unknown) =>
    ["messages", "kept", "newMessages"].includes(key) && Array.isArray(value)
      ? (value as Message[]).toSorted((a, b) => a.id.localeCompare(b.id))
      : value,
  ) as Trace;

async function both(
  runs: (() => readonly object[] | Response)[],
  setting: Setting = {},
  as = (trace: Trace) => trace,
): Promise<Trace> {
  const plain = as(await traced("plain", runs, setting));
  const folding = as(await traced("folding", runs, setting));
  expect(folding.first.map(({ name }) => name)).toEqual(plain.first.map(({ name }) => name));
  expect(folding).toEqual(plain);
  return folding;
}

const question: Message = { id: "u1", role: "user", content: "Q" };

const ANSWER: Event[] = knownEvents([
  started(),
  { type: "STEP_STARTED", stepName: "model" },
  ...text("m1", "Let me ", "see."),
  ...toolCall("c1", "m1", '{"q":', '"x"}'),
  { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: "42" },
  { type: "STATE_SNAPSHOT", snapshot: { steps: [{ done: false }] } },
  { type: "STATE_DELTA", delta: [{ op: "replace", path: "/steps/0/done", value: true }] },
  { type: "CUSTOM", name: "mood", value: "calm" },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "PLAN", content: { steps: [] } },
  { type: "ACTIVITY_DELTA", messageId: "a1", activityType: "PLAN", patch: [{ op: "add", path: "/steps/-", value: 1 }] },
  { type: "REASONING_START", messageId: "r1" },
  { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "Hm." },
  { type: "REASONING_MESSAGE_END", messageId: "r1" },
  { type: "REASONING_END", messageId: "r1" },
  { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "r1", encryptedValue: "s" },
  { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "helper" },
  { type: "SUBAGENT_FINISHED", subagentRunId: "s1" },
  { type: "RAW", event: { any: 1 } },
  { type: "STEP_FINISHED", stepName: "model" },
  finished("r1", { result: { said: "yes" } }),
]);

test("every kind of event, over two runs", async () => {
  const { first } = await both([() => ANSWER, () => [started("r2"), ...text("m2", "More."), finished("r2")]], {
    messages: [question],
  });
  const heard = new Set(first.map(({ name }) => name));
  for (const name of [
    "onRunInitialized",
    "onTextMessageContentEvent",
    "onToolCallArgsEvent",
    "onNewToolCall",
    "onNewMessage",
    "onMessagesChanged",
    "onStateChanged",
    "onRunFinalized",
  ]) {
    expect(heard).toContain(name);
  }
});

test("a recorded run of ag_ui_langgraph", async () => {
  const recorded = readFileSync(new URL("recorded/tool-call-run.sse", import.meta.url), "utf8");
  const { kept } = await both([() => textResponse(recorded, 1000)], { messages: [question] }, unordered);
  expect(kept.map(({ role }) => role).toSorted()).toEqual(["assistant", "assistant", "tool", "user"]);
});

test("chunks", async () => {
  await both([
    () => [
      started(),
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", role: "assistant", delta: "a" },
      { type: "TEXT_MESSAGE_CHUNK", delta: "b" },
      { type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "n", parentMessageId: "m1", delta: "{" },
      { type: "TOOL_CALL_CHUNK", delta: "}" },
      { type: "REASONING_MESSAGE_CHUNK", messageId: "r1", delta: "h" },
      finished(),
    ],
  ]);
});

test("an interrupt is left pending, and the next run answers it", async () => {
  const interrupts = [{ id: "i1", reason: "approval", subagentRunId: "s1" }];
  await both([() => [started(), finished("r1", { outcome: { type: "interrupt", interrupts } })]]);
});

test("a run that fails", async () => {
  await both([
    () => [started(), ...text("m1", "a"), { type: "RUN_ERROR", message: "no" }],
    () => [started("r2"), finished("r2")],
  ]);
});

/** The part of an agent that folds, without the checks before it: made runs need not keep the protocol's rules. */
async function applied(kind: "plain" | "folding", events: Event[], messages: Message[]) {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  try {
    const agent = agentOf(kind, [], { initialMessages: structuredClone(messages), initialState: { a: 1 } });
    const { subscriber, calls } = recorder();
    const run = input(messages, agent.state);
    const { apply, processApplyEvents } = agent as unknown as Record<
      "apply" | "processApplyEvents",
      (...args: unknown[]) => Observable<unknown>
    >;
    const mutations = apply.call(agent, run, from(structuredClone(events)), [subscriber]);
    await lastValueFrom(processApplyEvents.call(agent, run, mutations, [subscriber]));
    return known(
      JSON.parse(JSON.stringify({ calls, messages: agent.messages, state: agent.state as unknown })) as {
        calls: { name: string }[];
      },
    );
  } finally {
    warn.mockRestore();
  }
}

test("made runs", async () => {
  await fc.assert(
    fc.asyncProperty(conversation.map(known), run({ snapshots: false }), async (start, made) => {
      const events = knownEvents(withoutRepeatedResults(start, made));
      const plain = await applied("plain", events, start as never);
      const folding = await applied("folding", events, start as never);
      expect(folding.calls.map(({ name }) => name)).toEqual(plain.calls.map(({ name }) => name));
      expect(folding).toEqual(plain);
    }),
    seeded("subscribers of made runs", 500),
  );
});

/** A subscriber answers each of these; the events after it must find its result. */
const ANSWERS: Record<string, (name: string, params: Record<string, unknown>) => AgentStateMutation | void> = {
  "drops every content": (name) => (name === "onTextMessageContentEvent" ? { stopPropagation: true } : undefined),
  "drops events before they are applied": (name, { event }) =>
    name === "onEvent" && (event as Event).type.startsWith("TOOL_CALL") ? { stopPropagation: true } : undefined,
  "drops the ends": (name) => (name.endsWith("EndEvent") ? { stopPropagation: true } : undefined),
  "adds a message": (name, { messages }) =>
    name === "onStepStartedEvent"
      ? { messages: [...(messages as Message[]), { id: "own", role: "system", content: "!" }] }
      : undefined,
  "puts a message first": (name, { messages }) =>
    name === "onStepStartedEvent"
      ? { messages: [{ id: "own", role: "system", content: "!" }, ...(messages as Message[])] }
      : undefined,
  "removes and rewrites": (name, { messages }) =>
    name === "onCustomEvent"
      ? {
          messages: (messages as Message[])
            .slice(1)
            .map((one) => (one.role === "tool" ? { ...one, content: "redacted" } : one)),
        }
      : undefined,
  "clears all and stops": (name) =>
    name === "onStateSnapshotEvent" ? { messages: [], state: { own: true }, stopPropagation: true } : undefined,
  "sets the state": (name) => (name === "onEvent" ? { state: { steps: [{ done: 0 }] } } : undefined),
  "changes all at the run's edges": (name) =>
    name === "onRunInitialized" || name === "onRunFinalized"
      ? { messages: [{ id: "own", role: "user", content: name }], state: { name } }
      : undefined,
  throws: (name) => {
    if (name === "onTextMessageContentEvent") throw new Error("mine");
  },
};

for (const [what, answer] of Object.entries(ANSWERS)) {
  test(`a subscriber that ${what}`, async () => {
    await both([() => ANSWER, () => [started("r2"), ...text("m2", "More."), finished("r2")]], {
      messages: [question],
      answer,
    });
  });
}
