import { defineSchema, field } from "threadfold";
import { expect, test } from "vitest";
import { refusal, replay, type Recorded } from "./records.js";

type Values = Record<string, unknown>;

interface Given {
  fields: Record<string, { input: boolean; output: boolean }>;
  values: Values | null;
  /** The values that a node then writes. */
  writes: Values;
}

test("schema.input and schema.output show the fields that LangChain's agents show", () => {
  replay("visibility", ({ in: given, out, error }: Recorded<Given, { seen_by_node: Values; result: Values }>) => {
    const declared = Object.entries(given.fields).map(([name, options]) => [name, field.replace(options)]);
    using schema = defineSchema(Object.fromEntries(declared));
    if (error !== undefined) {
      const { code, message } = refusal(() => schema.input(given.values as never));
      expect({ code, message }).toEqual({ code: "INVALID_ARGUMENT", message: error });
      return;
    }
    const offered = given.values ?? {};
    const { values, dropped } = schema.input(offered);
    expect(values).toEqual(out?.seen_by_node);
    expect(dropped.sort()).toEqual(
      Object.keys(offered)
        .filter((key) => !(key in values))
        .sort(),
    );
    const state = schema.merge(values, given.writes) as Values;
    expect(schema.output(state).values).toEqual(out?.result);
  });
});
