// The checks after each turn of a scenario on a live server.
import { expect } from "vitest";
import {
  afterTakingBack,
  expectAllKept,
  expectHeldAndSaid,
  expectInSync,
  expectInSyncAfterDrift,
  expectSameGist,
} from "../../peers/recorded/checks";
import type { Held, Seen } from "../../peers/recorded/witness";
import { CHANGED_AFTERWARDS, FAILING, FAILING_AG_UI, SAID_BEFORE_ASKING, SCENARIOS, TAKEN_BACK } from "./scenarios.mjs";

/** The expected view after one turn. */
export interface Step {
  /** The thread before the run. */
  before: Held;
  seen: Seen;
  /** The server's state after the turn; undefined if it cannot report one. */
  server?: Held | undefined;
}

type Expect = (seen: Seen, server: Held) => void;

function check(
  graph: string,
  steps: Step[],
  failing: number[] | undefined,
  expectSync: (turn: number) => Expect,
): void {
  expect(steps).toHaveLength(SCENARIOS[graph]?.turns.length ?? 0);
  for (const [index, { before, seen, server }] of steps.entries()) {
    if (failing?.includes(index + 1)) expectAllKept(seen, server, before);
    else if (server) expectSync(index + 1)(seen, server);
    else expect.fail("the server cannot tell what it holds");
  }
}

/** The thread reports messages that the server changed after they were whole, or removed. */
const byTurnOverAgUi =
  (graph: string) =>
  (turn: number): Expect => {
    if (CHANGED_AFTERWARDS[graph]?.includes(turn)) return expectInSyncAfterDrift;
    return TAKEN_BACK[graph]?.includes(turn) ? afterTakingBack(expectInSync) : expectInSync;
  };

export const checkAgUi = (graph: string, steps: Step[]) =>
  check(graph, steps, FAILING_AG_UI[graph], byTurnOverAgUi(graph));

/** The same for an agent, which adds the user message before its run begins. */
export const checkAgent = (graph: string, steps: Step[]) =>
  check(graph, steps, FAILING_AG_UI[graph], (turn) =>
    CHANGED_AFTERWARDS[graph]?.includes(turn) ? expectInSyncAfterDrift : expectInSync,
  );

/** In a turn in which a subgraph asks, more is shown than the server's state has. */
const byTurn =
  (graph: string, otherwise: Expect, takenBack: Expect) =>
  (turn: number): Expect => {
    const said = SAID_BEFORE_ASKING[graph]?.[turn];
    if (said !== undefined) return expectHeldAndSaid(said);
    return TAKEN_BACK[graph]?.includes(turn) ? takenBack : otherwise;
  };

/** The runs API sends the removal itself: there is nothing to report. */
export const checkLangGraph = (graph: string, steps: Step[]) =>
  check(graph, steps, FAILING[graph], byTurn(graph, expectInSync, expectInSync));

export const checkV2 = (graph: string, steps: Step[]) =>
  check(graph, steps, FAILING[graph], byTurn(graph, expectSameGist, afterTakingBack(expectSameGist)));
