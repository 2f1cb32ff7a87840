// Garbage of every type into every function: an error with a code or an answer, and the input untouched.
import { ThreadfoldError } from "threadfold";
import * as context from "threadfold/context";
import { offload } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { garbage } from "../../properties/garbage/values.js";
import { outcome } from "../../support/errors.js";
import { isThorough } from "../../support/seed.js";
import { ai, human, tool } from "./conversations.js";

const { clearToolUses, patchToolCalls, repairToolCalls, safeCuts, trimMessages, truncateToolArgs } = context;

interface Call {
  /** Fresh good arguments. */
  args: () => unknown[];
  call: (...args: never[]) => unknown;
}

const list = () => [human(), ai("a", "b"), tool("b"), human()];
const answerOptions = () => ({ waiting: "answer", toolMessage: () => tool("x") });

const CALLS: Record<string, Call> = {
  safeCuts: { args: () => [list()], call: (messages) => [...safeCuts(messages)] },
  push: { args: list, call: (...messages) => void safeCuts(list() as never).push(...messages) },
  replaceLast: { args: () => [human()], call: (message) => void safeCuts(list() as never).replaceLast(message) },
  truncate: { args: () => [1], call: (length) => void safeCuts(list() as never).truncate(length) },
  cut: { args: () => [2], call: (target) => safeCuts(list() as never).cut(target) },
  nextCut: { args: () => [2], call: (target) => safeCuts(list() as never).nextCut(target) },
  repairToolCalls: { args: () => [list(), answerOptions()], call: (...args) => repairToolCalls(...(args as [never])) },
  patchToolCalls: { args: () => [list(), answerOptions()], call: (...args) => patchToolCalls(...(args as [never])) },
  trimMessages: { args: () => [long(), trimOptions()], call: (...args) => trimMessages(...(args as [never, never])) },
  "trimMessages, the first": {
    args: () => [
      long(),
      { maxTokens: 2, strategy: "first", endOn: ["human"], tokenCounter: (all: object[]) => all.length },
    ],
    call: (...args) => trimMessages(...(args as [never, never])),
  },
  clearToolUses: { args: () => [long(), clearOptions(), 99], call: (...args) => clearToolUses(...(args as [never])) },
  "clearToolUses before a message": {
    args: () => [long(), { editedBefore: "last", clearToolInputs: true }],
    call: (...args) => clearToolUses(...(args as [never])),
  },
  truncateToolArgs: {
    args: () => [long(), truncateOptions(), 99],
    call: (...args) => truncateToolArgs(...(args as [never])),
  },
  "truncateToolArgs before a message": {
    args: () => [long(), { editedBefore: 5, maxLength: 3 }],
    call: (...args) => truncateToolArgs(...(args as [never])),
  },
  offload: { args: () => [long(), offloadOptions()], call: (...args) => offload(...(args as [never])) },
};

/** A conversation in which each of the edits has something to do. */
const long = () => [
  { type: "system", content: "s" },
  human("a\nbb\nccc"),
  {
    ...ai(),
    tool_calls: [{ id: "c", name: "write_file", args: { text: "0123456789" } }],
    response_metadata: { context_editing: { cleared_tool_inputs: ["b"] } },
  },
  { ...tool("c"), name: "f", artifact: 1, content: [{ type: "text", text: "x".repeat(9) }, "y"] },
  {
    id: "a",
    role: "assistant",
    toolCalls: [{ id: "d", function: { name: "edit_file", arguments: '{"a":"0123456789"}' } }],
  },
  { id: "t", role: "tool", toolCallId: "d", content: "x".repeat(9) },
  { ...human("z".repeat(9)), id: "last", additional_kwargs: {} },
];
const trimOptions = () => ({
  maxTokens: 40,
  tokenCounter: "approximate",
  strategy: "last",
  startOn: "human",
  endOn: ["human", "ai"],
  includeSystem: true,
  allowPartial: true,
  textSplitter: (text: string) => [...text],
  toolPairs: "whole",
});
const clearOptions = () => ({
  trigger: 1,
  clearAtLeast: 5,
  keep: 0,
  clearToolInputs: true,
  excludeTools: ["g"],
  placeholder: "-",
  tokenCounter: "estimate",
});
const truncateOptions = () => ({
  trigger: { fraction: 0.5 },
  keep: { tokens: 5 },
  maxInputTokens: 9,
  tools: ["write_file"],
  maxLength: 3,
  truncationText: "-",
  tokenCounter: "approximate",
});
const offloadOptions = () => ({ toolTokens: 2, humanTokens: 2, excludeTools: ["g"], root: "/x" });

/** The exports that counters-garbage.test.ts covers. */
const COUNTERS = /^count|^estimate|^scan|Tokens$/;
/** The exports that context-garbage.test.ts covers. */
const CONTEXTS = /^Context$|^(context|full)Messages$|^slidingWindow$|Summarization$/;

test("every function is given garbage", () => {
  const names = Object.keys(context).filter((name) => !COUNTERS.test(name) && !CONTEXTS.test(name));
  expect(names.filter((name) => !(name in CALLS))).toEqual([]);
});

const probe = () => JSON.stringify([[...safeCuts(list() as never)], repairToolCalls(list() as never[])]);
const GOOD = probe();

function check(call: Call, args: unknown[], what: string): void {
  const came = outcome(() => call.call(...(args as never[])));
  if ("error" in came && !(came.error instanceof ThreadfoldError))
    expect.fail(`${what}: threw ${came.error instanceof Error ? came.error.stack : "what is no error"}`);
  // `expect` takes longer than the probe.
  if (probe() !== GOOD) expect.fail(`${what}: other calls answer otherwise now: ${probe()}`);
}

/** A message with garbage under every name that is read. */
const FIELDS = ["role", "type", "id", "lc", "kwargs", "tool_calls", "toolCalls", "invalid_tool_calls"].concat([
  "tool_call_id",
  "toolCallId",
  "content",
  "name",
  "artifact",
  "additional_kwargs",
  "response_metadata",
  "metadata",
  "_getType",
  "getType",
]);

for (const [name, call] of Object.entries(CALLS)) {
  test(`${name}: each argument, each item, each option, each field of a message and of a call`, () => {
    check(call, call.args(), "good arguments");
    // Unless thorough, each kind of garbage is in an eighth of the fields, the next kind in others.
    let fields = 0;
    const isLeftOut = () => fields++ % 8 !== 0 && !isThorough();
    for (const [what, make] of Object.entries(garbage)) {
      fields++;
      call.args().forEach((good, at) => {
        check(call, call.args().with(at, make()), `argument ${at} is ${what}`);
        if (Array.isArray(good)) check(call, call.args().with(at, [human(), make(), ai("c")]), `an item is ${what}`);
        if (typeof good === "object")
          for (const key of Object.keys(good as object).filter((key) => !/^\d/.test(key)))
            check(call, call.args().with(at, { ...good, [key]: make() }), `${key} is ${what}`);
      });
      const [first] = call.args();
      if (typeof first === "number") continue;
      const wrapped = (message: unknown) =>
        Array.isArray(first) ? [[message, human()], ...call.args().slice(1)] : [message];
      if (Array.isArray(first) && first.length > 4)
        for (const [index, message] of (first as object[]).entries())
          for (const field of FIELDS) {
            if (isLeftOut()) continue;
            check(
              call,
              [first.with(index, { ...message, [field]: make() }), ...call.args().slice(1)],
              `the ${field} of messages[${index}] is ${what}`,
            );
          }
      for (const field of FIELDS)
        for (const good of [ai("c"), tool("c"), { id: "m", role: "assistant", toolCalls: [{ id: "c" }] }]) {
          if (isLeftOut()) continue;
          check(call, wrapped({ ...good, [field]: make() }), `a message's ${field} is ${what}`);
        }
      for (const field of ["id", "name", "function"])
        check(call, wrapped({ ...ai(), tool_calls: [{ id: "c", [field]: make() }] }), `a call's ${field} is ${what}`);
    }
  });
}

const READ_OF = { ai: ["type", "role", "tool_calls", "invalid_tool_calls"], tool: ["type", "role", "tool_call_id"] };

test("a getter that throws becomes an error with the thrown value", () => {
  const thrown = new Error("thrown");
  const get = () => {
    throw thrown;
  };
  for (const good of [ai("c"), tool("c")] as const) {
    for (const field of READ_OF[good.type as "ai" | "tool"]) {
      const message = Object.defineProperty({ ...good }, field, { get, enumerable: true });
      for (const call of [safeCuts, repairToolCalls, patchToolCalls])
        expect(outcome(() => call([message, human()] as never))).toMatchObject({
          error: { code: "UNREADABLE_VALUE", cause: thrown },
        });
    }
  }
});

test("where JavaScript's stack is nearly full, it overflows as it does elsewhere, and nothing is broken", () => {
  const followed = safeCuts(list() as never);
  const messages = list();
  const down = (): void => {
    outcome(() => followed.cut(3));
    outcome(() => repairToolCalls(messages as never[]));
    outcome(() => trimMessages(long(), trimOptions() as never));
    down();
  };
  expect(down).toThrow(RangeError);
  expect(probe()).toBe(GOOD);
  expect([...followed]).toEqual([0, 1, 3, 4]);
  expect(trimMessages(long(), trimOptions() as never)).toHaveLength(2);
});
