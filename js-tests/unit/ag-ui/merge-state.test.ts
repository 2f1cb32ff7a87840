// States merged with recorded runs' input: tests/recorded/merge_state.rs asks Rust for the same.
import { readFileSync } from "node:fs";
import { ThreadfoldError } from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { answerTo } from "./merge-state.mjs";

interface Case {
  compat: "accumulate" | "0.0.x" | "current";
  state: unknown;
  messages: unknown;
  input: unknown;
  out?: object;
  error?: string;
}

const cases = JSON.parse(readFileSync(new URL("merge-state.json", import.meta.url), "utf8")) as Case[];

for (const compat of ["accumulate", "0.0.x", "current"] as const)
  test(`merges as recorded, and as Rust does: ${compat}`, () => {
    const own = cases.filter((one) => one.compat === compat);
    for (const one of own) {
      const { out, error } = one;
      expect(answerTo(one), JSON.stringify(one)).toEqual(out ? { out } : { error });
    }
    expect(own.filter(({ out }) => out).length).toBeGreaterThan(40);
    expect(own.filter(({ error }) => error).length).toBeGreaterThan(5);
  });

const human = (id: string) => ({ type: "human" as const, id, content: "Hi" });
const tools = [{ name: "a" }];

test("what does not change is the same object", () => {
  const messages = [human("1")];
  const more = [human("2")];
  const context = [{ description: "d", value: 1 }];
  const state = { messages, tools, other: {} };
  const merged = langGraphDefaultMergeState(state, [human("1")], { tools: [{ name: "a" }], context });
  expect(merged.messages).toBe(messages);
  expect(merged.tools).toBe(tools);
  expect(merged["ag-ui"].tools).toBe(tools);
  expect(merged["ag-ui"].context).toBe(context);
  expect(merged.other).toBe(state.other);
  expect(langGraphDefaultMergeState(state, more, {}).messages[0]).toBe(messages[0]);
  for (const compat of ["0.0.x", "current"] as const)
    expect(langGraphDefaultMergeState(state, more, {}, { compat }).messages).toBe(more);
});

test("a repaired message keeps its class and its other fields", () => {
  class Answer {
    id = "2";
    other = {};
    lc_kwargs = { tool_calls: [], kept: 1 };
    tool_calls: object[] = [{ name: "f", id: "c", args: '{"n":1}' }];
    _getType(): string {
      return "ai";
    }
  }
  const answer = new Answer();
  const [repaired] = langGraphDefaultMergeState({ messages: [answer] }, [], {}, { compat: "current" })
    .messages as unknown as Answer[];
  const tool_calls = [{ name: "f", id: "c", args: { n: 1 } }];
  expect(repaired).toBeInstanceOf(Answer);
  expect(repaired).toMatchObject({ id: "2", tool_calls, lc_kwargs: { tool_calls, kept: 1 } });
  expect(repaired?.other).toBe(answer.other);
  expect(answer.tool_calls).toEqual([{ name: "f", id: "c", args: '{"n":1}' }]);
});

test("a getter that throws is an UNREADABLE_VALUE with its error, even one of threadfold", () => {
  const thrown = new ThreadfoldError("INVALID_ARGUMENT", "mine");
  const at = (key: string, of: object) =>
    Object.defineProperty(of, key, {
      enumerable: true,
      get: () => {
        throw thrown;
      },
    });
  const asked = { type: "human", id: "h", content: "" };
  const wanted = {
    error: { code: "UNREADABLE_VALUE", message: "Reading a value threw: see the cause.", cause: thrown },
  };
  const merge = (state: object, messages: object[], input: object) =>
    outcome(() => langGraphDefaultMergeState(state, messages as never, input, { compat: "current" }));
  for (const key of ["messages", "tools", "copilotkit", "mood"])
    expect(merge(at(key, {}), [], {}), key).toMatchObject(wanted);
  for (const key of ["tools", "context", "forwardedProps"])
    expect(merge({}, [], at(key, {})), key).toMatchObject(wanted);
  for (const key of ["id", "type", "tool_calls"])
    expect(merge({ messages: [at(key, { type: "ai", id: "1", content: "" })] }, [], {}), key).toMatchObject(wanted);
  const call = at("args", { name: "f", id: "c" });
  expect(merge({ messages: [{ type: "ai", id: "1", content: "", tool_calls: [call] }] }, [], {})).toMatchObject(wanted);
  const result = at("content", { type: "tool", id: "t", tool_call_id: "c" });
  expect(merge({}, [result], {})).toMatchObject(wanted);
  expect(merge({ messages: [asked, result] }, [{ ...asked, type: "tool", tool_call_id: "c" }], {})).toMatchObject(
    wanted,
  );
});
