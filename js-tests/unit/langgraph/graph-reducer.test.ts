// graphReducer beside langgraph.js's messagesStateReducer: its answers, and its writes into the arguments.
import { AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { messagesStateReducer, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import * as fc from "fast-check";
import { ThreadfoldError } from "threadfold";
import { graphReducer } from "threadfold/langgraph/core";
import { describe, expect, expectTypeOf, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { leftSpecs, make, rightSpecs, type Spec } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";

type Reducer = (left: unknown, right: unknown) => BaseMessage[];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Ids that were given out, by the order in which they are met: the two reducers give out different ones. */
function naming(): (id: unknown) => unknown {
  const names = new Map<string, string>();
  return (id) => {
    if (typeof id !== "string" || !UUID.test(id)) return id;
    if (!names.has(id)) names.set(id, `uuid ${names.size}`);
    return names.get(id);
  };
}

/** All that shows of a reducer's call: its answer, where its messages come from, and its writes. */
function seen(reducer: Reducer, left: Spec[], right: Spec[]): object {
  const [was, more] = [left.map(make), right.map(make)];
  const given = [...was, ...more];
  const [wasList, moreList] = [was.slice(), more.slice()];
  const came = outcome(() => reducer(was, more));
  const nameOf = naming();
  const message = (one: unknown): unknown => {
    if (!(one instanceof BaseMessage)) return one;
    const { id, ...kwargs } = one.lc_kwargs as { id?: unknown };
    return {
      class: one.constructor.name,
      ...kwargs,
      id: nameOf(one.id),
      kwargsId: nameOf(id),
      content: one.content,
      json: typeof one.toJSON(),
    };
  };
  const lists = {
    untouched: was.every((one, at) => one === wasList[at]) && more.every((one, at) => one === moreList[at]),
  };
  const written = given.filter((one) => one instanceof BaseMessage).map(message);
  if ("error" in came) return { error: (came.error as Error).message, ...lists, written };
  return { answer: came.answer.map((one) => [given.indexOf(one), message(one)]), ...lists, written };
}

const isRemoval =
  (all: boolean) =>
  ({ kind, id }: Spec) =>
    kind === "remove" && (id === REMOVE_ALL_MESSAGES) === all;

test("graphReducer behaves as messagesStateReducer: classes, identity, ids, errors", () => {
  const counts = { answers: 0, errors: 0, afterRemoveAll: 0 };
  const agrees = fc.property(leftSpecs, rightSpecs, (left, right) => {
    const lastClear = right.findLastIndex(isRemoval(true));
    if (lastClear >= 0 && right.slice(lastClear + 1).some(isRemoval(false))) {
      // The deliberate difference: the reference answers the removal itself.
      counts.afterRemoveAll++;
      return;
    }
    // From 1.7 on, langgraph.js makes plain messages of chunks; before, and here, they stay chunks.
    if ([...left, ...right].some(({ kind }) => kind.endsWith("Chunk"))) return;
    const theirs = seen(messagesStateReducer as Reducer, left, right);
    expect(seen(graphReducer as Reducer, left, right)).toEqual(theirs);
    counts["error" in theirs ? "errors" : "answers"]++;
  });
  const settings = seeded("graphReducer", 10_000);
  fc.assert(agrees, settings);
  expect(counts.answers).toBeGreaterThan(settings.numRuns * 0.3);
  expect(counts.errors).toBeGreaterThan(settings.numRuns * 0.05);
  expect(counts.afterRemoveAll).toBeGreaterThan(settings.numRuns * 0.005);
});

describe("graphReducer", () => {
  test("takes one message, in any form, for a list", () => {
    for (const given of ["Hi", ["user", "Hi"], { role: "user", content: "Hi" }, new HumanMessage("Hi")] as const) {
      const [theirs] = messagesStateReducer(
        [],
        given === "Hi" || given instanceof HumanMessage ? given : [given as never],
      );
      const [message] = graphReducer([], given === "Hi" || given instanceof HumanMessage ? given : [given as never]);
      expect(message).toBeInstanceOf(HumanMessage);
      expect(message?.constructor).toBe(theirs?.constructor);
      expect(message?.content).toBe("Hi");
      expect(message?.id).toMatch(UUID);
    }
  });

  test("reports an invalid message in the reference's words, code and all", () => {
    for (const bad of [null, undefined, 5, {}, { role: "alien", content: "" }]) {
      const [theirs, own] = [messagesStateReducer, graphReducer].map((reducer) =>
        outcome(() => reducer([], [bad as never])),
      );
      expect(own).toEqual(theirs);
      expect(theirs).toHaveProperty("error.message");
      const codes = [theirs, own].map((came) => (came as { error: { lc_error_code?: string } }).error.lc_error_code);
      expect(codes[1]).toBe(codes[0]);
    }
    expect(() => graphReducer([], new RemoveMessage({ id: "x" }))).toThrow(ThreadfoldError);
    expect(() => graphReducer([], new RemoveMessage({ id: "x" }))).toThrow(
      "Attempting to delete a message with an ID that doesn't exist ('x')",
    );
  });

  test("gives the very list back when nothing changes", () => {
    const messages = graphReducer([], [new HumanMessage("a"), new AIMessage("b")]);
    expect(graphReducer(messages, [])).toBe(messages);
  });

  test("never answers with the list that a node returned, which the node may still fill", () => {
    const returned: BaseMessage[] = [new HumanMessage("a")];
    expect(graphReducer([], returned)).not.toBe(returned);
    expect(graphReducer([], [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...returned])).toEqual(returned);
  });

  test("carries out a removal after a remove-all, which the reference answers as a message", () => {
    const right = () => [
      new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
      new ToolMessage({ id: "t", tool_call_id: "c", content: "" }),
      new RemoveMessage({ id: "t" }),
    ];
    expect(messagesStateReducer([], right()).map(({ type }) => type)).toEqual(["tool", "remove"]);
    expect(graphReducer([], right())).toEqual([]);
  });

  test("has the type of messagesStateReducer", () => {
    expectTypeOf(graphReducer).toExtend<typeof messagesStateReducer>();
    expectTypeOf(graphReducer([], "hi")).toEqualTypeOf<BaseMessage[]>();
  });
});
