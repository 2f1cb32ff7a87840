// Repaired lists before a checker as strict as the strictest provider.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { repairToolCalls } from "threadfold/context";
import { expect, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import { frozen } from "../../support/frozen.js";
import { seeded } from "../../support/seed.js";
import { ai, complaint, Dice, human, KINDS, type Message, ownerOf, tool, waitingIn, wild } from "./conversations.js";

const repair = (messages: readonly Message[], waiting?: "answer") =>
  repairToolCalls(messages as never[], { waiting }) as unknown as Message[];

test("on any conversation: a list that every provider accepts", () => {
  const { seed, numRuns } = seeded("repaired conversations", 20_000);
  const dice = new Dice(seed);
  let untouched = 0;
  for (let made = 0; made < numRuns; made++) {
    const messages = frozen(wild(dice));
    const given = JSON.stringify(messages);
    const waiting = waitingIn(messages);
    const whole = complaint(messages, waiting) === undefined;
    const repaired = repair(messages);
    expect(complaint(repaired, waitingIn(repaired)), given).toBeUndefined();
    expect(repaired === messages, given).toBe(whole);
    if (whole) untouched++;
    // Messages that are not results stay, in their order; open calls stay open; the first result of each call stays.
    const others = (list: readonly Message[]) => list.filter(({ type }) => type !== "tool");
    expect(others(repaired)).toEqual(others(messages));
    if (waiting !== undefined) expect(repaired[waitingIn(repaired) ?? -1]).toBe(messages[waiting]);
    const results = messages.filter((_, at) => isFirstResult(messages, at));
    expect(new Set(repaired.filter((message) => messages.includes(message) && message.type === "tool"))).toEqual(
      new Set(results),
    );
    expect(repair(repaired)).toBe(repaired);
    expect(complaint(repair(messages, "answer"))).toBeUndefined();
  }
  expect(untouched).toBeGreaterThan(numRuns / 50);
});

/** Whether nothing before it answers the same call of the same message. */
function isFirstResult(messages: readonly Message[], at: number): boolean {
  const [message, owner] = [messages[at], ownerOf(messages, at)];
  if (message?.type !== "tool" || owner < 0) return false;
  return !messages
    .slice(owner, at)
    .some((other, from) => other.tool_call_id === message.tool_call_id && ownerOf(messages, owner + from) === owner);
}

test("a list without gaps is the same array", () => {
  const dice = new Dice(seeded("whole conversations", 4).seed);
  for (let made = 0; made < 500; made++) {
    const messages = KINDS.plain(dice);
    expect(repair(messages)).toBe(messages);
  }
  const empty: Message[] = [];
  expect(repair(empty)).toBe(empty);
});

test("results go right after their calls, in their order; orphans and second results go; open calls are answered", () => {
  const [asked, second, first, twice, stranger, wait] = [
    ai("a", "b", "c"),
    tool("b"),
    tool("a"),
    tool("b"),
    tool("z"),
    human("wait"),
  ];
  const repaired = repair([asked, stranger, wait, second, twice, first]);
  expect(repaired.slice(0, 3)).toEqual([asked, second, first]);
  expect([repaired[1] === second, repaired[2] === first, repaired[4] === wait]).toEqual([true, true, true]);
  expect(repaired[3]).toEqual({
    type: "tool",
    content:
      "Tool call f with id c did not complete - no result was recorded. It may have been cancelled or interrupted.",
    name: "f",
    tool_call_id: "c",
    status: "error",
  });
  expect(repaired).toHaveLength(5);
});

test("calls that wait for their results stay open, unless they are to be answered", () => {
  const waiting = [human(), ai("a", "b"), tool("b")];
  expect(repair(waiting)).toBe(waiting);
  expect(repair(waiting, "answer").map(({ tool_call_id }) => tool_call_id)).toEqual([undefined, undefined, "b", "a"]);
  const over = [...waiting, human()];
  expect(repair(over)).toHaveLength(5);
  // A call with invalid JSON waits for nothing.
  const invalid = { ...ai(), invalid_tool_calls: [{ id: "a", name: "f", args: "{", type: "invalid_tool_call" }] };
  expect(repair([invalid])[1]?.content).toBe(
    "Tool call f with id a could not be executed - arguments were malformed or truncated.",
  );
});

test("an answer has the form of the message with the call", () => {
  const functionCall = { id: "c", type: "function", function: { name: "g", arguments: "{}" } };
  const content =
    "Tool call g with id c did not complete - no result was recorded. It may have been cancelled or interrupted.";
  const answerTo = (message: object) => repairToolCalls([message, "x"] as never[])[1];
  const agUi = { id: "m", role: "assistant", toolCalls: [functionCall] };
  expect(answerTo(agUi)).toEqual({ id: "m:c", role: "tool", content, toolCallId: "c", error: "error" });
  const openAi = { role: "assistant", content: null, tool_calls: [functionCall] };
  expect(answerTo(openAi)).toEqual({ role: "tool", content, tool_call_id: "c" });
  const langChain = { name: "g", tool_call_id: "c", status: "error", content };
  const calls = [{ id: "c", name: "g", args: {} }];
  expect(answerTo({ role: "assistant", content: "", tool_calls: calls })).toEqual({ role: "tool", ...langChain });
  expect(answerTo({ type: "ai", content: "", tool_calls: calls })).toEqual({ type: "tool", ...langChain });
  const made = { lc: 1, type: "constructor", id: ["AIMessage"], kwargs: { content: "", tool_calls: calls } };
  expect(answerTo(made)).toEqual({ type: "tool", ...langChain });
});

test("instances stay what they are; answers are of the class of the list's tool messages, or made by you", () => {
  const calling = (id: string) => new AIMessage({ content: "", tool_calls: [{ id, name: "f", args: {} }] });
  const result = new ToolMessage({ content: "r", tool_call_id: "a" });
  const messages = [calling("a"), result, calling("b"), new HumanMessage("hi")];
  const repaired = repairToolCalls(messages);
  expect(repaired.map((message) => messages.indexOf(message as never))).toEqual([0, 1, 2, -1, 3]);
  expect(repaired[3]).toBeInstanceOf(ToolMessage);
  expect(repaired[3]).toMatchObject({ tool_call_id: "b", status: "error", name: "f" });
  // No class to go by: a dict, which LangChain's models take as well.
  const alone = [calling("b"), new HumanMessage("hi")];
  expect(repairToolCalls(alone)[1]).toMatchObject({ type: "tool", tool_call_id: "b" });
  expect(
    repairToolCalls<AIMessage | HumanMessage | ToolMessage>(alone, {
      toolMessage: (answer) => new ToolMessage(answer),
    })[1],
  ).toBeInstanceOf(ToolMessage);
});

test("a message that is changed in place is read again", () => {
  const asked = ai("a");
  const messages = [asked, tool("a"), human()];
  expect(repair(messages)).toBe(messages);
  asked.tool_calls?.push({ id: "b", name: "f", args: {} });
  expect(repair(messages)).toHaveLength(4);
});

test("wrong options are errors", () => {
  expect(codeOf(() => repairToolCalls([], { waiting: "never" as never }))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => repairToolCalls([], { toolMessage: 1 as never }))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => repairToolCalls({ length: 1 } as never))).toBe("INVALID_ARGUMENT");
  const toolMessage = () => {
    throw new Error("no");
  };
  expect(codeOf(() => repairToolCalls([ai("a"), human()] as never[], { toolMessage }))).toBe("UNREADABLE_VALUE");
});
