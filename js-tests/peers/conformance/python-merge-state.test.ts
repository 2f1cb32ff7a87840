import { expect, test } from "vitest";
import { normalMessages } from "./normal-form.js";
import { replay, type Recorded } from "./records.js";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import type { MergeStateOptions } from "../../../pkg-template/src/ag-ui/merge-state.js";

type State = Record<string, unknown>;

interface Given {
  state: State;
  messages: object[];
  input: State;
}

type Case = Recorded<Given, State>;

function ours({ state, messages, input }: Given, compat: MergeStateOptions["compat"]): State {
  return langGraphDefaultMergeState(state, messages as never[], input, { compat }) as State;
}

function normalState(state: State | undefined): State {
  return { ...state, messages: normalMessages(state?.["messages"]) };
}

/** Where Python stumbles over null, ours treats it as empty. */
function withoutNulls(given: Given): Given {
  const state = { ...given.state };
  for (const key of ["messages", "tools", "copilotkit"]) if (state[key] === null) delete state[key];
  return { ...given, state, input: { ...given.input, tools: given.input["tools"] ?? [] } };
}

function compare(compat: "current" | "0.0.x"): (record: Case) => void {
  return ({ in: given, out, error }) => {
    const wanted = error === undefined ? normalState(out) : normalState(ours(withoutNulls(given), compat));
    expect(normalState(ours(given, compat))).toEqual(wanted);
  };
}

test("langGraphDefaultMergeState with compat 'current' answers as ag-ui-langgraph 0.0.47 does", () => {
  replay("default-merge-state", compare("current"));
});

test("langGraphDefaultMergeState with compat '0.0.x' answers as ag-ui-langgraph 0.0.25 does", () => {
  replay("default-merge-state-0.0.x", compare("0.0.x"));
});

test("langGraphDefaultMergeState accumulates: 0.0.25's results, with the state's messages first", () => {
  replay("default-merge-state-0.0.x", ({ in: given, out }: Case) => {
    if (out === undefined) return;
    const existing = normalMessages(given.state["messages"] ?? []);
    const wanted = { ...out, messages: [...existing, ...normalMessages(out["messages"])] };
    expect(normalState(ours(given, "accumulate"))).toEqual(wanted);
    expect(normalState(ours(given, undefined))).toEqual(wanted);
  });
});
