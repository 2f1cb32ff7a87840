import * as langchain from "@langchain/core/messages";
import { trimMessages } from "threadfold/context";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { runs } from "../../support/seed.js";
import { ai, Dice, human, KINDS, type Message, orphans, ownerOf, tool, wild } from "./conversations.js";

type Options = Parameters<typeof trimMessages<never>>[1];
const trim = (messages: readonly object[], options: Omit<Options, "maxTokens"> & { maxTokens: number }) =>
  trimMessages(messages, options as never);
const count = (messages: readonly object[]) => messages.length;
const exactly = { tokenCounter: count, toolPairs: "as-langchain" } as const;

const system = { type: "system", content: "S" };
const [h1, a1, h2, called, t1, a2, h3] = [human("h1"), ai(), human("h2"), ai("c1"), tool("c1"), ai(), human("h3")];
const chat = [system, h1, a1, h2, called, t1, a2, h3];

test("Python's examples", () => {
  const of = (maxTokens: number, options?: object) => trim(chat, { maxTokens, ...exactly, ...options });
  expect(of(3)).toEqual([t1, a2, h3]);
  expect(of(3, { includeSystem: true })).toEqual([system, a2, h3]);
  expect(of(5, { startOn: "human" })).toEqual([h2, called, t1, a2, h3]);
  expect(of(3, { startOn: "human" })).toEqual([h3]);
  expect(of(0, { includeSystem: true })).toEqual([system]);
  expect(of(3, { endOn: "ai" })).toEqual([called, t1, a2]);
  expect(of(3, { strategy: "first", endOn: "human" })).toEqual([system, h1]);
  expect(of(2, { startOn: "system" })).toEqual([]);
  expect(of(8)).toBe(chat);
});

test("a call and its result stay together", () => {
  const of = (maxTokens: number, options?: object) => trim(chat, { maxTokens, tokenCounter: count, ...options });
  expect(of(3)).toEqual([a2, h3]);
  expect(of(4)).toEqual([called, t1, a2, h3]);
  expect(of(5, { strategy: "first" })).toEqual([system, h1, a1, h2]);
  expect(trim([h1, called, t1], { maxTokens: 9, tokenCounter: count, endOn: "ai" })).toEqual([]);
  expect(trim([h1, t1, called], { maxTokens: 9, tokenCounter: count })).toEqual([h1, called]);
});

const characters = (messages: readonly object[]) =>
  JSON.stringify(messages.map((one) => (one as Message).content)).match(/\w/g)?.length ?? 0;

test("a message that does not fit is cut at its blocks, or its lines", () => {
  const partial = { ...exactly, tokenCounter: characters, allowPartial: true };
  const blocks = { type: "human", id: "1", content: ["aaaa", "bb"] };
  expect(trim([blocks], { maxTokens: 2, ...partial })).toEqual([{ ...blocks, content: ["bb"] }]);
  const text = { type: "human", id: "1", content: "A\nBB\nCCC" };
  expect(
    trim([text], {
      maxTokens: 7,
      ...partial,
      strategy: "first",
      tokenCounter: ([one]: readonly Message[]) => one?.content.length ?? 0,
    } as never),
  ).toEqual([{ ...text, content: "A\nBB\n" }]);
  const instance = new langchain.HumanMessage({ id: "1", content: "one\ntwo" });
  const [cut] = trim([instance], { maxTokens: 3, ...partial }) as [langchain.HumanMessage];
  expect(cut).toBeInstanceOf(langchain.HumanMessage);
  expect([cut.content, cut.id, instance.content]).toEqual(["two", "1", "one\ntwo"]);
});

/** The longest part that may be kept, found by trying all. */
function model(
  messages: readonly Message[],
  options: { maxTokens: number; strategy?: string; startOn?: string; endOn?: string },
) {
  const { maxTokens, strategy, startOn, endOn } = options;
  const splits = (cut: number) =>
    messages.some((_, at) => at >= cut && ownerOf(messages, at) >= 0 && ownerOf(messages, at) < cut);
  const endsRight = (end: number) =>
    !splits(end) && (endOn === undefined || end === 0 || messages[end - 1]?.type === endOn);
  const startsRight = (start: number, end: number) =>
    !splits(start) && (startOn === undefined || start === end || messages[start]?.type === startOn);
  const places = Array.from({ length: messages.length + 1 }, (_, at) => at);
  let [start, end] = [0, 0];
  if (strategy === "first") end = places.findLast((at) => at <= maxTokens && endsRight(at)) ?? 0;
  else {
    end = places.findLast(endsRight) ?? 0;
    start = places.find((at) => at <= end && end - at <= maxTokens && startsRight(at, end)) ?? end;
  }
  return places.slice(start, end).filter((at) => messages[at]?.type !== "tool" || ownerOf(messages, at) >= 0);
}

test("the kept messages are the most allowed, have no result without its call, and are the same objects", () => {
  const dice = new Dice(8);
  const results = { lists: 0, orphans: 0 };
  for (let round = runs(4_000); round > 0; round--) {
    const messages = dice.one([...Object.values(KINDS), wild])(dice);
    for (const message of messages) Object.freeze(message);
    const options = {
      maxTokens: dice.below(messages.length + 2),
      ...(dice.chance(0.3) && { endOn: dice.one(["human", "ai", "tool"]) }),
      ...(dice.chance(0.3)
        ? { strategy: "first" as const }
        : dice.chance(0.4) && { startOn: dice.one(["human", "ai"]) }),
    };
    const kept = trim(Object.freeze(messages), { ...options, tokenCounter: count });
    const places = kept.map((message) => messages.indexOf(message as never));
    expect(places, JSON.stringify([options, messages])).toEqual(model(messages, options));
    if (kept.length === messages.length) expect(kept).toBe(messages);
    const theirs = trim(messages, { ...options, ...exactly });
    results.lists++;
    if (!("strategy" in options) && theirs.length > 0)
      results.orphans += orphans(messages, messages.indexOf(theirs[0] as never));
  }
  console.log(`${results.lists} lists; as LangChain trims them, ${results.orphans} results lose their calls`);
  expect(results.orphans).toBeGreaterThan(0);
});

test("counters by list and counters by message decide alike", () => {
  const dice = new Dice(9);
  for (let round = runs(1_000); round > 0; round--) {
    const messages = dice
      .one(Object.values(KINDS))(dice)
      .map((message) => ({ ...message, content: "x".repeat(dice.below(90)) }));
    const options = {
      maxTokens: dice.below(messages.length * 15 + 10),
      strategy: dice.one(["first", "last"] as const),
      allowPartial: dice.chance(0.5),
      toolPairs: dice.one(["whole", "as-langchain"] as const),
    };
    for (const tokenCounter of ["approximate", "estimate"] as const) {
      const one = (message: object) => tokensOf(message, tokenCounter);
      const sum = (list: readonly object[]) => list.reduce((all, message) => all + one(message), 0);
      expect(trim(messages, { ...options, tokenCounter })).toEqual(trim(messages, { ...options, tokenCounter: sum }));
    }
  }
});

/** A message's tokens: the least budget in which it fits. */
function tokensOf(message: object, tokenCounter: "approximate" | "estimate"): number {
  const fits = (maxTokens: number) =>
    trim([message], { maxTokens, tokenCounter, toolPairs: "as-langchain" }).length === 1;
  let [least, most] = [0, 1000];
  while (least < most) {
    const middle = (least + most) >> 1;
    if (fits(middle)) most = middle;
    else least = middle + 1;
  }
  return least;
}

test("with a part of a message, too, no result is without its call, and all of it fits", () => {
  const dice = new Dice(11);
  let cut = 0;
  for (let round = runs(2_000); round > 0; round--) {
    const make = dice.one([...Object.values(KINDS), wild]);
    const lines = () => Array.from({ length: 1 + dice.below(4) }, () => "x".repeat(dice.below(6))).join("\n");
    const messages = make(dice).map((one, at) => ({ ...one, id: `${at}`, content: lines() }));
    const maxTokens = dice.below(40);
    const options = {
      maxTokens,
      tokenCounter: characters,
      allowPartial: true,
      strategy: dice.one(["first", "last"] as const),
    };
    const kept = trim(messages, options) as Message[];
    kept.forEach((message, at) => message.type === "tool" && expect(ownerOf(kept, at)).toBeGreaterThanOrEqual(0));
    expect(characters(kept)).toBeLessThanOrEqual(maxTokens);
    const changed = kept.filter((message) => !messages.includes(message as never));
    expect(changed.length).toBeLessThanOrEqual(1);
    for (const { id, content } of changed) expect(messages[Number(id)]?.content).toContain(content);
    cut += changed.length;
  }
  expect(cut).toBeGreaterThan(0);
});

test("only the messages that are kept are looked at", () => {
  const never = () => new Proxy({}, { get: () => expect.fail("it looks at a message that is long gone") });
  const messages = [...Array.from({ length: 1000 }, never), h1, called, t1, a2];
  const options = { maxTokens: 30, tokenCounter: "approximate", allowPartial: false } as const;
  expect(trim([...messages.slice(0, 1000), human("x".repeat(200)), called, t1, a2], options)).toEqual([a2]);
});

test("@langchain/core's trimMessages answers alike where it is right", async () => {
  const dice = new Dice(10);
  const wrong = { undefined: 0, other: 0, lists: 0 };
  for (let round = runs(4_800); round > 0; round--) {
    const messages = dice.one(Object.values(KINDS))(dice);
    if (dice.chance(0.5)) messages.unshift(system as never);
    const instances = langchain.coerceMessageLikeToMessage
      ? messages.map((one) => langchain.coerceMessageLikeToMessage(one as never))
      : [];
    const options = {
      maxTokens: dice.below(messages.length + 2),
      ...(dice.chance(0.3) && { endOn: dice.one(["human", "ai", "tool"]) }),
      ...(dice.chance(0.5)
        ? { strategy: "first" as const }
        : { includeSystem: dice.chance(0.5), ...(dice.chance(0.4) && { startOn: "human" }) }),
    };
    const theirs = (await langchain.trimMessages(instances, { ...options, tokenCounter: count } as never)) as unknown[];
    const ours = trim(instances, { ...options, ...exactly });
    wrong.lists++;
    // With a budget that the system message alone takes, or no message to start on, it returns a list of undefined.
    if (theirs.includes(undefined)) wrong.undefined++;
    else expect(ours, JSON.stringify([options, messages])).toEqual(theirs);
    expect(ours).not.toContain(undefined);
  }
  console.log(`${wrong.lists} lists, ${wrong.undefined} times [undefined]`);
  expect(wrong.undefined).toBeGreaterThan(0);
});

test("AG-UI's messages go by their roles", () => {
  const messages = [
    { id: "1", role: "user", content: "a" },
    {
      id: "2",
      role: "assistant",
      toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { id: "3", role: "tool", toolCallId: "c", content: "r" },
    { id: "4", role: "assistant", content: "b" },
  ];
  expect(trim(messages, { maxTokens: 2, tokenCounter: count })).toEqual(messages.slice(3));
  for (const startOn of ["assistant", "ai"])
    expect(trim(messages, { maxTokens: 3, tokenCounter: count, startOn })).toEqual(messages.slice(1));
  expect(trim(messages, { maxTokens: 9, tokenCounter: count, startOn: "user" })).toBe(messages);
  expect(trim(messages, { maxTokens: 25 })).toEqual(messages.slice(3));
});

test("types may be classes", () => {
  const list = [new langchain.HumanMessage("a"), new langchain.AIMessage("b"), new langchain.HumanMessage("c")];
  expect(trim(list, { maxTokens: 2, tokenCounter: count, startOn: langchain.HumanMessage as never })).toEqual([
    list[2],
  ]);
});

test("unanswerable arguments are refused, and errors of the caller's functions are the cause", () => {
  const refused = (options: object) => outcome(() => trim(chat, { maxTokens: 3, ...options }));
  const thrown = new Error("thrown");
  const fail = () => {
    throw thrown;
  };
  const wrong = [
    { strategy: "first", startOn: "human" },
    { strategy: "first", includeSystem: true },
    { strategy: "middle" },
    { tokenCounter: "exact" },
    { tokenCounter: 5 },
    { tokenCounter: () => Number.NaN },
    { tokenCounter: async () => 1 },
    { maxTokens: "3" },
    { maxTokens: Number.NaN },
    { toolPairs: "split" },
    { startOn: 5 },
    { textSplitter: "x" },
    { allowPartial: true, tokenCounter: characters, textSplitter: () => 5 },
  ];
  for (const options of wrong)
    expect(refused(options), JSON.stringify(options)).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
  for (const options of [{ tokenCounter: fail }, { allowPartial: true, tokenCounter: characters, textSplitter: fail }])
    expect(refused(options)).toMatchObject({ error: { code: "INVALID_ARGUMENT", cause: thrown } });
});

test("a counter may trim a list itself", () => {
  const counter = (messages: readonly object[]) => trim(messages, { maxTokens: 1e9, ...exactly }).length;
  expect(trim(chat, { maxTokens: 4, tokenCounter: counter })).toEqual([called, t1, a2, h3]);
});
