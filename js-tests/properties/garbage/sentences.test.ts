// An error names the element of a list, its field, and the expected value.
import * as threadfold from "threadfold";
import {
  addMessages,
  applyPatch,
  defineSchema,
  field,
  MessageList,
  mergeTools,
  replaceTodos,
  Thread,
  ThreadfoldError,
  type PatchOperation,
} from "threadfold";
import * as langgraph from "threadfold/langgraph";
import * as slim from "threadfold/slim";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";

const whole = [
  { type: "human", id: "1", content: "" },
  { id: "2", role: "user", content: "" },
  { type: "ai", id: "3", content: "" },
];
const kinds = "human, user, ai, assistant, system, developer, tool, function or remove, not 'alien'.";

const forms = "messages[3] should be an object with a type or a role, a string or a [role, content] pair.";

/** Faults of the fourth of some messages, each with its error. */
const wrong: readonly (readonly [message: unknown, sentence: string])[] = [
  [{ type: "human", id: 5, content: "" }, "messages[3].id should be a string."],
  [{ role: "user", id: 5, content: "" }, "messages[3].id should be a string."],
  [{ type: "alien", id: "4", content: "" }, `messages[3].type should be ${kinds}`],
  [{ role: "alien", content: "" }, `messages[3].role should be ${kinds}`],
  [["alien", "hi"], `messages[3][0] should be ${kinds}`],
  [[5, "hi"], "messages[3][0] should be a role."],
  [["user", 5], "messages[3][1] should be a string or a list of blocks."],
  [["user"], forms],
  [{ type: "tool", id: "4", content: "" }, "messages[3].tool_call_id should be the id of the call that it answers."],
  [{ role: "tool", content: "" }, "messages[3].tool_call_id should be the id of the call that it answers."],
  [{ type: "remove" }, "messages[3].id should be a string."],
  [{ lc: 1, type: "constructor", id: ["langchain", "alien"], kwargs: {} }, `messages[3].id should be ${kinds}`],
  [{ content: "hi" }, forms],
  [null, forms],
];

test("an error names the message by its index, and its field", () => {
  using list = new MessageList();
  using thread = new Thread();
  for (const [message, sentence] of wrong) {
    const messages = [...whole, message] as never[];
    const said = { error: { code: "INVALID_MESSAGE", message: sentence } };
    expect(outcome(() => addMessages([], messages))).toMatchObject(said);
    expect(outcome(() => addMessages(messages, []))).toMatchObject(said);
    expect(outcome(() => list.update(messages))).toMatchObject(said);
    expect(outcome(() => thread.update({ messages }))).toMatchObject(said);
    expect(outcome(() => thread.optimistic({ messages }))).toMatchObject(said);
  }
});

test("an error names the todo, the operation, the tool or the field", () => {
  const said = (call: () => unknown) => (outcome(call) as { error?: Error }).error?.message;
  expect(
    said(() =>
      replaceTodos(
        [],
        [
          { content: "a", status: "pending" },
          { content: "b", status: "later" as never },
        ],
      ),
    ),
  ).toMatch(/^todos\.1\.status: /);
  const patch: PatchOperation[] = [
    { op: "add", path: "/a", value: 1 },
    { op: "remove", path: "/b" },
  ];
  expect(said(() => applyPatch({}, patch))).toBe("Patch operation 1: nothing is at '/b'.");
  expect(said(() => mergeTools(5 as never, []))).toMatch(/ should be a list\.$/);
  expect(said(() => defineSchema({ notes: 5 as never }))).toMatch(/'notes'/);
  const schema = defineSchema({ log: field.append<number>(), plan: field.todos({ input: false }) });
  expect(said(() => schema.merge({}, { log: 5 as never }))).toBe("log should be a list.");
  using thread = new Thread({ schema });
  // @ts-expect-error is the agent's
  expect(said(() => thread.optimistic({ plan: [] }))).toMatch(/'plan'/);
});

test("every class has its name, in every entry", () => {
  const classes = [threadfold, slim, langgraph]
    .flatMap((entry) => Object.entries(entry))
    .filter(([name, value]) => typeof value === "function" && /^[A-Z]/.test(name));
  expect(classes.map(([name]) => name)).toEqual(
    expect.arrayContaining(["Thread", "Schema", "MessageList", "ThreadfoldError"]),
  );
  expect(classes.map(([, value]) => (value as { name: string }).name)).toEqual(classes.map(([name]) => name));
  expect(new ThreadfoldError("INVALID_ARGUMENT", "x").name).toBe("ThreadfoldError");
});
