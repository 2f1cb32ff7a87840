// Long lists of messages in a run, which are not searched once their ids are known. Each step must give the same result
// as `addMessages`, whatever the form of its update.
import { AIMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import {
  addMessages,
  defineSchema,
  field,
  type MessageLike,
  overwrite,
  removeMessage,
  REMOVE_ALL_MESSAGES,
} from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";

const schema = defineSchema({ messages: field.messages(), n: field.replace<number>() });
const ai = (id: string, content = "yes") => ({ type: "ai" as const, id, content });
const many = Array.from({ length: 40 }, (_, at) => ai(`m${at}`));

const fortyMore = Array.from({ length: 40 }, (_, at) => ai(`o${at}`));

type Update = { messages?: unknown; n?: number | undefined };

interface Builder {
  addNode(name: string, node: (state: { messages: unknown[] }) => object): void;
  addEdge(from: string, to: string): void;
  addConditionalEdges(from: string, path: (state: { messages: unknown[] }) => unknown, ends: string[]): void;
  compile(options: object): { invoke(input: object, config: object): Promise<unknown> };
}

/** Runs a loop that writes these updates, the even ones and the odd ones side by side if there are two nodes. */
async function states(
  updates: readonly (readonly Update[])[],
  saved = false,
  begin: unknown[] = many,
): Promise<unknown[][]> {
  const seen: unknown[][] = [];
  let step = 0;
  // The names of its nodes are not known before.
  const graph = new StateGraph(schema).addNode("next", () => {
    step++;
    return {};
  }) as unknown as Builder;
  const writers = Math.max(...updates.map((of) => of.length));
  for (let at = 0; at < writers; at++) {
    graph.addNode(`w${at}`, () => updates[step - 1]?.[at] ?? {});
    graph.addEdge("next", `w${at}`);
    // It reads the state with its own writes.
    graph.addConditionalEdges(`w${at}`, ({ messages }) => (messages.length < 0 ? "next" : []), ["next"]);
  }
  graph.addNode("look", ({ messages }) => {
    seen.push(messages);
    return {};
  });
  graph.addEdge(START, "next");
  for (let at = 0; at < writers; at++) graph.addEdge(`w${at}`, "look");
  graph.addConditionalEdges("look", () => (step < updates.length ? "next" : END), ["next", END]);
  const compiled = graph.compile(saved ? { checkpointer: new MemorySaver() } : {});
  await compiled.invoke({ messages: begin }, { recursionLimit: 1000, threadId: "1" });
  return seen;
}

/** The same by the reducer. */
function expected(updates: readonly (readonly Update[])[], begin: unknown[] = many): unknown[][] {
  let list: unknown[] = begin;
  return updates.map((of) => {
    for (const { messages } of of) if (messages !== undefined) list = addMessages(list as never, messages as never);
    return list;
  });
}

const id = fc.oneof(
  fc.integer({ min: 0, max: 45 }).map((at) => `m${at}`),
  fc.integer({ min: 0, max: 30 }).map((at) => `x${at}`),
);
const openAiCalls = [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }];
const fresh = fc.uuid().map((made) => ai(made));
const one: fc.Arbitrary<MessageLike> = fc.oneof(
  { weight: 6, arbitrary: fresh },
  { weight: 2, arbitrary: fc.tuple(id, fc.string()).map(([of, content]) => ai(of, content)) },
  { weight: 1, arbitrary: id.map((of) => ({ role: "user", id: of, content: "hi" }) as never) },
  { weight: 1, arbitrary: id.map((of) => new AIMessage({ id: of, content: "an instance" })) },
  { weight: 1, arbitrary: id.map((of) => ({ ...ai(of), tool_calls: openAiCalls }) as never) },
  { weight: 1, arbitrary: id.map((of) => ({ ...ai(of), tool_calls: null }) as never) },
  { weight: 1, arbitrary: id.map((of) => ({ type: "human", role: "assistant", id: of, content: "hi" }) as never) },
);
const update = fc.oneof(
  { weight: 6, arbitrary: fc.array(fresh, { maxLength: 3 }).map((messages) => ({ messages, n: 1 })) },
  { weight: 4, arbitrary: fc.array(one, { maxLength: 3 }).map((messages) => ({ messages })) },
  { weight: 1, arbitrary: fresh.map((messages) => ({ messages })) },
  { weight: 1, arbitrary: fc.constant({ n: 2 }) },
);

test("random updates", { timeout: 60_000 }, async () => {
  const runs = fc.asyncProperty(
    fc.array(fc.array(update, { minLength: 1, maxLength: 2 }), { minLength: 6, maxLength: 14 }),
    async (updates) => {
      // Two writers of one step may not both replace `n`.
      const clean = updates.map((of) => of.map((own: Update, at) => (at > 0 ? { messages: own.messages ?? [] } : own)));
      for (const begin of [many, many.slice(0, 2), []])
        expect(await states(clean, false, begin)).toEqual(expected(clean, begin));
    },
  );
  await fc.assert(runs, seeded("messages of a run", 100));
});

const adds = (count: number, from = 0): Update[][] =>
  Array.from({ length: count }, (_, at) => [{ messages: [ai(`n${from + at}`)] }]);

test("removals after a list whose ids are known", async () => {
  const updates = [
    ...adds(8),
    [{ messages: [removeMessage("m3")] }],
    ...adds(6, 8),
    // A removed message may come again, and comes last.
    [{ messages: [ai("m3", "again")] }],
    [{ messages: [ai("n1", "changed"), ai("new")] }],
    ...adds(2, 14),
    [{ messages: [ai("before"), removeMessage(REMOVE_ALL_MESSAGES), ...many] }],
    ...adds(8, 16),
    [{ messages: [removeMessage(REMOVE_ALL_MESSAGES), ...fortyMore] }],
    ...adds(8, 24),
    // A role says more than a type.
    [{ messages: [{ type: "human", role: "remove", id: REMOVE_ALL_MESSAGES }, ai("newer")] }],
    ...adds(3, 32),
  ];
  expect(await states(updates)).toEqual(expected(updates));
  expect(await states(updates, true)).toEqual(expected(updates));
});

test("a list that is set, and one that a node has changed in place", async () => {
  const updates = [...adds(8), [{ messages: overwrite([...many, ai("set")]) }], ...adds(6, 8)];
  const last = (await states(updates)).at(-1) as { id: string }[];
  expect(last.map(({ id: of }) => of)).toEqual([
    ...many.map(({ id: of }) => of),
    "set",
    "n8",
    "n9",
    "n10",
    "n11",
    "n12",
    "n13",
  ]);

  let step = 0;
  const graph = new StateGraph(schema)
    .addNode("a", ({ messages }) => {
      if (step++ === 8) (messages as object[]).push(ai("pushed"));
      return { messages: [ai(step === 10 ? "pushed" : `n${step}`, `by ${step}`)] };
    })
    .addEdge(START, "a")
    .addConditionalEdges("a", () => (step < 12 ? "a" : END), ["a", END])
    .compile();
  const { messages } = await graph.invoke({ messages: many });
  expect(messages.filter(({ id: of }) => of === "pushed").map(({ content }) => content)).toEqual(["by 10"]);
});

test.for<[string, unknown[]]>([
  ["a message that is no message", [{ id: "a" }]],
  ["a tool's without its call", [{ type: "tool", id: "a", content: "" }]],
  [
    "one that cannot be read",
    [
      {
        type: "ai",
        get id() {
          throw new Error("locked");
        },
      },
    ],
  ],
])("a short list: %s is refused in the reducer's words", async ([, messages]) => {
  const failure = (): unknown => {
    try {
      return addMessages([ai("m")], messages as never);
    } catch (error) {
      return error;
    }
  };
  const { code } = failure() as { code: string };
  expect(code).toBeTypeOf("string");
  await expect(states([[{ messages }]], false, [ai("m")])).rejects.toMatchObject({ code });
});

test("a short list: one id twice in an update is one message, and an empty update changes nothing", async () => {
  const updates = [[{ messages: [ai("a", "first"), ai("b"), ai("a", "second")] }], [{ messages: [] }]];
  const seen = await states(updates, false, [ai("m")]);
  expect(seen).toEqual(expected(updates, [ai("m")]));
  expect(seen[1]).toBe(seen[0]);
});

test("errors are those of the reducer, and removing a missing message is one", async () => {
  await expect(states([...adds(8), [{ messages: [removeMessage("nobody")] }]])).rejects.toMatchObject({
    code: "UNKNOWN_MESSAGE",
  });
  const nameless = { messages: [ai("fine"), { type: "tool", id: "t", content: "" }] };
  await expect(states([...adds(8), [nameless]])).rejects.toMatchObject({
    message: expect.stringContaining("tool_call_id"),
  });
});

test("unwritten fields keep their identity, and so do messages", async () => {
  const seen = await states([...adds(9), [{ n: 1 }], [{ messages: [] }], ...adds(1, 9)]);
  expect(seen[9]).toBe(seen[8]);
  expect(seen[10]).toBe(seen[8]);
  expect(seen[11]?.[0]).toBe(many[0]);
  expect(seen[11]).toHaveLength(50);
});
