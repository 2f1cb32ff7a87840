import * as fc from "fast-check";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";
import { partialState, partialUpdate, schemaOf, schemaSpec, type State } from "../../support/state-specs.js";

const RUNS = 2_000;

const cases = schemaSpec.chain((spec) =>
  fc.tuple(fc.constant(spec), partialState(spec), fc.array(partialUpdate(spec), { minLength: 1, maxLength: 4 })),
);

test("merging updates one by one is a super-step for each, but for ephemeral fields, which a step clears", () => {
  const law = fc.property(cases, ([spec, state, updates]) => {
    using schema = schemaOf(spec);
    const ephemeral = Object.keys(spec).filter((key) => spec[key]?.kind === "ephemeral");
    const lasting = (state: State) =>
      Object.fromEntries(Object.entries(state).filter(([key]) => !ephemeral.includes(key)));
    const merge = (state: State, update: State) => schema.merge(state as never, update as never) as State;
    const step = (state: State, update: State) => schema.step(state as never, [update as never]) as State;
    const merged = outcome(() => lasting(updates.reduce(merge, state)));
    const stepped = outcome(() => lasting(updates.reduce(step, state)));
    if ("error" in merged) expect(stepped).toMatchObject({ error: { code: (merged.error as { code: string }).code } });
    else expect(stepped).toEqual(merged);
  });
  fc.assert(law, seeded("merge and step", RUNS));
});

test("a super-step of no updates changes nothing but clears what is ephemeral", () => {
  const law = fc.property(cases, ([spec, state]) => {
    using schema = schemaOf(spec);
    const next = schema.step(state as never, []) as State;
    const kept = Object.entries(state).filter(([key]) => spec[key]?.kind !== "ephemeral");
    expect(next).toEqual(Object.fromEntries(kept));
    if (kept.length === Object.keys(state).length) expect(next).toBe(state);
  });
  fc.assert(law, seeded("empty steps", RUNS));
});

test("the parts that a schema lets in and drops are the whole, and each is where its fields say", () => {
  const law = fc.property(cases, ([spec, state]) => {
    using schema = schemaOf(spec);
    const shown = {
      input: (key: string) => (spec[key]?.options.input ?? true) && !spec[key]?.options.private,
      output: (key: string) => (spec[key]?.options.output ?? true) && !spec[key]?.options.private,
      checkpoint: (key: string) => spec[key]?.kind !== "untracked",
    };
    for (const way of ["input", "output", "checkpoint"] as const) {
      const { values, dropped } = schema[way](state as never) as { values: State; dropped: string[] };
      const passing = Object.entries(state).filter(([key]) => key in spec && shown[way](key));
      expect(values).toEqual(Object.fromEntries(passing));
      expect([...Object.keys(values), ...dropped].sort()).toEqual(Object.keys(state).sort());
      if (dropped.length === 0) expect(values).toBe(state);
    }
  });
  fc.assert(law, seeded("visibility", RUNS));
});
