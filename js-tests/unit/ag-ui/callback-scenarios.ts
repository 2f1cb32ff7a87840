// Runs, and subscribers that answer: the cases in which a folded agent calls back as the plain one does.
import type { AgentStateMutation, Message } from "@ag-ui/client";
import { type Event, finished, started, text, toolCall } from "./agents.js";

export const question: Message = { id: "u1", role: "user", content: "Q" };
const answered: Message[] = [
  question,
  {
    id: "m0",
    role: "assistant",
    content: "A",
    toolCalls: [{ id: "c0", type: "function", function: { name: "n", arguments: "{}" } }],
  },
  { id: "t0", role: "tool", toolCallId: "c0", content: "R" },
];

const reasoning = (messageId: string, ...parts: string[]): Event[] => [
  { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ...parts.map((delta) => ({ type: "REASONING_MESSAGE_CONTENT", messageId, delta })),
  { type: "REASONING_MESSAGE_END", messageId },
];

const activity = (content: object, more: object = {}): Event => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId: "a1",
  activityType: "PLAN",
  content,
  ...more,
});
const activityDelta = (path: string, messageId = "a1"): Event => ({
  type: "ACTIVITY_DELTA",
  messageId,
  activityType: "PLAN",
  patch: [{ op: "replace", path, value: 1 }],
});
const result = (toolCallId: string, messageId: string): Event => ({
  type: "TOOL_CALL_RESULT",
  messageId,
  toolCallId,
  content: "42",
});
const snapshot = (value: unknown): Event => ({ type: "STATE_SNAPSHOT", snapshot: value });
const delta = (...operations: object[]): Event => ({ type: "STATE_DELTA", delta: operations });
const messages = (...list: object[]): Event => ({ type: "MESSAGES_SNAPSHOT", messages: list });
const custom: Event = { type: "CUSTOM", name: "mood", value: "calm" };

/** The events between a run's start and its end. */
export const BODIES: Record<string, Event[]> = {
  nothing: [],
  "a text": text("m1", "Let me ", "see."),
  "an empty text": text("m1"),
  "a text under the id of a message": text("m0", "!"),
  "a text under the id of an activity": [activity({}), ...text("a1", "x")],
  "a user's text": [{ type: "TEXT_MESSAGE_START", messageId: "m1", role: "user" }, ...text("m1", "x").slice(1)],
  "a text with metadata": text("m1", "a").map((event) => ({ ...event, metadata: { by: event.type } })),
  "two texts at once": [
    ...text("m1", "a").slice(0, 2),
    ...text("m2", "b").slice(0, 2),
    ...text("m1").slice(1),
    ...text("m2").slice(1),
  ],
  "text chunks": [
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", role: "assistant", delta: "a" },
    { type: "TEXT_MESSAGE_CHUNK", delta: "b" },
  ],
  reasoning: reasoning("r1", "Hm", "."),
  "reasoning with a signature": [
    ...reasoning("r1", "Hm"),
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "r1", encryptedValue: "s" },
  ],
  "reasoning under the id of an activity": [activity({}), ...reasoning("a1", "x")],
  "a call": toolCall("c1", "m1", '{"q":', '"x"}'),
  "a call without arguments": toolCall("c1", "m1"),
  "a call of a message that has text": [...text("m1", "a"), ...toolCall("c1", "m1", "{}")],
  "a call of a user's message": toolCall("c1", "u1", "{}"),
  "a call under another name": [
    ...toolCall("c1", "m1", "{}"),
    { ...(toolCall("c1", "m1")[0] as Event), toolCallName: "find" },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
  ],
  "a call with metadata": toolCall("c1", "m1", "{}").map((event) => ({ ...event, metadata: { by: event.type } })),
  "a call with a signature": [
    ...toolCall("c1", "m1", "{}"),
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: "c1", encryptedValue: "s" },
  ],
  "a call and its result": [...toolCall("c1", "m1", "{}"), result("c1", "t1")],
  "a result without a call": [result("c9", "t9")],
  "a result with parts": [
    ...toolCall("c1", "m1", "{}"),
    { ...result("c1", "t1"), content: [{ type: "text", text: "42" }] },
  ],
  "a state": [snapshot({ steps: [{ done: false }] })],
  "the same state twice": [snapshot({ a: 1 }), snapshot({ a: 1 })],
  "a state of null": [snapshot(null)],
  "a state that is a list": [snapshot([1, 2])],
  "a state and a delta": [
    snapshot({ steps: [{ done: false }] }),
    delta({ op: "replace", path: "/steps/0/done", value: true }),
  ],
  "a delta that does not apply": [delta({ op: "remove", path: "/nowhere" })],
  "a delta of nothing": [delta()],
  "the same messages": [messages(...answered)],
  "one more message": [messages(...answered, { id: "m1", role: "assistant", content: "a" })],
  "an edited message": [messages({ ...question, content: "edited" }, ...answered.slice(1))],
  "fewer messages": [messages(question)],
  "no messages": [messages()],
  "an activity": [activity({ steps: [] }), activityDelta("/steps")],
  "an activity that is replaced": [activity({ a: 1 }), activity({ b: 2 })],
  "an activity that is kept": [activity({ a: 1 }), activity({ b: 2 }, { replace: false })],
  "an activity under the id of a message": [activity({}, { messageId: "m0" })],
  "a delta of no activity": [activityDelta("/a", "m0")],
  "a delta of an unknown activity": [activityDelta("/a", "a9")],
  "a delta that an activity lacks": [activity({}), activityDelta("/no/where")],
  "steps and a custom event": [
    { type: "STEP_STARTED", stepName: "model" },
    custom,
    { type: "RAW", event: { any: 1 } },
    { type: "STEP_FINISHED", stepName: "model" },
  ],
  "a sub-agent": [
    { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "helper" },
    ...text("m1", "a").map((event) => ({ ...event, subagentRunId: "s1" })),
    { type: "SUBAGENT_FINISHED", subagentRunId: "s1" },
  ],
  "everything, one after the other": [
    ...text("m1", "a"),
    ...toolCall("c1", "m1", "{}"),
    result("c1", "t1"),
    snapshot({ a: 1 }),
    custom,
    ...text("m2", "b"),
  ],
};

/** Whole runs, where their starts and ends are the case. */
export const RUNS: Record<string, Event[]> = {
  "a run with input": [
    started("r1", {
      input: {
        threadId: "t1",
        runId: "r1",
        messages: [question, { id: "u2", role: "user", content: "Q2" }],
        tools: [],
        context: [],
      },
    }),
    ...text("m1", "a"),
    finished(),
  ],
  "a run with a result": [started(), finished("r1", { result: { said: "yes" } })],
  "a run with calls that are left": [
    started(),
    ...toolCall("c1", "m1", "{}"),
    finished("r1", { outcome: { type: "success", pendingToolCallIds: ["c1"] } }),
  ],
  "a cancelled run": [started(), ...text("m1", "a"), finished("r1", { outcome: { type: "cancelled" } })],
  "an interrupt": [
    started(),
    finished("r1", { outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "approval" }] } }),
  ],
  "an error": [started(), ...text("m1", "a").slice(0, 2), { type: "RUN_ERROR", message: "no" }],
  "an error with a code": [started(), { type: "RUN_ERROR", message: "no", code: "E1" }],
};

export type Answer = (name: string, params: Record<string, unknown>) => AgentStateMutation | void;

const event = (params: Record<string, unknown>) => (params["event"] as Event | undefined)?.type;

/** Subscribers, by their effect on a run. */
export const ANSWERS: Record<string, Answer> = {
  "answers nothing": () => {},
  "answers what it was given": (name, { messages, state }) =>
    name === "onEvent" ? { messages: messages as Message[], state: state as object } : undefined,
  "answers the state that it was given": (_, { state }) =>
    state === undefined ? undefined : { state: state as object },
  "stops every start of a run": (name, params) =>
    name === "onEvent" && event(params) === "RUN_STARTED" ? { stopPropagation: true } : undefined,
  "stops every content": (name) => (name.endsWith("ContentEvent") ? { stopPropagation: true } : undefined),
  "stops every end": (name) => (name.endsWith("EndEvent") ? { stopPropagation: true } : undefined),
  "adds a message at the run's start": (name, { messages, event }) =>
    name === "onRunStartedEvent"
      ? {
          messages: [
            ...(messages as Message[]),
            { id: `own-${(event as Event)["runId"]}`, role: "system", content: "!" },
          ],
        }
      : undefined,
  "sets the state at each event": (name, { state }) =>
    name === "onEvent" ? { state: { events: ((state as { events?: number }).events ?? 0) + 1 } } : undefined,
};

/** The runs of all scenarios; each comes before a second run of the same agent. */
export const SCENARIOS: Record<string, Event[]> = {
  ...RUNS,
  ...Object.fromEntries(Object.entries(BODIES).map(([what, body]) => [what, [started(), ...body, finished()]])),
};

/** The scenarios that each answer is tried on; one that answers nothing is tried on all. */
export const ANSWERED = [
  "everything, one after the other",
  "a run with input",
  "a run with calls that are left",
  "a state and a delta",
  "a call under another name",
];

/**
 * Scenarios in which the agents differ on purpose, and why. The callbacks and their order are the same; values in them
 * are not.
 */
export const DIFFERENT: Readonly<Record<string, string>> = {
  "an error": "a message that a failed run broke off is not part of the next run",
};

/** Scenarios whose rules are AG-UI 1.0's. */
export const ONLY_ONE = [
  "a cancelled run",
  "a text under the id of an activity",
  "reasoning under the id of an activity",
];

export const HISTORY = answered;
