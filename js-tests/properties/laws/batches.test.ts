import { messagesStateReducer } from "@langchain/langgraph";
import * as fc from "fast-check";
import { addMessages } from "threadfold";
import { expect, test } from "vitest";
import { normalMessages } from "../../peers/conformance/normal-form.js";
import { outcome } from "../../support/errors.js";
import { leftSpecs, make, REMOVE_ALL, rightSpecs } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";

type Reducer = (left: unknown[], right: unknown[]) => unknown[];

const theirs = messagesStateReducer as Reducer;
const ours = addMessages as Reducer;

const atOnce = (reduce: Reducer, left: unknown[], batches: unknown[][]) => normalMessages(reduce(left, batches.flat()));
const inTurn = (reduce: Reducer, left: unknown[], batches: unknown[][]) =>
  normalMessages(batches.reduce(reduce, reduce(left, [])));

test("merging in one batch or one by one gives the same list where LangGraph's does", () => {
  let same = 0;
  const law = fc.property(leftSpecs, fc.array(rightSpecs, { minLength: 1, maxLength: 3 }), (left, batches) => {
    // After a remove-all ours carries removals out, where LangGraph keeps them.
    const removals = batches.flat().filter(({ kind }) => kind === "remove");
    if (removals.length > 1 && removals.some(({ id }) => id === REMOVE_ALL)) return;
    const given = () => [left.map(make), batches.map((batch) => batch.map(make))] as const;
    const once = outcome(() => atOnce(theirs, ...given()));
    const turns = outcome(() => inTurn(theirs, ...given()));
    if (!("answer" in once && "answer" in turns)) return;
    if (JSON.stringify(once) !== JSON.stringify(turns)) return;
    same++;
    expect(atOnce(ours, ...given())).toEqual(once.answer);
    expect(inTurn(ours, ...given())).toEqual(once.answer);
  });
  const settings = seeded("batches", 2_000);
  fc.assert(law, settings);
  expect(same).toBeGreaterThan(settings.numRuns / 5);
});

test("with DeepAgents' rules every split into batches gives the same list, as a delta channel needs it", () => {
  const law = fc.property(leftSpecs, fc.array(rightSpecs, { minLength: 1, maxLength: 3 }), (left, batches) => {
    const reduce: Reducer = (left, right) => addMessages(left as never[], right as never[], { rules: "deepagents" });
    const given = () => {
      const first = outcome(() => reduce([], left.map(make)));
      return ["answer" in first ? first.answer : [], batches.map((batch) => batch.map(make))] as const;
    };
    const once = outcome(() => atOnce(reduce, ...given()));
    const turns = outcome(() => inTurn(reduce, ...given()));
    if ("answer" in once) expect(turns).toEqual(once);
    else expect(turns).toMatchObject({ error: { code: (once.error as { code: string }).code } });
  });
  fc.assert(law, seeded("batches, DeepAgents' rules", 2_000));
});
