// Fields beside the channels of langgraph.js: writes of `Overwrite` and of `undefined`, and a state's first values.
import { Annotation, BinaryOperatorAggregate, END, Overwrite, START, StateGraph } from "@langchain/langgraph";
import * as fc from "fast-check";
import { defineSchema, field, overwrite, Thread } from "threadfold";
import { describe, expect, test } from "vitest";
import { codeOf, outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";

const join = (left: unknown, right: unknown): string => `${left}+${right}`;

const Graph = Annotation.Root({
  last: Annotation<unknown>(),
  joined: Annotation<unknown>({ reducer: join, default: () => "0" }),
  bare: Annotation<unknown>({ reducer: join }),
});
const schema = defineSchema({
  last: field.replace(),
  joined: field.reducer<unknown>(join, { default: () => "0" }),
  bare: field.reducer<unknown>(join),
});

type State = Record<string, unknown>;

/** One super-step of a graph of langgraph.js in which each of these is written by a node of its own. */
async function stepOfGraph(state: State, writes: State[]): Promise<State> {
  const graph = new StateGraph(Graph) as unknown as {
    addNode(name: string, node: () => State): void;
    addEdge(from: string, to: string): void;
    compile(): { invoke(state: State): Promise<State> };
  };
  graph.addNode("begin", () => ({}));
  graph.addEdge(START, "begin");
  for (const [at, write] of writes.entries()) {
    graph.addNode(`n${at}`, () => write);
    graph.addEdge("begin", `n${at}`);
    graph.addEdge(`n${at}`, END);
  }
  return graph.compile().invoke(state);
}

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown[]>(1, "x", null, { a: 1 }) },
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>("y", null, undefined, [1]).map((value) => new Overwrite(value)) },
);
const write = fc.record({ last: value, joined: value, bare: value }, { requiredKeys: [] });
const defined = fc.constantFrom<unknown[]>(1, "s");
const begin = fc.record({ last: defined, joined: defined, bare: defined }, { requiredKeys: ["joined", "bare"] });

/** A field without a value is a missing one: a graph leaves it out. */
const settled = (state: State): State =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));

test("a super-step has the same result as in a graph of langgraph.js: instances of Overwrite, undefined, conflicts", async () => {
  const seen = { answers: 0, errors: 0 };
  const agrees = fc.asyncProperty(begin, fc.array(write, { maxLength: 3 }), async (state, writes) => {
    // The input of a graph is itself a write: it is joined to the field's default.
    const first = { ...state, joined: join("0", state.joined) };
    const theirs = await stepOfGraph(state, writes).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: error as Error }),
    );
    const ours = outcome(() => schema.step(first, writes) as State);
    if ("error" in theirs) {
      seen.errors++;
      expect(ours).toMatchObject({ error: { code: expect.stringMatching(/CONCURRENT_UPDATE|CONCURRENT_UPDATE/) } });
      return;
    }
    seen.answers++;
    expect("error" in ours ? ours.error : settled(ours.answer)).toEqual(settled(theirs.answer));
  });
  const settings = seeded("channels", 300);
  await fc.assert(agrees, settings);
  expect(seen.answers).toBeGreaterThan(settings.numRuns / 3);
  expect(seen.errors).toBeGreaterThan(settings.numRuns / 30);
});

describe("an instance of langgraph.js's Overwrite", () => {
  const total = defineSchema({
    total: field.reducer((left: number, right: number) => left + right, { default: () => 5 }),
  });

  test("sets the field, in merge, step, update and a run's update", () => {
    expect(total.merge({ total: 5 }, { total: new Overwrite(100) })).toEqual({ total: 100 });
    expect(total.step({ total: 5 }, [{ total: 1 }, { total: new Overwrite(100) }, { total: 2 }])).toEqual({
      total: 100,
    });
    const thread = new Thread({ schema: total });
    thread.update({ total: new Overwrite(100) });
    expect(thread.getState().total).toBe(100);
    thread.receive({ type: "update", update: { total: new Overwrite(7) } });
    expect(thread.getState().total).toBe(7);
  });

  test("is one in JSON as well, and a look-alike is a value", () => {
    expect(total.merge({ total: 5 }, JSON.parse(JSON.stringify({ total: new Overwrite(100) })))).toEqual({
      total: 100,
    });
    const bare = defineSchema({ log: field.reducer<unknown>(join, { default: () => "0" }) });
    for (const like of [
      { lg_name: "Overwrite", value: 3 },
      { lg_name: "Other", __overwrite__: 3 },
    ]) {
      expect(bare.merge({ log: "0" }, { log: like })).toEqual({ log: "0+[object Object]" });
    }
  });

  test("is the result of overwrite()", () => {
    const channel = new BinaryOperatorAggregate(
      (left: number, right: number) => left + right,
      () => 5,
    );
    channel.update([overwrite(100) as never]);
    expect(channel.get()).toBe(total.merge({ total: 5 }, { total: overwrite(100) }).total);
  });

  test("two in one super-step are refused", () => {
    expect(() => total.step({ total: 5 }, [{ total: new Overwrite(1) }, { total: new Overwrite(2) }])).toThrow(
      "Can receive only one Overwrite value per super-step.",
    );
  });
});

describe("a field that is written as undefined", () => {
  test.each([undefined, () => "0"])("has what a channel has after any writes of one step (default: %s)", (initial) => {
    const unless = (left: unknown, right: unknown) => (right === "gone" ? undefined : join(left, right));
    const fields = defineSchema({ it: field.reducer<unknown>(unless, { default: initial }) });
    const writes = [undefined, null, 1, "gone"];
    const steps: unknown[][] = [[]];
    for (const step of steps) if (step.length < 3) steps.push(...writes.map((write) => [...step, write]));
    expect(steps).toHaveLength(85);
    for (const step of steps) {
      const channel = new BinaryOperatorAggregate<unknown>(unless, initial);
      channel.update(step);
      const updates = step.map((it) => ({ it }));
      const state = fields.step(step.length === 0 ? (fields.initial() as State) : {}, updates);
      expect((state as State)["it"], JSON.stringify(step)).toBe(channel.value);
    }
  });

  test("has no value any more where it is replaced, and a reducer is given it", () => {
    expect(Object.entries(schema.merge({ last: 1, joined: "x" }, { last: undefined, joined: undefined }))).toEqual([
      ["last", undefined],
      ["joined", "x+undefined"],
    ]);
  });

  test("counts as a write", () => {
    expect(() => schema.step({}, [{ last: undefined }, { last: 2 }])).toThrow("Can receive only one value per step");
  });

  test("is refused for messages, as langgraph.js does, and for todos; fields that are added to count it as nothing", () => {
    const fields = defineSchema({
      messages: field.messages(),
      todos: field.todos(),
      log: field.append(),
      tools: field.tools(),
      files: field.files(),
      notes: field.merge(),
    });
    expect(codeOf(() => fields.merge({}, { messages: undefined }))).toBe("INVALID_ARGUMENT");
    expect(codeOf(() => fields.merge({}, { todos: undefined }))).toBe("INVALID_TODOS");
    const state = {
      log: [1],
      tools: [{ name: "t" }],
      files: { a: { content: "", encoding: "utf-8" as const } },
      notes: { b: 1 },
    };
    expect(fields.merge(state, { log: undefined, tools: undefined, files: undefined, notes: undefined })).toEqual(
      state,
    );
  });
});

describe("a state's first values", () => {
  test("has the default of each reducer, made anew", () => {
    const begins = defineSchema({
      messages: field.messages(),
      spent: field.reducer((left: string[], right: string[]) => [...left, ...right], { default: () => ["none"] }),
      bare: field.reducer(join),
      topic: field.replace(),
    });
    expect(begins.initial()).toEqual({ messages: [], spent: ["none"] });
    expect(begins.initial().spent).not.toBe(begins.initial().spent);
    expect(new Thread({ schema: begins }).getState()).toEqual({ messages: [], spent: ["none"] });
    // A thread's initial values are its state, and not a write to it.
    expect(new Thread({ schema: begins, values: { spent: ["much"] } }).getState().spent).toEqual(["much"]);
  });

  test("is the first state of a graph of langgraph.js", async () => {
    expect(settled(schema.initial() as State)).toEqual(settled(await stepOfGraph({ last: undefined }, [])));
  });
});
