// As PatchToolCallsMiddleware of Python's deepagents; recorded answers of it are in conformance/.
import { patchToolCalls } from "threadfold/context";
import { expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { seeded } from "../../support/seed.js";
import { ai, Dice, human, type Message, tool, wild } from "./conversations.js";

const patch = (messages: readonly Message[]) => patchToolCalls(messages as never[]) as unknown as Message[];

test("answers go right after the message with the calls, before results that it has", () => {
  const messages = [ai("a", "b"), tool("b"), human()];
  const patched = patch(messages);
  expect(patched.map(({ tool_call_id }) => tool_call_id)).toEqual([undefined, "a", "b", undefined]);
  expect(patched[1]).toEqual({
    type: "tool",
    content:
      "Tool call f with id a did not complete - no result was recorded. It may have been cancelled or interrupted.",
    name: "f",
    tool_call_id: "a",
    status: "error",
  });
  expect(patched.filter((message) => messages.includes(message))).toEqual(messages);
});

test("a waiting call is answered as well, and so is one with invalid JSON; a result anywhere answers all calls of its id", () => {
  const invalid = { id: "b", name: "", args: "{", type: "invalid_tool_call" };
  const patched = patch([tool("a"), ai("a"), { ...ai("a", ""), invalid_tool_calls: [invalid] }]);
  expect(patched.slice(3).map(({ tool_call_id, content }) => [tool_call_id, content.split(" - ")[0]])).toEqual([
    ["", "Tool call f with id  did not complete"],
    ["b", "Tool call unknown with id b could not be executed"],
  ]);
});

test("nothing else changes: orphans, late and second results stay; calls without an id do not count", () => {
  const messages = [
    tool("z"),
    ai("a"),
    human(),
    tool("a"),
    tool("a"),
    { ...ai(), tool_calls: [{ id: null, name: "f", args: {} }] },
  ];
  expect(patch(messages)).toBe(messages);
});

test("on any conversation: each call has an answer somewhere, and the other messages keep their order", () => {
  const { seed, numRuns } = seeded("patched conversations", 8000);
  const dice = new Dice(seed);
  for (let made = 0; made < numRuns; made++) {
    const messages = frozen(wild(dice));
    const patched = patch(messages);
    expect(patched.filter((message) => messages.includes(message))).toEqual(messages);
    expect(patch(patched)).toBe(patched);
    const before = new Set(messages.map(({ tool_call_id }) => tool_call_id));
    const open = messages
      .flatMap(({ tool_calls, invalid_tool_calls }) => [...(tool_calls ?? []), ...(invalid_tool_calls ?? [])])
      .filter(({ id }) => typeof id === "string" && !before.has(id));
    const added = patched.filter((message) => !messages.includes(message));
    expect(added.map(({ tool_call_id }) => tool_call_id)).toEqual(open.map(({ id }) => id));
    if (open.length === 0) expect(patched).toBe(messages);
  }
});
