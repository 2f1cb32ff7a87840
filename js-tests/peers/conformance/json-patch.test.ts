import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { applyPatch, type PatchOperation } from "threadfold";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import { frozen } from "../../support/frozen.js";

interface Case {
  comment?: string;
  doc: unknown;
  patch: PatchOperation[];
  expected?: unknown;
  error?: string;
  disabled?: boolean;
}

const resolve = createRequire(import.meta.url).resolve;

function casesOf(file: string): { enabled: Case[]; disabled: Case[] } {
  const all = JSON.parse(readFileSync(resolve(`json-patch-test-suite/${file}`), "utf8")) as Case[];
  const cases = all.filter(({ patch }) => patch !== undefined);
  return { enabled: cases.filter(({ disabled }) => !disabled), disabled: cases.filter(({ disabled }) => disabled) };
}

for (const file of ["tests.json", "spec_tests.json"]) {
  const { enabled, disabled } = casesOf(file);
  console.log(`json-patch-test-suite ${file}: ${enabled.length} cases; ${disabled.length} more are disabled there`);
  describe(`json-patch-test-suite, ${file}`, () => {
    for (const [at, { comment, doc, patch, expected, error }] of enabled.entries()) {
      test(`case ${at}: ${comment ?? error ?? JSON.stringify(patch)}`, () => {
        const before = structuredClone({ doc, patch });
        if (error === undefined) {
          const patched = applyPatch<unknown>(frozen(doc), frozen(patch));
          // Some cases only state that the patch applies.
          if (expected !== undefined) expect(patched).toEqual(expected);
        } else {
          expect(codeOf(() => applyPatch(frozen(doc), frozen(patch)))).toMatch(/^(INVALID_|PATCH_)/);
        }
        expect({ doc, patch }).toEqual(before);
      });
    }
  });
}

test("a value that no path leads through is the same object", () => {
  const before = frozen({ a: { b: [{ x: 1 }, { x: 2 }], c: {} }, d: [{}], e: {} });
  const after = applyPatch(before, [
    { op: "replace", path: "/a/b/1/x", value: 3 },
    { op: "add", path: "/d/-", value: "last" },
  ]);
  expect(after).toEqual({ a: { b: [{ x: 1 }, { x: 3 }], c: {} }, d: [{}, "last"], e: {} });
  expect(after.e).toBe(before.e);
  expect(after.a.c).toBe(before.a.c);
  expect(after.a.b[0]).toBe(before.a.b[0]);
  expect(after.d[0]).toBe(before.d[0]);
});

test("a patch that changes nothing gives the document itself", () => {
  const before = frozen({ a: [1] });
  expect(applyPatch(before, [])).toBe(before);
  expect(applyPatch(before, [{ op: "test", path: "/a/0", value: 1 }])).toBe(before);
  expect(applyPatch(before, [{ op: "move", from: "/a", path: "/a" }])).toBe(before);
});

test("a moved value is the same object, and a copied one is not changed by what is done to the copy", () => {
  const before = frozen({ a: { deep: { n: 1 } } });
  const moved = applyPatch<object, { b: unknown }>(before, [{ op: "move", from: "/a", path: "/b" }]);
  expect(moved.b).toBe(before.a);
  const copied = applyPatch(before, [
    { op: "replace", path: "/a/deep/n", value: 2 },
    { op: "copy", from: "/a", path: "/b" },
    { op: "replace", path: "/b/deep/n", value: 3 },
    { op: "replace", path: "/a/deep/n", value: 4 },
  ]);
  expect(copied).toEqual({ a: { deep: { n: 4 } }, b: { deep: { n: 3 } } });
});

test("an added value is not changed by later operations of the patch", () => {
  const value = frozen({ list: [] });
  const patched = applyPatch<object>({}, [
    { op: "add", path: "/a", value },
    { op: "add", path: "/b", value },
    { op: "add", path: "/a/list/-", value: 1 },
  ]);
  expect(patched).toEqual({ a: { list: [1] }, b: { list: [] } });
});

describe("prototypes are out of reach", () => {
  const polluting: PatchOperation[][] = [
    [{ op: "add", path: "/__proto__/polluted", value: true }],
    [{ op: "add", path: "/__proto__", value: { polluted: true } }],
    [{ op: "replace", path: "/__proto__", value: { polluted: true } }],
    [{ op: "remove", path: "/__proto__" }],
    [{ op: "copy", from: "/__proto__", path: "/a" }],
    [{ op: "move", from: "/a", path: "/__proto__/polluted" }],
    [{ op: "test", path: "/__proto__/polluted", value: undefined }],
  ];
  for (const patch of polluting) {
    test(`${JSON.stringify(patch)} is refused`, () => {
      expect(codeOf(() => applyPatch({ a: 1 }, patch))).toMatch(/^(FORBIDDEN_KEY|INVALID_PATCH)$/);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
  }

  test.each(["path", "from"])("half a surrogate pair in a %s is refused: it would reach another key", (key) => {
    const document = { "\ufffd": 1, "\ud800": 2 };
    const operation = { op: "copy", path: "/a", from: "/\ufffd", [key]: "/\ud800" } as unknown as PatchOperation;
    expect(codeOf(() => applyPatch(document, [operation]))).toBe("INVALID_PATCH");
    expect(document).toEqual({ "\ufffd": 1, "\ud800": 2 });
    const whole: PatchOperation[] = [{ op: "add", path: "/\ud83d\ude00", value: 3 }];
    expect(applyPatch({}, whole)).toEqual({ "😀": 3 });
  });

  test("a constructor that is not the object's own is not there", () => {
    const reach: PatchOperation[] = [{ op: "add", path: "/constructor/prototype/polluted", value: true }];
    expect(codeOf(() => applyPatch({}, reach))).toBe("PATCH_FAILED");
    expect(codeOf(() => applyPatch([], reach))).toBe("PATCH_FAILED");
    expect(codeOf(() => applyPatch({}, [{ op: "test", path: "/toString", value: 1 }]))).toBe("PATCH_FAILED");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("keys called constructor and prototype that are data work as any other", () => {
    const document = { constructor: { prototype: {} } };
    const patched = applyPatch(document, [{ op: "add", path: "/constructor/prototype/polluted", value: true }]);
    expect(patched).toEqual({ constructor: { prototype: { polluted: true } } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a value with a __proto__ key of its own, as JSON.parse makes it, stays data", () => {
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    const patched = applyPatch<object, { a: object; b: number }>({}, [
      { op: "add", path: "/a", value },
      { op: "add", path: "/a/b", value: 1 },
    ]);
    expect(Object.keys(patched.a)).toEqual(["__proto__", "b"]);
    expect(Object.getPrototypeOf(patched.a)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
