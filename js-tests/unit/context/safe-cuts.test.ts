// The safe cut compared with brute force, which tries every cut, and with the rule of LangChain's
// SummarizationMiddleware.
import { safeCuts } from "threadfold/context";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import { runs, seeded } from "../../support/seed.js";
import { ai, Dice, human, idsOf, KINDS, type Message, orphans, tool, waitingIn, wild } from "./conversations.js";

/** `_find_safe_cutoff_point` of langchain 1.4.7. */
function langChainCut(messages: readonly Message[], target: number): number {
  let end = target;
  const ids = new Set<string | undefined>();
  for (; messages[end]?.type === "tool"; end++) ids.add(messages[end]?.tool_call_id);
  if (end === target) return target;
  for (let at = target - 1; at >= 0; at--) if (idsOf(messages[at] as Message).some((id) => ids.has(id))) return at;
  return end;
}

/** The largest cut that keeps `target` and waiting calls, and separates no result from its call. */
function bruteForce(messages: readonly Message[], target: number): number {
  let cut = Math.min(target, waitingIn(messages) ?? messages.length);
  while (orphans(messages, cut) > 0) cut--;
  return cut;
}

/** The smallest cut from `target` on that separates nothing and keeps waiting calls. */
function bruteForceNext(messages: readonly Message[], target: number): number | undefined {
  const most = waitingIn(messages) ?? messages.length;
  for (let cut = target; cut <= most; cut++) if (orphans(messages, cut) === 0) return cut;
  return undefined;
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

describe.each(Object.entries(KINDS))("%s conversations", (kind, make) => {
  test("every cut is brute force's, and LangChain's where that leaves no orphan", () => {
    const { seed, numRuns } = seeded(`cuts of ${kind} conversations`, 12_000);
    const dice = new Dice(seed);
    let cuts = 0;
    let langChainOrphans = 0;
    for (let made = 0; made < numRuns; made++) {
      const messages = make(dice);
      const safe = safeCuts(messages as never);
      for (let target = 0; target <= messages.length; target++, cuts++) {
        const cut = safe.cut(target);
        if (orphans(messages, cut) > 0 || cut !== bruteForce(messages, target))
          expect.fail(`${cut} for ${target} of ${JSON.stringify(messages)}`);
        const theirs = langChainCut(messages, target);
        if (orphans(messages, theirs) > 0) langChainOrphans++;
        else if (theirs !== cut) expect.fail(`LangChain cuts ${JSON.stringify(messages)} at ${theirs}, we at ${cut}`);
      }
    }
    console.log(
      `${kind}: ${cuts} cuts; results without their call: threadfold 0, LangChain in ${percent(langChainOrphans, cuts)}`,
    );
    expect(cuts).toBeGreaterThan(10 * numRuns);
    // The generators produce the cases on which LangChain's rule is known to fail, and no other failures.
    expect(langChainOrphans > 0).toBe(kind !== "plain");
  });
});

test("on any conversation: all cuts, the largest below, the smallest above, the waiting call", () => {
  const { seed, numRuns } = seeded("cuts of wild conversations", 8000);
  const dice = new Dice(seed);
  let waiting = 0;
  for (let made = 0; made < numRuns; made++) {
    const messages = wild(dice);
    const safe = safeCuts(messages as never);
    const all = messages.map((_, at) => at).concat(messages.length);
    const expected = {
      all: all.filter((cut) => orphans(messages, cut) === 0),
      pending: waitingIn(messages),
      cuts: all.map((target) => bruteForce(messages, target)),
      next: all.map((target) => bruteForceNext(messages, target)),
    };
    const found = {
      all: [...safe],
      pending: safe.pending,
      cuts: all.map((target) => safe.cut(target)),
      next: all.map((target) => safe.nextCut(target)),
    };
    expect(found, JSON.stringify(messages)).toEqual(expected);
    if (expected.pending !== undefined) waiting++;
  }
  expect(waiting).toBeGreaterThan(numRuns / 100);
});

test("followed as a list grows, shrinks and has its last message replaced, it answers as for the whole list", () => {
  const { seed, numRuns } = seeded("cuts followed", 2000);
  const dice = new Dice(seed);
  for (let made = 0; made < numRuns; made++) {
    let messages: Message[] = [];
    const followed = safeCuts([]);
    for (let step = 0; step < 12; step++) {
      const more = wild(dice);
      const [one] = more;
      const change = dice.below(4);
      if (change < 2) {
        followed.push(...(more as never[]));
        messages = [...messages, ...more];
      } else if (change === 2) {
        const length = dice.below(messages.length + 2);
        followed.truncate(length);
        messages = messages.slice(0, length);
      } else if (one && messages.length > 0) {
        followed.replaceLast(one as never);
        messages = [...messages.slice(0, -1), one];
      }
      const anew = safeCuts(messages as never);
      expect([[...followed], followed.pending, followed.length]).toEqual([[...anew], anew.pending, messages.length]);
    }
  }
});

test("a cut in a long list costs no more than in a short one: the chain is not walked", () => {
  // A late answer to the first call of many parts everything from everything else.
  const long = [ai("first"), ...Array.from({ length: runs(40_000) }, () => human()), tool("first")];
  const safe = safeCuts(long as never);
  expect([...safe]).toEqual([0, long.length]);
  expect(safe.cut(long.length - 1)).toBe(0);
  expect(safe.nextCut(1)).toBe(long.length);
  for (let token = 0; token < 1000; token++) {
    safe.replaceLast(tool(token % 2 === 0 ? "other" : "first") as never);
    expect(safe.cut(long.length - 1)).toBe(token % 2 === 0 ? long.length - 1 : 0);
  }
});

test("the examples that LangChain's rule fails on", () => {
  expect(safeCuts([ai("x1"), ai("y1"), tool("x1"), tool("y1"), human()] as never).cut(3)).toBe(0);
  const late = [human(), ai("c1"), human(), ai(), tool("c1"), human()];
  expect(safeCuts(late as never).cut(3)).toBe(1);
  expect(safeCuts(late as never).nextCut(3)).toBe(5);
});

test("messages of every form are read", () => {
  const call = { id: "c", name: "f", args: {} };
  const calls: unknown[] = [
    { type: "ai", content: "", tool_calls: [call] },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "" } }],
    },
    { id: "1", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "" } }] },
    { type: "AIMessageChunk", content: "", tool_calls: [call] },
    { type: "ai", content: "", tool_calls: [], invalid_tool_calls: [{ ...call, args: "{" }] },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "AIMessage"],
      kwargs: { content: "", tool_calls: [call] },
    },
  ];
  const results: unknown[] = [
    { type: "tool", content: "", tool_call_id: "c" },
    { role: "tool", content: "", tool_call_id: "c" },
    { id: "2", role: "tool", content: "", toolCallId: "c" },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "ToolMessage"],
      kwargs: { content: "", tool_call_id: "c" },
    },
  ];
  for (const one of calls)
    for (const other of results)
      expect([...safeCuts(["hi", one, other, ["user", "x"]] as never)]).toEqual([0, 1, 3, 4]);
});

test("an invalid list, message or position is an error, and nothing is added", () => {
  expect(codeOf(() => safeCuts("x" as never))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => safeCuts([human(), 4] as never))).toBe("INVALID_MESSAGE");
  const safe = safeCuts([human()] as never);
  expect(codeOf(() => safe.push(human() as never, {} as never))).toBe("INVALID_MESSAGE");
  expect(codeOf(() => safe.cut("1" as never))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => safe.truncate(Number.NaN))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => safeCuts([]).replaceLast(human() as never))).toBe("INVALID_ARGUMENT");
  expect([safe.cut(-1), safe.cut(Infinity), safe.cut(2 ** 40), safe.length]).toEqual([0, 1, 1, 1]);
});
