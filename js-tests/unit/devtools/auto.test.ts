// The devtools of a program without a document: they record, and show nothing.
import { Thread } from "threadfold";
import { devtools } from "threadfold/devtools/auto";
import { mountDevtools } from "threadfold/devtools";
import { expect, test } from "vitest";

test("the import is the mounting", () => {
  expect(mountDevtools()).toBe(devtools);
  const thread = new Thread();
  thread.receive({ type: "run-started", runId: "r" });
  devtools.open();
  expect(devtools.isOpen).toBe(false);
  expect(devtools.add(thread).parts.map(({ kind }) => kind)).toEqual(["start", "run-started"]);
  devtools.dispose();
});
