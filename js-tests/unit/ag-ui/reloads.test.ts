// A reload changes nothing for the server: it is sent the same, and holds the same, as by a page that stays.
import * as fc from "fast-check";
import { type AgUiState, defineSchema, field, Thread } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { type Event, finished, started } from "./agents.js";

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  mood: field.replace<string>(),
  facts: field.merge(),
});
type State = AgUiState & { log?: string[]; mood?: string; facts?: object };
type Turn = {
  readonly optimistic: object | undefined;
  readonly update: object | undefined;
  readonly updateInRun: object | undefined;
  readonly answer: "snapshot" | "delta" | "nothing" | "history";
  readonly fails: boolean;
  readonly early: boolean;
  /** The positions in the turn before which the page is reloaded, in a page that is. */
  readonly reloads: readonly boolean[];
};

const fields = fc.option(
  fc.record(
    {
      log: fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 2 }),
      mood: fc.constantFrom("calm", "gay"),
      facts: fc.dictionary(fc.constantFrom("sun", "sea"), fc.constantFrom(1, 2), { minKeys: 1 }),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const turn: fc.Arbitrary<Turn> = fc.record({
  optimistic: fields,
  update: fields,
  updateInRun: fields,
  answer: fc.constantFrom("snapshot", "delta", "nothing", "history"),
  fails: fc.boolean(),
  early: fc.boolean(),
  reloads: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
});

const reloaded = (thread: Thread<State>): Thread<State> =>
  Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object, { schema }) as unknown as Thread<State>;

/** Plays the turns. Returns the server's requests, its state after each, and the page's views. */
async function played(turns: readonly Turn[], loadsAgain: boolean): Promise<unknown[]> {
  const seen: unknown[] = [];
  let server = { log: [] as string[], mood: "none", facts: {} };
  let thread = new Thread({ threadId: "t", schema, values: { mood: "first" } as never }) as unknown as Thread<State>;
  for (const [at, turn] of turns.entries()) {
    const mayReload = (place: number) => {
      if (loadsAgain && turn.reloads[place]) thread = reloaded(thread);
    };
    const runId = `r${at}`;
    if (turn.update) thread.update(turn.update as never);
    mayReload(0);
    if (turn.optimistic) thread.optimistic(turn.optimistic as never);
    mayReload(1);
    // The runner's order, or that of a caller of `foldAgUi`.
    if (turn.early) thread.receive({ type: "run-started", joined: false });
    mayReload(2);
    const { state } = runInput(thread) as { state: { log?: string[]; facts?: object } };
    server = {
      ...server,
      ...state,
      log: [...server.log, ...(state.log ?? []), `turn ${at}`],
      facts: { ...server.facts, ...state.facts },
    };
    await foldAgUi(thread, [started(runId)] as Event[], { join: turn.early ? undefined : false });
    mayReload(3);
    if (turn.updateInRun) thread.update(turn.updateInRun as never);
    if (turn.answer === "history") thread.receive({ type: "values", values: { messages: [], ...server } });
    const says: Record<string, Event[]> = {
      snapshot: [{ type: "STATE_SNAPSHOT", snapshot: server }],
      delta: Object.entries(server).map(([key, value]) => ({
        type: "STATE_DELTA",
        delta: [{ op: "add", path: `/${key}`, value }],
      })),
    };
    thread.receive({ type: "text", messageId: "none", text: "" });
    await foldAgUi(thread, [...(says[turn.answer] ?? [])]);
    mayReload(4);
    await foldAgUi(thread, [turn.fails ? { type: "RUN_ERROR", message: "no" } : finished(runId)] as Event[]);
    seen.push(structuredClone({ state, server, shown: thread.getState() }));
  }
  return seen;
}

test("the server's requests and state are the same as without reloads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
      expect(await played(turns, true)).toEqual(await played(turns, false));
    }),
    seeded("ag-ui reloads", 400),
  );
});

const RUN = [started("r"), { type: "STATE_SNAPSHOT", snapshot: { log: ["one"] } }, finished("r")] as Event[];
const json = (thread: Thread) => JSON.parse(JSON.stringify(thread)) as Record<string, unknown>;

test("a run that has begun without an id does not make the server's state the client's", async () => {
  const before = new Thread({ threadId: "t" });
  await foldAgUi(before, RUN);
  const { server: _, ...old } = json(before);
  for (const record of [json(before), old]) {
    const thread = Thread.fromJSON(record);
    thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }] as never });
    thread.receive({ type: "run-started", joined: false });
    expect(runInput(thread).state).toEqual({});
  }
});

test("received values are the server's, in a run and outside; initial and added ones are not", () => {
  const values = { messages: [], log: ["one"] };
  const sent = (change: (thread: Thread) => void, from = new Thread({ threadId: "t" })) => {
    change(from);
    expect(runInput(Thread.fromJSON(json(from))).state).toEqual(runInput(from).state);
    return runInput(from).state;
  };
  expect(sent((thread) => thread.receive({ type: "values", values }))).toEqual({});
  expect(sent((thread) => thread.receive({ type: "state", values: { log: ["one"] } }))).toEqual({});
  expect(sent((thread) => thread.update(values as never))).toEqual({ log: ["one"] });
  expect(sent(() => {}, new Thread({ threadId: "t", values: values as never }))).toEqual({ log: ["one"] });
  // Also if the thread was folded into before, and for text that the server sent before an update.
  expect(
    sent((thread) => {
      runInput(thread);
      thread.receive({ type: "values", values });
      thread.update({ log: ["two"] } as never);
      thread.update({ log: ["one"] } as never);
    }),
  ).toEqual({});
});

test("a run joined again from its start after a reload patches its state from there", async () => {
  const thread = new Thread<AgUiState & { log?: string[] }>({ threadId: "t" });
  await foldAgUi(thread, RUN);
  const delta = {
    type: "STATE_DELTA",
    delta: [
      { op: "remove", path: "/log/0" },
      { op: "add", path: "/log/-", value: "two" },
      { op: "add", path: "/n", value: 1 },
    ],
  };
  await foldAgUi(thread, [started("r2"), delta] as Event[]);
  const again = Thread.fromJSON(json(thread as unknown as Thread));
  const errors: unknown[] = [];
  again.on("error", (error) => errors.push(error));
  await foldAgUi(again, [started("r2"), delta, finished("r2")] as Event[], { join: true });
  expect(errors).toEqual([]);
  expect(again.getState()).toMatchObject({ log: ["two"], n: 1 });
  expect(runInput(again).state).toEqual({});
});
