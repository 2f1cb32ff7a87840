// The laws of a context, on conversations that grow message by message, are compacted when that is due, and continue.
import { Context, type ContextDue, type ContextOptions, estimateMessageTokens } from "threadfold/context";
import type { ContextRecord } from "threadfold";
import { expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { isThorough } from "../../support/seed.js";
import { present } from "../../support/present.js";
import { complaint, Dice, human, KINDS, type Message, waitingIn, wild } from "./conversations.js";

const POLICIES: ContextOptions<Message>[] = [
  { trigger: { messages: 6 } },
  { trigger: { tokens: 60 }, keep: { tokens: 25 }, tokenCounter: "approximate" },
  { trigger: [{ tokens: 80, messages: 4 }, { fraction: 0.5 }], maxInputTokens: 200, system: "Be brief." },
  { trigger: { messages: 8 }, keep: { messages: 2, tokens: 30 }, clearToolUses: { keep: 1 } },
  {
    trigger: { tokens: 90 },
    clearToolUses: { keep: 0, clearToolInputs: true },
    truncateArgs: { tools: ["f"], maxLength: 4, keep: { messages: 2 } },
  },
  { trigger: { messages: 5 }, keep: { messages: 1 }, tokenCounter: (messages) => messages.length * 7 },
];

const makers = { ...KINDS, wild };

/** A conversation in which each message has an id, and says something. */
function conversation(dice: Dice, kind: keyof typeof makers): Message[] {
  const parts = Array.from({ length: 3 }, (_, part) => {
    // Call ids are unique, but for the wild ones.
    const list = makers[kind](dice);
    const text = kind === "wild" ? JSON.stringify(list) : JSON.stringify(list).replaceAll(/"c(\d+)"/g, `"c${part}-$1"`);
    return JSON.parse(text) as Message[];
  });
  const list: Message[] = parts.flat().map((message) => ({ ...message, content: "word ".repeat(dice.below(12)) }));
  if (dice.chance(0.3)) list.unshift({ type: "system", content: "Be kind." } as never);
  for (const message of list)
    for (const call of message.tool_calls ?? []) call.args = { path: "a", text: "long ".repeat(dice.below(6)) };
  return list.map((message, at) => (dice.chance(0.9) ? { ...message, id: `m${at}` } : message));
}

interface Look {
  full: readonly Message[];
  record: ContextRecord | null;
  context: Context<Message>;
  options: ContextOptions<Message>;
}

/** Conversations of each kind; a multiple of the number of policies. */
const EACH = isThorough() ? 60 : 8;

/** Calls `check` for each look at many conversations that grow and are compacted. */
function grow(check: (look: Look, before: Look | undefined, kind: string) => void): {
  looks: number;
  compactions: number;
} {
  let [looks, compactions] = [0, 0];
  for (const kind of Object.keys(makers) as (keyof typeof makers)[]) {
    for (let seed = 0; seed < EACH; seed++) {
      const dice = new Dice(seed * 4 + kind.length);
      const options = present(POLICIES[seed % POLICIES.length]);
      const context = new Context<Message>(options);
      const all = conversation(dice, kind);
      let record: ContextRecord | null = null;
      let before: Look | undefined;
      for (let length = 0; length <= all.length; length++) {
        const look: Look = { full: frozen(all.slice(0, length)), record, context, options };
        looks++;
        check(look, before, kind);
        const due: ContextDue<Message> | null = context.of(look.full, record).due;
        before = look;
        if (!due || dice.chance(0.2)) continue;
        compactions++;
        record = frozen(context.compact(due, due.summarize && dice.chance(0.8) ? `They said ${length}.` : null));
        before = undefined;
      }
    }
  }
  return { looks, compactions };
}

const view = ({ context, full, record }: Look) => context.of(full, record);

test("L1: the full track is the same before and after, to the object", () => {
  const { looks, compactions } = grow((look) => {
    const messages = [...look.full];
    const { due } = view(look);
    due?.toUpdate("S");
    expect(look.full.length).toBe(messages.length);
    expect(look.full.every((message, at) => message === messages[at])).toBe(true);
    // A message that it sends unchanged is the original object.
    const edits = look.options.clearToolUses ?? look.options.truncateArgs;
    if (!edits) for (const one of view(look).messages) if (one.id) expect(look.full).toContain(one);
  });
  expect(looks).toBeGreaterThan(50 * EACH);
  expect(compactions).toBeGreaterThan(5 * EACH);
});

test("L2: the view is a function of the full track and the record, after JSON too", () => {
  grow((look) => {
    const copy = JSON.parse(JSON.stringify([look.full, look.record])) as [Message[], ContextRecord | null];
    const again = new Context<Message>(look.options).of(...copy);
    expect(again.messages).toEqual(JSON.parse(JSON.stringify(view(look).messages)));
    expect(again.tokens).toBe(view(look).tokens);
    expect(again.due?.toRecord("S")).toEqual(view(look).due?.toRecord("S"));
    // In a deepagents state it is the same.
    const state = { messages: copy[0], _summarization_event: copy[1] };
    expect(new Context<Message>(look.options).of(state).messages).toEqual(again.messages);
  });
});

test("L3: every provider accepts the view, of any conversation", () => {
  grow((look) => {
    const { messages } = view(look);
    expect(complaint(messages, waitingIn(messages))).toBeUndefined();
    const { due } = view(look);
    if (!due) return;
    // The messages to summarize and the messages that stay are checked, too.
    expect(complaint(due.messages)).toBeUndefined();
    expect(complaint(due.kept, waitingIn(due.kept))).toBeUndefined();
  });
});

test("L4: between two records the view only grows at its end, but for a result that comes late", () => {
  let grown = 0;
  grow((look, before, kind) => {
    if (!before) return;
    const [was, now] = [view(before).messages, view(look).messages];
    const added = present(look.full.at(-1));
    const isLate = added.type === "tool" && !now.slice(was.length).includes(added);
    if (isLate && kind !== "plain") return;
    grown++;
    expect(now.slice(0, was.length)).toEqual(was);
  });
  expect(grown).toBeGreaterThan(33 * EACH);
});

test("L5: counting what changed gives what counting all gives", () => {
  grow((look) => {
    const again = new Context<Message>(look.options).of([...look.full], look.record);
    expect(view(look).tokens).toBe(again.tokens);
    expect(view(look).usage).toEqual(again.usage);
    expect(view(look).due?.cutoff).toBe(again.due?.cutoff);
    expect(view(look).due?.editedBefore).toBe(again.due?.editedBefore);
    if (look.options.tokenCounter !== undefined) return;
    const { system, tools, tokens } = again.usage;
    const summed = again.messages.reduce((sum, message) => sum + estimateMessageTokens(message as never), 0);
    expect(tokens).toBe(system + tools + summed);
  });
});

test("L5: a meter counts what a look counts, text by text", () => {
  for (const tokenCounter of [
    "estimate",
    "approximate",
    (some: readonly object[]) => JSON.stringify(some).length,
  ] as const) {
    const context = new Context({ trigger: { tokens: 400 }, tokenCounter });
    for (let seed = 0; seed < 20; seed++) {
      const dice = new Dice(seed);
      const messages: object[] = conversation(dice, "plain");
      const meter = context.meter(messages);
      expect(meter.tokens).toBe(context.of(messages).tokens);
      let last = { type: "ai", content: "" };
      meter.push(last);
      for (const token of ["Hel", "lo 123", "4\n", " \ud83d", "\ude00 ", "", "你好", "x".repeat(dice.below(200))]) {
        meter.text(token);
        last = { ...last, content: last.content + token };
        const look = context.of([...messages, last]);
        expect(meter.tokens).toBe(look.tokens);
        expect(meter.isDue).toBe(look.tokens >= 400);
      }
    }
  }
});

test("L5: a message that grows at its end is counted as one that came whole", () => {
  const context = new Context<object>({});
  const fresh = (message: object) => estimateMessageTokens(message as never);
  const check = (message: object) => {
    expect(context.of([human("a"), message]).tokens).toBe(fresh(human("a")) + fresh(message));
  };
  for (let seed = 0; seed < 40; seed++) {
    const dice = new Dice(seed);
    let message: Record<string, unknown> = { type: "ai", id: "m", content: "", tool_calls: [] };
    for (let step = 0; step < 30; step++) {
      const more = dice.one(["a", "bc ", " ", "12", "\n", "é", "\ud83d", "\ude00", "你", "", "Word", "x".repeat(9)]);
      const content = message["content"] as string;
      message = dice.one<() => Record<string, unknown>>([
        ...Array.from({ length: 8 }, () => () => ({ ...message, content: content + more })),
        () => ({ ...message, content: content.slice(1) + more }),
        () => ({ ...message, content: content + more, name: "bob" }),
        () => ({ ...message, content: content + more, tool_calls: [{ id: "c", name: "f", args: {} }] }),
        () => ({ type: "human", id: "m", content: content + more }),
        () => ({ ...message, content: [{ type: "text", text: content }] }),
        () => ({ ...message, content: more }),
      ])();
      if (typeof message["content"] !== "string") {
        check(message);
        message = { ...message, content };
      }
      check(message);
    }
  }
});

test("L5: a counter that looks itself counts nothing twice, and leaves nothing out", () => {
  const [a, b, c, d] = [human("a"), human("b"), human("c"), human("d")];
  const inside: number[] = [];
  const context: Context<Message> = new Context({
    tokenCounter: (messages: readonly Message[]) => {
      if (messages[0] === b) inside.push(context.of([a, c, d, c]).tokens);
      return 1;
    },
  });
  expect(context.of([a]).tokens).toBe(1);
  const view = context.of([a, b, d]);
  expect([view.tokens, view.messages.length, inside]).toEqual([3, 3, [4]]);
  expect([context.of([a, b, d, c]).tokens, view.tokens]).toEqual([4, 3]);
});

test("L6: a message more is one message counted, however many there are", () => {
  let counted = 0;
  const tokenCounter = (messages: readonly Message[]) => {
    counted += messages.length;
    return messages.length;
  };
  const context = new Context<Message>({ trigger: { messages: 100_000 }, tokenCounter });
  for (const length of [10, 10_000]) {
    const list = Array.from({ length }, (_, at) => ({ ...human(), id: `${length}-${at}` }));
    expect(context.of(list).tokens).toBe(length);
    counted = 0;
    expect(context.of([...list, human()]).tokens).toBe(length + 1);
    expect(counted).toBe(1);
    const meter = context.meter(list);
    counted = 0;
    meter.push(human());
    expect(counted).toBe(1);
  }
});

test("is the same view while nothing has changed", () => {
  const context = new Context<Message>({ trigger: { messages: 2 }, keep: { messages: 1 } });
  const list = [human("a"), human("b"), human("c")];
  const first = context.of(list);
  expect(context.of(list)).toBe(first);
  expect(context.of([...list])).toBe(first);
  expect(first.due).toBe(first.due);
  const record = context.compact(present(first.due), "S");
  const second = context.of(list, record);
  expect(second).not.toBe(first);
  expect(context.of([...list], record)).toBe(second);
  // An earlier view still returns its own answers.
  expect([first.tokens, first.messages.length]).toEqual([context.of(list, null).tokens, 3]);
});

test.each([
  ["the first message that is sent", ["a", "b", "d"], ["S", "d"]],
  ["the last that is not", ["a", "c", "d"], ["S", "c", "d"]],
  ["both, as a rewind does", ["a", "edited"], ["a", "edited"]],
  ["all", ["e"], ["e"]],
])("a record is right, or nothing is left out, without %s", (_, left, sent) => {
  const said = (id: string) => ({ id, type: "human" as const, content: id });
  const context = new Context({ trigger: { messages: 4 }, keep: { messages: 2 } });
  const { due } = context.of(["a", "b", "c", "d"].map(said));
  const record = due?.toRecord({ id: "S", type: "human", content: "S" });
  expect(record).toMatchObject({ cutoff_id: "c", summarized_id: "b" });
  const view = context.of(left.map(said), record);
  expect(view.messages.map((message) => (message as { id: string }).id)).toEqual(sent);
  expect(view.conversation_summary).toBe(sent[0] === "S" ? "S" : null);
});

test("looks as a new context does where the first message that is sent is gone, and the one in front has no id", () => {
  const make = () => new Context({ trigger: { messages: 4 }, keep: { messages: 2 } });
  const said = (content: string, id?: string) => ({ type: "human", content, ...(id && { id }) });
  const list = [said("a"), said("b"), said("c", "c"), said("d", "d")];
  const context = make();
  const record = context.compact(present(context.of(list).due), "S");
  expect(context.of(list, record).messages.length).toBe(3);
  for (const left of [list.slice(0, 2), [...list.slice(0, 2), said("e", "e")]]) {
    expect(make().of(left, record).messages).toEqual(left);
    expect(context.of(left, record).messages).toEqual(left);
  }
});

test.each([
  ["a promise", () => Promise.resolve({ messages: [] })],
  ["a snapshot of a graph", () => ({ values: { messages: [] }, next: [] })],
  ["a thread whose state is one of these", () => ({ getState: () => ({ values: { messages: [] } }) })],
])("refuses %s, which as a state would be empty", (_, make) => {
  const context = new Context();
  expect(() => context.of(make() as never)).toThrow(/await a promise, take a snapshot's `values`/);
});
