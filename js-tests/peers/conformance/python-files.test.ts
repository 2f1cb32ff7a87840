import { mergeFiles } from "threadfold";
import { expect, test } from "vitest";
import { replay, type Recorded } from "./records.js";

type Files = Record<string, unknown>;

test("mergeFiles answers as DeepAgents' file reducers do, the order of paths included", () => {
  replay("files", ({ in: given, out }: Recorded<{ left: Files | null; updates: Files[] }, [string, unknown][]>) => {
    const merged = given.updates.reduce<Files>(
      (files, update) => mergeFiles(files, update),
      mergeFiles(given.left, {}),
    );
    expect(Object.entries(merged)).toEqual(out);
  });
});
