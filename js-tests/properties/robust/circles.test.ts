import { applyPatch, Thread, type PatchOperation } from "threadfold";
import { expect, test } from "vitest";

const circle = (): Record<string, unknown> => {
  const value: Record<string, unknown> = { n: 1 };
  value["self"] = value;
  return value;
};

/** A value that is there 2^depth times, in memory of depth. */
const doubled = (depth: number, leaf: unknown): unknown => {
  let value = leaf;
  for (let at = 0; at < depth; at++) value = { a: value, b: value };
  return value;
};

test("a value that refers to itself is folded, compared and handed out: nothing runs without end", () => {
  using thread = new Thread();
  thread.on("error", () => {});
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "update", update: { f: circle() } });
  thread.receive({ type: "values", values: { f: circle() } });
  thread.optimistic({ f: circle() } as never);
  thread.receive({ type: "values", values: { f: circle() } });
  let record: unknown;
  try {
    record = thread.toJSON();
  } catch (error) {
    expect(error).toHaveProperty("code");
  }
  expect(record === undefined || typeof record === "object").toBe(true);
  thread.receive({ type: "values", values: { f: 1 } });
  expect(thread.getConfirmedState()).toHaveProperty("f", 1);
});

test("values that are there often are compared once", () => {
  using thread = new Thread();
  const start = performance.now();
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "update", update: { f: doubled(40, 1) } });
  thread.receive({ type: "values", values: { f: doubled(40, 1) } });
  const before = (thread.getState() as { f?: unknown }).f;
  thread.receive({ type: "values", values: { f: doubled(40, 1) } });
  expect((thread.getState() as { f?: unknown }).f).toBe(before);
  expect(() => applyPatch({ a: doubled(40, 1) }, [{ op: "test", path: "/a", value: doubled(40, 2) }])).toThrowError(
    expect.objectContaining({ code: "PATCH_FAILED" }),
  );
  applyPatch({ a: doubled(40, 1) }, [{ op: "test", path: "/a", value: doubled(40, 1) }]);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("40 copies that each double the value are as quick as 40 copies", () => {
  const operations = Array.from({ length: 40 }, (): PatchOperation => ({ op: "copy", from: "/v", path: "/v/again" }));
  const start = performance.now();
  const twice = () => applyPatch({ v: { n: 1 } }, operations);
  expect(twice()).toHaveProperty("v.again.n", 1);
  using thread = new Thread();
  thread.receive({ type: "delta", operations: [{ op: "add", path: "/v", value: { n: 1 } }, ...operations] });
  thread.receive({ type: "values", values: { v: 2 } });
  thread.toJSON();
  expect(performance.now() - start).toBeLessThan(2_000);
});

// Each of the first two values has other halves than the second two: no value meets the same one each time.
test("values that copies made are compared once for each pair", () => {
  const level = (crossed: boolean): PatchOperation[] => [
    ...["/left", "/right"].flatMap((to): PatchOperation[] => [
      { op: "add", path: to, value: [] },
      { op: "copy", from: "/a", path: `${to}/-` },
      { op: "copy", from: crossed ? "/b" : "/a", path: `${to}/-` },
    ]),
    { op: "move", from: "/left", path: "/a" },
    { op: "move", from: "/right", path: "/b" },
  ];
  const delta = (crossed: boolean, levels: number): PatchOperation[] => [
    { op: "add", path: "/a", value: [1] },
    { op: "add", path: "/b", value: [1] },
    ...Array.from({ length: levels }, () => level(crossed)).flat(),
  ];
  const levels = 28;
  using thread = new Thread<{ messages: never[]; a?: unknown; b?: unknown }>();
  const start = performance.now();
  thread.receive({ type: "delta", operations: delta(true, levels) });
  thread.receive({ type: "delta", operations: delta(false, levels) });
  const { a, b } = thread.getState();
  expect(Object.is(a, b)).toBe(false);
  applyPatch({ a: applyPatch({}, delta(true, levels)) }, [{ op: "test", path: "/a", value: { a, b } }]);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("in a patch, an original and its copy change apart", () => {
  const patched = applyPatch({ a: { b: { c: 1 } } } as Record<string, unknown>, [
    { op: "replace", path: "/a/b/c", value: 2 },
    { op: "copy", from: "/a", path: "/d" },
    { op: "replace", path: "/a/b/c", value: 3 },
    { op: "copy", from: "/a/b", path: "/e" },
    { op: "replace", path: "/d/b/c", value: 4 },
    { op: "replace", path: "/a/b/c", value: 5 },
    { op: "add", path: "/e/f", value: 6 },
  ]);
  expect(patched).toEqual({ a: { b: { c: 5 } }, d: { b: { c: 4 } }, e: { c: 3, f: 6 } });
});
