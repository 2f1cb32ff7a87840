// Random ids: version 4 UUIDs.
import { afterEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../../pkg-template/src/shared/new-id.js";

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

afterEach(() => void vi.restoreAllMocks());

describe("newId", () => {
  test("returns a version 4 UUID, each once in 100,000", () => {
    const ids = Array.from({ length: 100_000 }, newId);
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(100_000);
    // All four variants occur: the two bits after the fixed ones are random.
    expect(new Set(ids.map((id) => id[19]))).toEqual(new Set(["8", "9", "a", "b"]));
  });

  test("needs only getRandomValues", () => {
    const getRandomValues = crypto.getRandomValues.bind(crypto);
    vi.stubGlobal("crypto", { getRandomValues });
    try {
      const ids = Array.from({ length: 600 }, newId);
      expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
      expect(new Set(ids).size).toBe(600);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
