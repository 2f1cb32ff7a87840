// Shrunk scenarios in which a thread once was wrong without knowing it.
import { expect, test } from "vitest";
import { play, QUIET } from "./replay.js";
import { defaults, node, turn, writes } from "./scenario.js";
import type { Scenario } from "./specs.js";

interface Found {
  readonly scenario: Scenario;
  /** Whether the project's own server runs it, which numbers its parts. */
  readonly isOwn?: boolean;
  /** Whether nothing may be in doubt either. */
  readonly isSure?: boolean;
}

const FOUND: Readonly<Record<string, Found>> = {
  "an edge and a Send run one node, which sends the same message twice": {
    scenario: defaults({
      fields: ["messages", "mood"],
      nodes: [
        node("10", [writes([])], { to: ["_c", "z"] }),
        node("_c", [writes(["model", "mood"])], { sends: ["z"] }),
        node("z", [writes(["ai"])]),
      ],
      turns: [turn("input"), turn("input")],
    }),
  },
  "two tasks of a node overwrite a list, in two super-steps": {
    scenario: defaults({
      fields: ["messages", "log"],
      nodes: [
        node("é", [writes([], { kind: "command", to: [">_c"] })], { to: ["10"] }),
        node("_c", [writes([])], { to: ["10"] }),
        node("10", [writes(["ai", "log"], { overwrites: ["log"] })]),
      ],
      turns: [turn("input")],
    }),
  },
  "a run stops for a question between two tasks that write one field": {
    scenario: defaults({
      fields: ["messages", "latest"],
      nodes: [
        node("2", [], { to: ["B"], sends: ["a", "B"], inside: [node("x", [writes([])])] }),
        node("B", [writes([], { kind: "list", more: [["ai", "latest"]] })]),
        node("a", [writes([], { kind: "ask" })]),
      ],
      turns: [turn("input")],
    }),
  },
  "a rejoined stream has nothing left, and the page has no schema": {
    scenario: defaults({
      fields: ["messages", "mood"],
      unknown: undefined,
      nodes: [node("b", [writes([])])],
      turns: [turn("input", { writes: ["human", "mood"], fault: { kind: "joined-less", at: 0.23, lost: 3 } })],
    }),
  },
  "a state brought an ephemeral field that the schema does not know": {
    scenario: defaults({
      fields: ["messages", "mood"],
      unknown: ["mood"],
      nodes: [node("é", [writes([]), writes([]), writes(["mood"])])],
      turns: [turn("input"), turn("input", { fault: { kind: "joined-less", at: 0.5, lost: 3 } }), turn("go-on")],
    }),
  },
  "a task removes a message and adds it again behind one that streams": {
    scenario: defaults({
      nodes: [node("é", [writes(["remove"], { kind: "list", more: [["model", "replace", "ai"]] })])],
      turns: [turn("input", { writes: ["human"], choice: 0.28 })],
      seed: 100_512,
    }),
  },
  "a task overwrites the messages and adds more": {
    scenario: defaults({
      nodes: [node("é", [writes([], { kind: "list", more: [["ai"], ["human"]], overwrites: ["ai"] })])],
      turns: [turn("input")],
    }),
  },
  "a cache answers two tasks, and the stream is read twice": {
    scenario: defaults({
      fields: ["messages", "sum"],
      nodes: [
        node("a", [writes([], { kind: "command", to: ["_c"] })], { sends: ["_c"] }),
        node("_c", [writes([], { kind: "list", more: [["sum"]] })], { cached: true }),
      ],
      turns: [turn("input"), turn("input"), turn("input", { fault: { kind: "again", at: 1 } })],
    }),
  },
  "the server names a message when the next one is added": {
    scenario: defaults({
      nodes: [node("z", [writes([]), writes(["bare"], { overwrites: ["bare"] })])],
      turns: [turn("input"), turn("go-on")],
    }),
  },
  "the first mark of a resumed run saves nothing": {
    isOwn: true,
    isSure: true,
    scenario: defaults({
      nodes: [
        node("10", [writes([], { kind: "command", to: [">a"] })], { to: ["é"] }),
        node("a", [writes(["ai"])], { to: ["é"] }),
        node("é", [writes(["chunk"], { kind: "ask" })]),
      ],
      turns: [turn("input"), turn("go-on", { choice: 0.72 })],
      clockIds: true,
    }),
  },
  "two tasks change one message, in another order than they end": {
    isOwn: true,
    scenario: defaults({
      nodes: [
        node("z", [], { inside: [node("x", [writes(["ai"])])] }),
        node("2", [writes([]), writes([]), writes(["replace"], { wait: 2 })]),
      ],
      start: ["z", "2"],
      turns: [turn("input"), turn("input")],
      clockIds: true,
    }),
  },
  "each run's parts have the same ids": {
    isOwn: true,
    isSure: true,
    scenario: defaults({ nodes: [node("2", [writes([])])], turns: [turn("input"), turn("input")] }),
  },
  "text comes after the message that its task wrote": {
    isOwn: true,
    scenario: defaults({
      nodes: [node("b", [writes([])]), node("é", [writes(["chunk"], { wait: 2 })])],
      start: ["b", "é"],
      after: ["b"],
      turns: [turn("input", { fault: { kind: "swapped", at: 0.49 } })],
    }),
  },
  "a resumed run's stream is cut and read again": {
    isOwn: true,
    isSure: true,
    scenario: defaults({
      fields: ["messages", "sum"],
      nodes: [
        node("B", [writes([]), writes([]), writes(["sum"])]),
        node("z", [writes([]), writes([]), writes([], { kind: "ask" })]),
      ],
      start: ["z", "B"],
      turns: [turn("input"), turn("input"), turn("go-on", { fault: { kind: "again", at: 0.44 }, choice: 0.76 })],
    }),
  },
  "a cache answers a task of the next super-step": {
    scenario: defaults({
      fields: ["messages", "sum"],
      nodes: [
        node("é", [writes([])], { sends: ["_c", "B"] }),
        node("_c", [writes([])], { to: ["B"] }),
        node("B", [writes(["sum"])], { cached: true }),
      ],
      turns: [turn("input")],
    }),
  },
  "a resumed run repeats a write without its untracked field": {
    isOwn: true,
    isSure: true,
    scenario: defaults({
      fields: ["messages", "sum", "scratch"],
      nodes: [
        node("é", [writes([])], { sends: ["B", "b"] }),
        node("b", [writes([], { kind: "ask" })]),
        node("B", [writes(["scratch", "sum"], { wait: 1 })]),
      ],
      turns: [turn("input"), turn("go-on", { choice: 0.36 })],
    }),
  },
  "new input drops the removal of all messages": {
    isOwn: true,
    scenario: defaults({
      nodes: [
        node("a", [writes([]), writes(["clear"])]),
        node("b", [], { inside: [node("x", [writes([], { kind: "ask" })])] }),
      ],
      start: ["b", "a"],
      turns: [turn("input"), turn("input")],
    }),
  },
  "new input drops an Overwrite of the messages": {
    isOwn: true,
    scenario: defaults({
      nodes: [
        node("a", [writes([]), writes(["calls"], { overwrites: ["calls"] })]),
        node("b", [writes([], { kind: "ask" })]),
      ],
      start: ["b", "a"],
      turns: [turn("input"), turn("input")],
    }),
  },
  "a page is loaded again while a subgraph asks, which then removes a message": {
    scenario: defaults({
      nodes: [
        node("B", [], {
          inside: [node("x", [writes(["calls", "ai"])]), node("y", [writes(["remove"], { kind: "ask" })])],
        }),
      ],
      turns: [turn("input", { writes: ["human"], choice: 0.15 }), turn("command", { choice: 0.36, isReloaded: true })],
    }),
  },
  "text comes after its task's update, and the run fails": {
    isOwn: true,
    scenario: defaults({
      nodes: [node("10", [writes(["chunk"])], { to: ["b"] }), node("b", [writes([]), writes([], { wait: 1 })])],
      turns: [turn("input", { limit: 2, fault: { kind: "swapped", at: 0.15 } })],
    }),
  },
  "a run asks while a subgraph's command has a message without an id for the root": {
    scenario: defaults({
      nodes: [
        node("10", [], { inside: [node("x", [writes(["no-id"], { kind: "parent" })])] }),
        node("b", [writes([], { kind: "ask" })]),
      ],
      start: ["b", "10"],
      turns: [turn("input")],
    }),
  },
  "a node runs twice, and the stream of the run before was read again": {
    scenario: defaults({
      nodes: [
        node("b", [writes([])], { to: ["B", "10"] }),
        node("B", [], { to: ["10"], inside: [node("x", [writes(["tool"]), writes([], { kind: "nothing" })])] }),
        node("10", [writes(["ai"], { wait: 1 })]),
      ],
      start: ["b"],
      turns: [turn("input", { fault: { kind: "again", at: 1 }, choice: 0.09 }), turn("input", { choice: 0.03 })],
    }),
  },
  "an update that removes a message and adds it again comes twice": {
    scenario: defaults({
      nodes: [node("a", [writes(["remove"], { kind: "list", more: [["replace"], ["tool"]] })])],
      turns: [
        turn("input", { choice: 0.25 }),
        turn("other-update"),
        turn("go-on", { fault: { kind: "doubled", share: 0.9 } }),
      ],
    }),
  },
  "a token comes twice, its node's update never, and the state once the run has failed": {
    scenario: defaults({
      nodes: [
        node("2", [writes(["chunk"])]),
        node("_c", [writes([], { kind: "nothing" })], { to: ["B"] }),
        node("B", [writes(["ai", "model", "tool"], { kind: "list", more: [["calls"]] })]),
      ],
      start: ["_c", "2"],
      turns: [turn("input", { writes: [], limit: 2, fault: { kind: "doubled", share: 0.5 } })],
    }),
  },
};

test.each(Object.entries(FOUND))("%s", async (_, { scenario, isOwn = false, isSure = false }) => {
  const played = await play(scenario, QUIET, isOwn);
  expect(played.turns).toBe(scenario.turns.filter(({ kind }) => !kind.startsWith("other-")).length);
  expect(played.wrong).toEqual([]);
  if (isSure) expect(played.reasons).toEqual(new Map());
});
