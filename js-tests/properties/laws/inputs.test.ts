import * as fc from "fast-check";
import { addMessages, mergeFiles, MessageList, mergeTools, replaceTodos } from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { frozen } from "../../support/frozen.js";
import { leftSpecs, make, rightSpecs, type Spec } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";
import { held, partialState, partialUpdate, schemaOf, schemaSpec, updateOf } from "../../support/state-specs.js";

const RUNS = 1_000;

/** Calls with frozen inputs: nothing but a ThreadfoldError may be thrown, and nothing changed. */
function leavesAlone(call: (...inputs: never[]) => unknown, ...inputs: unknown[]): void {
  const before = JSON.stringify(inputs);
  const came = outcome(() => call(...(inputs.map(frozen) as never[])));
  if ("error" in came) expect(came.error).toMatchObject({ name: "ThreadfoldError" });
  expect(came).not.toMatchObject({ error: { code: "UNREADABLE_VALUE" } });
  expect(JSON.stringify(inputs)).toBe(before);
}

test("addMessages changes neither side, instances of message classes included", () => {
  const law = fc.property(leftSpecs, rightSpecs, fc.constantFrom("langgraph", "deepagents"), (left, right, rules) => {
    leavesAlone((a, b) => addMessages(a, b, { rules } as never), left.map(make), right.map(make));
  });
  fc.assert(law, seeded("inputs of addMessages", RUNS));
});

test("a MessageList changes no message that it was given, although it appends to its own", () => {
  const law = fc.property(leftSpecs, rightSpecs, (left, right) => {
    leavesAlone(
      (initial, update) => {
        const list = new MessageList(initial);
        for (const { id } of list.snapshot() as readonly { id: string }[]) {
          outcome(() => list.append(id, "more"));
          outcome(() => list.append(id, "and more"));
        }
        list.update(update);
        list.snapshot();
      },
      left.map(make),
      right.map(make),
    );
  });
  fc.assert(law, seeded("inputs of MessageList", RUNS));
});

test("mergeTools, replaceTodos and mergeFiles change neither side", () => {
  const pair = fc.tuple(held.tools, held.tools, held.todos, held.todos, held.files, updateOf("files"));
  const law = fc.property(pair, ([tools, moreTools, todos, nextTodos, files, moreFiles]) => {
    leavesAlone((a, b) => mergeTools(a, b), tools, moreTools);
    leavesAlone((a, b) => mergeTools(a, b, { prefer: "last" }), tools, moreTools);
    leavesAlone((a, b) => replaceTodos(a, b), todos, nextTodos);
    leavesAlone((a, b) => mergeFiles(a, b), files, moreFiles);
  });
  fc.assert(law, seeded("inputs of tools, todos and files", RUNS));
});

test("langGraphDefaultMergeState changes neither the state nor the run's input", () => {
  const compat = fc.constantFrom("accumulate", "0.0.x", "current");
  const plain = (specs: Spec[]) => specs.filter(({ kind }) => kind !== "remove").map(make);
  const law = fc.property(
    leftSpecs,
    rightSpecs,
    held.tools,
    held.tools,
    compat,
    (left, right, known, tools, compat) => {
      const state = { messages: plain(left), tools: known, copilotkit: { actions: [] }, other: {} };
      const input = { tools, context: [{ description: "d", value: "v" }] };
      leavesAlone((a, b, c) => langGraphDefaultMergeState(a, b, c, { compat } as never), state, plain(right), input);
    },
  );
  fc.assert(law, seeded("inputs of langGraphDefaultMergeState", RUNS));
});

test("schemas change neither states nor updates", () => {
  const cases = schemaSpec.chain((spec) =>
    fc.tuple(fc.constant(spec), partialState(spec), fc.array(partialUpdate(spec), { maxLength: 3 })),
  );
  const law = fc.property(cases, ([spec, state, updates]) => {
    using schema = schemaOf(spec);
    for (const update of updates) leavesAlone((a, b) => schema.merge(a, b), state, update);
    leavesAlone((a, b) => schema.step(a, b), state, updates);
    leavesAlone((a) => schema.input(a), state);
    leavesAlone((a) => schema.output(a), state);
    leavesAlone((a) => schema.checkpoint(a), state);
  });
  fc.assert(law, seeded("inputs of schemas", RUNS));
});
