// A run as a server streams it, cut at every event and joined again, the page reloaded in between.
import type { Thread, ThreadEvent } from "threadfold";
import { beforeEach, expect, test } from "vitest";
import {
  ai,
  finished,
  hear,
  human,
  joined,
  message,
  reloaded,
  started,
  streamed,
  text,
  threadOf,
  tool,
  values,
  whole,
  type Message,
} from "./say.js";
import { inside } from "../../support/inside.js";

type Shown = Record<string, unknown> & { messages: readonly Message[] };

const call = { name: "find", args: { q: "x" }, id: "c1" };
const question = human("q1", "Find x");
const calling = { ...ai("a1", "Let me see"), tool_calls: [call] };

/** Text, a tool call with its result, an early snapshot, todos, a second answer, and the server's last word. */
const withoutIds: ThreadEvent[] = [
  started("r1"),
  { type: "values", values: { messages: [human("q0", "Before"), question], files: { "/a": { content: "a" } } } },
  streamed("a1"),
  text("a1", "Let me "),
  text("a1", "see"),
  message(calling, { streaming: true }),
  whole("a1"),
  { type: "update", update: { messages: [calling], todos: [{ content: "find", status: "in_progress" }] } },
  message(tool("local", "c1", "42")),
  { type: "messages", messages: [human("q0", "Before"), question, calling, tool("t1", "c1", "42")] },
  { type: "delta", operations: [{ op: "add", path: "/files/~1b", value: { content: "b" } }] },
  streamed("a2"),
  text("a2", "It "),
  // Lags: it does not know the second answer.
  { type: "messages", messages: [human("q0", "Before"), question, calling, tool("t1", "c1", "42")] },
  text("a2", "is "),
  text("a2", "42"),
  whole("a2"),
  { type: "update", update: { todos: [{ content: "find", status: "completed" }] } },
  values({
    messages: [human("q0", "Before"), question, calling, tool("t1", "c1", "42"), ai("a2", "It is 42")],
    files: { "/a": { content: "a" }, "/b": { content: "b" } },
    todos: [{ content: "find", status: "completed" }],
  }),
  finished,
];

const events = withoutIds.map((event, at) => ({ ...event, id: `${at + 1}` }));

/** The same run joined again: from its start. */
const [, ...parts] = withoutIds;
const again = [joined("r1"), ...parts];
const againWithIds = again.map((event, at) => ({ ...event, id: `${at + 1}` }));

/** A thread whose user has asked. */
function asked(): Thread<Shown> {
  const thread = threadOf(human("q0", "Before"));
  thread.optimistic({ messages: [question] });
  return thread;
}

/** Drift and errors that any thread reported. */
const complaints: unknown[] = [];
beforeEach(() => void complaints.splice(0));

function told(thread: Thread<Shown>, ...events: ThreadEvent[]): Thread<Shown> {
  const ends = [
    thread.on("drift", (drift) => void complaints.push(drift)),
    thread.on("error", (error, event) => void complaints.push([error, event])),
  ];
  hear(thread, ...events);
  for (const end of ends) end();
  return thread;
}

function reopened(thread: Thread<Shown>): Thread<Shown> {
  const again = reloaded(thread);
  expect([again.getState(), again.getConfirmedState(), again.pending]).toEqual([
    thread.getState(),
    thread.getConfirmedState(),
    thread.pending,
  ]);
  thread.dispose();
  return again;
}

/** All that is left in the end, and nothing to complain of. */
function end(thread: Thread<Shown>): unknown {
  expect(complaints).toEqual([]);
  const left = structuredClone({
    state: thread.getState(),
    confirmed: thread.getConfirmedState(),
    run: thread.run.status,
  });
  thread.dispose();
  return left;
}

const uncut = end(told(asked(), ...events));

test("the run, uncut", () => {
  const messages = [human("q0", "Before"), question, calling, tool("t1", "c1", "42"), ai("a2", "It is 42")];
  expect(uncut).toMatchObject({ state: { messages }, confirmed: { messages }, run: "ready" });
});

for (const [how, rest] of [
  ["from its start", () => again],
  ["from its start, with ids that it has had", () => againWithIds],
  ["after the last id", (cut: number) => againWithIds.slice(cut)],
  ["after an id before the last, so that parts come twice", (cut: number) => againWithIds.slice(Math.max(0, cut - 3))],
] as const) {
  test(`cut at every event, and joined ${how}`, () => {
    for (let cut = 1; cut <= events.length; cut++) {
      const first = told(asked(), ...(how === "from its start" ? withoutIds : events).slice(0, cut));
      const thread = reopened(first);
      if (how.startsWith("after")) expect(thread.run.lastEventId).toBe(`${cut}`);
      expect(end(told(thread, ...rest(cut))), `cut after ${cut}`).toEqual(uncut);
    }
  });

  test(`cut at every event, joined ${how}: messages written meanwhile are there, once, all the time`, () => {
    for (let cut = 1; cut <= events.length; cut++) {
      const first = told(asked(), ...(how === "from its start" ? withoutIds : events).slice(0, cut));
      const op = first.optimistic({ messages: [human("q2", "And y?")], mood: "curious" });
      let thread = reopened(first);
      for (const event of rest(cut)) {
        told(thread, event);
        const { messages, mood } = thread.getState();
        expect([messages.filter(({ id }) => id === "q2").length, mood], `cut after ${cut}`).toEqual([1, "curious"]);
        expect(thread.pending.map(({ id }) => id)).toContain(op.id);
        thread = reopened(thread);
      }
      inside(thread).update(op.id).rollback();
      expect(end(thread), `cut after ${cut}`).toEqual(uncut);
    }
  });
}

test("a question that the server never saw is there after every cut that ends in failure", () => {
  for (let cut = 1; cut <= events.length - 1; cut++) {
    const silent = withoutIds.map((event) =>
      event.type === "values" || event.type === "messages" ? whole("nobody") : event,
    );
    const first = asked();
    hear(first, ...silent.slice(0, cut));
    const thread = reopened(first);
    hear(thread, { type: "run-error", error: "cut" });
    expect(
      thread.pending.map(({ status }) => status),
      `cut after ${cut}`,
    ).toEqual(["failed"]);
    expect(thread.getState().messages.slice(0, 2)).toEqual([human("q0", "Before"), question]);
    thread.dispose();
  }
});
