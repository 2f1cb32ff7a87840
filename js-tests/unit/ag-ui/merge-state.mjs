// `node js-tests/unit/ag-ui/merge-state.mjs` records what `langGraphDefaultMergeState` answers to random states, messages
// and inputs, in merge-state.json. TypeScript's (merge-state.test.ts) and Rust's (tests/recorded/merge_state.rs) must both
// give these.
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { numbers } from "../context/corpus.mjs";

const A2UI =
  "A2UI Component Schema — available components for generating UI surfaces. Use these component names and properties when creating A2UI operations.";
const ended = (names) => `Tool call ${names} was interrupted before completion.`;

/** Contents of tool messages: placeholders for a result, and texts like one. */
const TEXTS = [
  ended("'f' with id 'a'"),
  `${ended("'f' with id 'a'")}\n`,
  `${ended("'f' with id 'a'")}\n\n`,
  ended("'é' with id 'a' with id 'b'"),
  ended("'' with id 'a'"),
  ended("'f' with id ''"),
  ended("'f\n' with id 'a'"),
  ended("'f'"),
  "42",
  [{ type: "text", text: "42" }],
  null,
];
const ARGS = ['{"n":1}', "{", "[1]", "null", "", { n: 1 }, null];
/** Forms that the core reads as messages, or refuses. */
const FORMS = [
  "hi",
  ["user", "hi"],
  ["system", "Be kind."],
  { lc: 1, type: "constructor", id: ["langchain", "AIMessageChunk"], kwargs: { id: "m1", content: "" } },
  { role: "developer", content: "Be brief." },
  { type: "remove", id: "m1" },
  { type: "alien", id: "m1", content: "" },
  { type: "tool", id: "m1", content: "" },
  { type: "human", id: 5, content: "" },
  ["user"],
  null,
];
/** Neither lists nor objects. */
const OTHERS = [5, "x", true];

/** A random case: mostly of the right shapes, or nothing would be merged. */
function makeCase(next) {
  const pick = (list) => list[next(list.length)];
  const some = (most, make) => Array.from({ length: next(most) }, make);
  const seldom = (value, otherwise) => (next(30) === 0 ? pick([null, {}, ...OTHERS, value]) : otherwise());
  const named = () => (next(8) > 0 ? { id: `m${next(6)}` } : next(2) > 0 ? { id: null } : {});
  const call = () => ({ name: "f", id: pick(["a", "b"]), ...(next(6) > 0 && { args: pick(ARGS) }) });
  const kinds = [
    () => ({ type: "human", ...named(), content: "Hi" }),
    () => ({ role: "user", ...named(), content: "Hi" }),
    () => ({ type: "ai", ...named(), content: "", tool_calls: some(3, call) }),
    () => ({ role: "assistant", ...named(), content: "", toolCalls: [] }),
    () => ({ type: "tool", ...named(), content: pick(TEXTS), tool_call_id: pick(["a", "b"]) }),
    () => ({ type: "tool", ...named(), content: pick(TEXTS), tool_call_id: pick(["a", "b"]) }),
    () => ({ role: "tool", id: `m${next(6)}`, content: pick(TEXTS), toolCallId: pick(["a", "b"]) }),
    () => ({ type: "system", ...named(), content: "Be kind." }),
  ];
  const message = () => (next(40) === 0 ? pick(FORMS) : pick(kinds)());
  const messages = () => seldom("hi", () => some(7, message));
  const tool = () => pick([{ name: pick(["a", "b", "c"]), n: next(3) }, { name: "", n: next(3) }, { n: next(3) }]);
  const tools = () => seldom(null, () => some(4, tool));
  const entry = () =>
    pick([
      { description: A2UI, value: pick(["v", "w", null]) },
      { description: "d", value: 1 },
    ]);
  const optional = (key, make) => (next(5) > 0 ? { [key]: make() } : {});
  const flags = () => pick([{}, { injectA2UITool: true }, { inject_a2_u_i_tool: null, injectA2UITool: "b" }, null, 5]);
  return {
    compat: pick(["accumulate", "0.0.x", "current", "current"]),
    state: seldom([], () => ({
      mood: "calm",
      ...optional("messages", messages),
      ...optional("tools", tools),
      ...(next(4) === 0 && { copilotkit: seldom([], () => ({ actions: [], kept: 1 })) }),
      ...(next(6) === 0 && { "ag-ui": { old: true } }),
    })),
    messages: messages(),
    input: seldom([], () => ({
      ...optional("tools", tools),
      ...optional("context", () => seldom({}, () => some(3, entry))),
      ...(next(3) === 0 && { [pick(["forwardedProps", "forwarded_props"])]: flags() }),
    })),
  };
}

/** Returns what a case is answered: the merged state, or the error. */
export function answerTo({ compat, state, messages, input }) {
  try {
    return { out: langGraphDefaultMergeState(state, messages, input, { compat }) };
  } catch ({ code, message }) {
    return { error: `${code} ${message}` };
  }
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  const next = numbers(20261126);
  const cases = Array.from({ length: 300 }, () => makeCase(next));
  const lines = cases.map((one) => JSON.stringify({ ...one, ...answerTo(one) })).join(",\n");
  writeFileSync(fileURLToPath(new URL("merge-state.json", import.meta.url)), `[\n${lines}\n]\n`);
}
