import { defineSchema, field, type Field } from "threadfold";
import { expect, test } from "vitest";
import { normalMessages } from "./normal-form.js";
import { refusal, replay, type Recorded } from "./records.js";

type Kind = "replace" | "ephemeral" | "untracked" | "append" | "messages" | "merge";
type State = Record<string, unknown>;

interface Given {
  fields: Record<string, { kind: Kind; guard?: boolean }>;
  state: State;
  updates: State[];
}

const declare: Record<Kind, (options: { guard?: boolean | undefined }) => Field<unknown>> = field as never;

function step({ fields, state, updates }: Given): State {
  const declared = Object.entries(fields).map(([name, { kind, ...options }]) => [name, declare[kind](options)]);
  using schema = defineSchema(Object.fromEntries(declared));
  return schema.step(state, updates) as State;
}

/** Python gives an empty value to a field that has a type and was never written; ours leaves it out. */
function normalState(state: State, { fields }: Given): State {
  const named = Object.entries(fields).filter(([name]) => name in state);
  const empties = ["append", "messages", "merge"];
  const values = named.map(([name, { kind }]) => {
    const value = state[name];
    return [name, kind === "messages" && Array.isArray(value) ? normalMessages(value) : value] as const;
  });
  const empty = (name: string, value: unknown) =>
    empties.includes(fields[name]?.kind ?? "") && ["[]", "{}"].includes(JSON.stringify(value));
  return Object.fromEntries(values.filter(([name, value]) => !empty(name, value)));
}

/** With a conflict in two fields, LangGraph names the one written first and ours the one declared first. */
function conflicts({ fields, updates }: Given): string[] {
  const twice = Object.entries(fields).filter(([name]) => updates.filter((update) => name in update).length > 1);
  return twice.flatMap(([name, { kind, guard = true }]) => {
    if (kind === "replace") {
      return [`At key '${name}': Can receive only one value per step. Use an Annotated key to handle multiple values.`];
    }
    const channel = { ephemeral: "EphemeralValue", untracked: "UntrackedValue" }[kind as string];
    const advice = "Use guard=False if you want to store any one of multiple values.";
    return channel && guard
      ? [`At key '${name}': ${channel}(guard=True) can receive only one value per step. ${advice}`]
      : [];
  });
}

test("schema.step answers as LangGraph's channels do", () => {
  replay("super-step", ({ in: given, out, error }: Recorded<Given, State>) => {
    if (error === undefined) {
      expect(normalState(step(given), given)).toEqual(normalState(out ?? {}, given));
      return;
    }
    const { code, message } = refusal(() => step(given));
    expect(code).toMatch(/CONCURRENT_UPDATE|UNKNOWN_MESSAGE/);
    // Ours names the field of two overwrites, too.
    if (code !== "CONCURRENT_UPDATE" || message.includes("Overwrite")) expect(message.endsWith(error)).toBe(true);
    else expect(conflicts(given)).toContain(message);
    if (/At key/.test(error)) expect(conflicts(given)).toContain(error);
  });
});
