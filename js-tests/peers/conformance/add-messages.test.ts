import { messagesStateReducer, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import * as fc from "fast-check";
import { addMessages, ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { leftSpecs, make, rightSpecs, type Spec } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";
import { normalMessages, type NormalMessage } from "./normal-form.js";

const reference = messagesStateReducer as (left: unknown, right: unknown) => unknown[];
const ours = addMessages as (left: unknown, right: unknown) => unknown[];

/** One message goes without its list at times; a pair cannot, for that is a list of two strings. */
const side = (specs: fc.Arbitrary<Spec[]>) =>
  fc.record({ specs, bare: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0) });

interface Side {
  specs: Spec[];
  bare: boolean;
}

function argument({ specs, bare }: Side): unknown {
  const [only] = specs;
  // The reference takes null for a malformed message; ours reports a missing argument. Both throw.
  return bare && specs.length === 1 && only ? make(only) : specs.map(make);
}

/**
 * The expected result, from the reference's answer. There is one deliberate difference: it answers a removal after a
 * remove-all with the removal itself. Ours carries it out, or refuses it.
 */
function expected(answer: NormalMessage[], right: Side): NormalMessage[] | "refused" {
  const clears = right.specs.some(({ kind, id }) => kind === "remove" && id === REMOVE_ALL_MESSAGES);
  if (!clears) return answer;
  let kept: NormalMessage[] = [];
  for (const message of answer) {
    if (message.kind !== "remove") kept.push(message);
    else if (!kept.some(({ id }) => id === message.id)) return "refused";
    else kept = kept.filter(({ id }) => id !== message.id);
  }
  return kept;
}

test("addMessages answers as langgraph.js does, errors included", () => {
  const seen = { answers: 0, removals: 0, errors: 0, afterRemoveAll: 0 };
  const agrees = fc.property(side(leftSpecs), side(rightSpecs), (left, right) => {
    const theirs = outcome(() => normalMessages(reference(argument(left), argument(right))));
    const own = outcome(() => normalMessages(ours(argument(left), argument(right))));
    if ("error" in theirs) {
      seen.errors++;
      const { error } = own as { error: ThreadfoldError };
      expect(error).toBeInstanceOf(ThreadfoldError);
      const { message } = theirs.error as Error;
      if (message.startsWith("Attempting to delete")) {
        expect(error).toMatchObject({ code: "UNKNOWN_MESSAGE", message });
        seen.removals++;
      }
      return;
    }
    const wanted = expected(theirs.answer, right);
    if (wanted === "refused") {
      seen.afterRemoveAll++;
      expect(own).toMatchObject({ error: { code: "UNKNOWN_MESSAGE" } });
      return;
    }
    seen.answers++;
    expect(own).toEqual({ answer: wanted });
  });
  const settings = seeded("add-messages", 20_000);
  fc.assert(agrees, settings);
  console.log(`add-messages: ${JSON.stringify(seen)}`);
  // Without these the cases would prove little.
  expect(seen.answers).toBeGreaterThan(settings.numRuns / 2);
  expect(seen.removals).toBeGreaterThan(settings.numRuns / 40);
});
