import * as fc from "fast-check";
import { addMessages, applyPatch, mergeFiles, mergeTools, replaceTodos } from "threadfold";
import { expect, test } from "vitest";
import {
  held,
  partialState,
  partialUpdate,
  schemaOf,
  schemaSpec,
  updateOf,
  type State,
} from "../../support/state-specs.js";
import { outcome } from "../../support/errors.js";
import { leftSpecs, make, rightSpecs } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";

const RUNS = 1_000;
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

interface Identified {
  id?: unknown;
}

test("a message that no update names is the same object afterwards, in any form", () => {
  const law = fc.property(leftSpecs, rightSpecs, (left, right) => {
    // A first pass gives every message its id and its final form.
    const first = outcome(() => addMessages([], left.map(make) as never[]) as Identified[]);
    if (!("answer" in first)) return;
    const before = first.answer;
    const update = right.map(make) as Identified[];
    const named = new Set(right.map(({ id }) => id));
    const second = outcome(() => addMessages(before as never[], update as never[]) as Identified[]);
    if (!("answer" in second)) return;
    const untouched = second.answer.filter(
      ({ id }) => before.some((known) => known.id === id) && !named.has(id as string),
    );
    for (const message of untouched) expect(before).toContain(message);
    // And an instance that came with an id is in the list itself, not a copy of it.
    if (right.some(({ kind }) => kind === "remove")) return;
    for (const [at, { form, id }] of right.entries()) {
      const last = right.findLastIndex((other) => other.id === id) === at;
      if (form !== "instance" || typeof id !== "string" || !last) continue;
      expect(second.answer.includes(update[at] as Identified)).toBe(true);
    }
  });
  fc.assert(law, seeded("identity of messages", RUNS));
});

test("an update that says nothing gives the very list", () => {
  const law = fc.property(leftSpecs, (left) => {
    const first = outcome(() => addMessages([], left.map(make) as never[]));
    if (!("answer" in first)) return;
    expect(addMessages(first.answer as never[], [])).toBe(first.answer);
  });
  fc.assert(law, seeded("empty updates of messages", RUNS));
});

test("tools, todos and files that an update leaves alone are the same objects", () => {
  const lists = fc.tuple(held.tools, held.tools, held.todos, held.todos);
  const law = fc.property(lists, fc.tuple(held.files, updateOf("files")), (lists, files) => {
    const [tools, moreTools, todos, nextTodos] = lists as object[][] as never[][];
    const merged = mergeTools(tools as object[], moreTools as object[]);
    expect(merged.slice(0, tools?.length)).toEqual(tools);
    for (const [at, tool] of (tools ?? []).entries()) expect(merged[at]).toBe(tool);
    const replaced = replaceTodos(todos as never[], nextTodos as never[]);
    for (const [at, todo] of replaced.entries()) {
      if (JSON.stringify(todo) === JSON.stringify(todos?.[at])) expect(todo).toBe(todos?.[at]);
    }
    const [left, right] = files as [State, State];
    if ("__overwrite__" in right) return;
    const laid = mergeFiles(left, right) as State;
    for (const path of Object.keys(left)) if (!(path in right)) expect(laid[path]).toBe(left[path]);
  });
  fc.assert(law, seeded("identity of tools, todos and files", RUNS));
});

test("an update that repeats what is there gives the very value", () => {
  const law = fc.property(held.tools, held.todos, held.files, (tools, todos, files) => {
    const named = (tools as { name: string }[]).filter(({ name }) => name !== "");
    expect(mergeTools(named, structuredClone(named))).toBe(named);
    expect(replaceTodos(todos as never[], structuredClone(todos) as never[])).toBe(todos);
    expect(mergeFiles(files as never, { ...(files as object) })).toBe(files);
  });
  fc.assert(law, seeded("repeated updates", RUNS));
});

test("fields that an update does not write are the same objects, and so is a state that it does not change", () => {
  const cases = schemaSpec.chain((spec) => fc.tuple(fc.constant(spec), partialState(spec), partialUpdate(spec)));
  const law = fc.property(cases, ([spec, state, update]) => {
    using schema = schemaOf(spec);
    expect(schema.merge(state as never, {})).toBe(state);
    const merged = outcome(() => schema.merge(state as never, update as never) as State);
    if (!("answer" in merged)) return;
    const untouched = Object.keys(state).filter((key) => !(key in update) || !(key in spec));
    for (const key of untouched) expect(merged.answer[key]).toBe(state[key]);
    const stepped = outcome(() => schema.step(state as never, [update as never]) as State);
    if (!("answer" in stepped)) return;
    for (const key of untouched) {
      if (spec[key]?.kind !== "ephemeral") expect(stepped.answer[key]).toBe(state[key]);
    }
    // The objects inside the values are never copied either.
    for (const [key, { kind }] of Object.entries(spec)) {
      const written = update[key];
      if (["replace", "ephemeral", "untracked"].includes(kind) && isObject(written))
        expect(merged.answer[key]).toBe(written);
    }
  });
  fc.assert(law, seeded("identity of fields", RUNS));
});

test("a patch leaves every branch that its paths do not enter as the same object", () => {
  const tree = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.dictionary(fc.constantFrom("x", "y"), fc.array(fc.record({ n: fc.nat() }), { maxLength: 3 })),
  );
  const law = fc.property(tree, fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y"), (document, outer, inner) => {
    const branch = document[outer];
    if (!branch?.[inner]) return;
    const patched = applyPatch(document, [{ op: "add", path: `/${outer}/${inner}/-`, value: 1 }]);
    expect(patched[outer]?.[inner]).toEqual([...branch[inner], 1]);
    for (const key of Object.keys(document)) if (key !== outer) expect(patched[key]).toBe(document[key]);
    for (const key of Object.keys(branch)) if (key !== inner) expect(patched[outer]?.[key]).toBe(branch[key]);
    for (const [at, item] of branch[inner].entries()) expect(patched[outer]?.[inner]?.[at]).toBe(item);
  });
  fc.assert(law, seeded("identity under patches", RUNS));
});
