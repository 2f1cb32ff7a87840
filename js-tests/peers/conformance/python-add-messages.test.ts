import { addMessages, REMOVE_ALL_MESSAGES } from "threadfold";
import { expect, test } from "vitest";
import { normalMessages, type NormalMessage } from "./normal-form.js";
import { type Recorded, refusal, replay, stumbled } from "./records.js";

interface Given {
  left: unknown;
  right: unknown;
}

type PythonMessage = Record<string, unknown> & { type: string };
type Case = Recorded<Given, PythonMessage[]>;

const ours = ({ left, right }: Given) => addMessages(left as never, right as never);
const items = (side: unknown): unknown[] => (Array.isArray(side) ? side : [side]);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Python writes a number for an id as text; ours requires text. */
function hasNumberForId({ in: { left, right } }: Case): boolean {
  return [...items(left), ...items(right)].some((item) => isObject(item) && typeof item["id"] === "number");
}

function clears({ in: { right } }: Case): boolean {
  return items(right).some((item) => isObject(item) && item["id"] === REMOVE_ALL_MESSAGES);
}

/** A message without content, such as an assistant's that only calls tools: langgraph.js and ours take it. */
const isWithoutContent = ({ error }: Case) => error?.includes("got {'type': 'human'}") ?? false;

function compareErrors(record: Case): void {
  const error = refusal(() => ours(record.in));
  if (stumbled(record)) return;
  if (record.error?.startsWith("Must specify non-null")) {
    // Python tests truthiness, so an empty list passes for null: the side that it names may be wrong.
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message.split(" Only")[0]).toBe(record.error.split(" Only")[0]);
  } else if (record.error?.startsWith("Attempting to delete")) {
    expect({ code: error.code, message: error.message }).toEqual({
      code: "UNKNOWN_MESSAGE",
      message: record.error,
    });
  } else {
    expect(error.code).toBe("INVALID_MESSAGE");
  }
}

/** Ours carries a removal after a remove-all out, or refuses it; Python answers with the removal. */
function compareAfterRemoveAll(record: Case, answer: NormalMessage[]): void {
  const removals = answer.filter(({ kind }) => kind === "remove");
  const kept = (at: number, removed: NormalMessage) =>
    answer.slice(0, at).some(({ kind, id }) => kind !== "remove" && id === removed.id);
  if (removals.every((removed) => kept(answer.indexOf(removed), removed))) {
    const gone = (message: NormalMessage, at: number) =>
      message.kind === "remove" || answer.slice(at).some(({ kind, id }) => kind === "remove" && id === message.id);
    expect(normalMessages(ours(record.in))).toEqual(answer.filter((message, at) => !gone(message, at)));
  } else {
    expect(refusal(() => ours(record.in)).code).toBe("UNKNOWN_MESSAGE");
  }
}

test("addMessages answers as Python's add_messages does", () => {
  replay("add-messages", (record: Case) => {
    if (hasNumberForId(record)) {
      expect(refusal(() => ours(record.in)).code).toMatch(/INVALID_MESSAGE|INVALID_ARGUMENT/);
    } else if (isWithoutContent(record)) {
      expect(normalMessages(ours(record.in))).toContainEqual({ kind: "human", content: "", id: "<uuid>" });
    } else if (record.out === undefined) {
      compareErrors(record);
    } else {
      const answer = normalMessages(record.out);
      if (clears(record) && answer.some(({ kind }) => kind === "remove")) compareAfterRemoveAll(record, answer);
      else expect(normalMessages(ours(record.in))).toEqual(answer);
    }
  });
});
