// An unknown option is refused everywhere, by its name and with the one that was meant.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { expect, test } from "vitest";

const refusal = (message: string) => expect.objectContaining({ code: "UNKNOWN_OPTION", message });

test("the nearest name stands in the message, or all of them", () => {
  const runner = (options: object) => () => new AgUiRunner(new Thread<AgUiState>(), { url: "/a", ...options });
  expect(runner({ headesr: {} })).toThrow(refusal("new AgUiRunner: unknown option 'headesr'. Did you mean 'headers'?"));
  expect(() => new Thread({ treadId: "t" } as object)).toThrow(
    refusal("new Thread: unknown option 'treadId'. Did you mean 'threadId'?"),
  );
  expect(() => new Thread({ persist: true } as object)).toThrow(
    refusal("new Thread: unknown option 'persist'. The options are schema, values, threadId, notify, history."),
  );
});

test("a misspelt input of a field leaves no field open to clients", () => {
  const make = {
    messages: field.messages,
    tools: field.tools,
    todos: field.todos,
    files: field.files,
    replace: field.replace,
    append: field.append,
    merge: field.merge,
    ephemeral: field.ephemeral,
    untracked: field.untracked,
    reducer: (options: object) => field.reducer((left: number) => left, options),
  } as unknown as Record<string, (options: object) => never>;
  expect(Object.keys(make).sort()).toEqual(Object.keys(field).sort());
  for (const [kind, of] of Object.entries(make)) {
    expect(() => of({ inptu: false })).toThrow(refusal(`field.${kind}: unknown option 'inptu'. Did you mean 'input'?`));
    expect(() => defineSchema({ one: of({ input: false, output: undefined, inptu: undefined }) })).not.toThrow();
  }
});
