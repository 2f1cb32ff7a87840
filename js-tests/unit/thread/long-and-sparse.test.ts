// Lists that are longer than a call takes arguments, and lists with holes.
import { applyPatch, Thread, type ThreadState } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { expect, test } from "vitest";

type Open = ThreadState & Record<string, unknown>;

test("a patch copies a list of 200,000 that it has just changed", () => {
  const list = Array.from({ length: 200_000 }, (_, at) => at);
  const operations = [
    { op: "add", path: "/list/-", value: 1 },
    { op: "copy", from: "/list", path: "/other" },
    { op: "add", path: "/list/-", value: 2 },
  ] as const;
  const { list: own, other } = applyPatch({ list }, operations) as { list: unknown[]; other: unknown[] };
  expect([list.length, own.length, other.length]).toEqual([200_000, 200_002, 200_001]);
});

test("a hole is not the value that the other list has there", () => {
  const thread = new Thread<Open>();
  const board: unknown[] = Array(3);
  board[1] = "X";
  thread.receive({ type: "state", values: { board } });
  const move = thread.optimistic({ board: ["O", "X", "O"] });
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "state", values: { board: ["O", "X", "O"] } });
  expect([move.status, thread.getState()["board"]]).toEqual(["done", ["O", "X", "O"]]);
});

test("a list with holes is sent where the server has another", async () => {
  const thread = new Thread<Open>({ threadId: "t" });
  await foldAgUi(thread as never, [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "STATE_SNAPSHOT", snapshot: { board: ["O", "X"] } },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ]);
  const board: unknown[] = Array(2);
  board[1] = "X";
  thread.update({ board });
  expect(runInput(thread).state).toEqual({ board });
});
