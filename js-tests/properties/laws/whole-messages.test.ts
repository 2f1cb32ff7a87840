// Lists of whole messages are merged without the core; a schema's merge asks it for every list. Both give one answer
// for any sides.
import { AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { addMessages, defineSchema, field, type ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { DEVELOPER, KINDS, ON_SCREEN } from "../../../pkg-template/generated/kinds.js";
import { codeOf, outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";
import type { MessageOptions } from "../../../pkg-template/src/state/messages.js";

/** A name for the case, and a function that makes the value from an id. */
type Form = [name: string, make: (id: string) => unknown];

const calls = [{ name: "find", args: {}, id: "t1", type: "tool_call" as const }];
const thrown = new Error("thrown");
const throwing = (key: string, message: object) =>
  Object.defineProperty(message, key, {
    enumerable: true,
    get() {
      throw thrown;
    },
  });

const WHOLE: Form[] = [
  // lists.js names the kinds and the roles itself, to be fast: it is held to the table.
  ...KINDS.filter(([type]) => type !== "tool").map(([type]): Form => [
    String(type),
    (id) => ({ type, id, content: "a" }),
  ]),
  ["a tool's result", (id) => ({ type: "tool", id, content: "a", tool_call_id: "t1" })],
  ["calls", (id) => ({ type: "ai", id, content: "", tool_calls: calls })],
  ["no list of calls", (id) => ({ type: "ai", id, content: "", tool_calls: { length: 1, 0: { function: {} } } })],
  ...[...KINDS.map(([, , role]) => String(role)), String(DEVELOPER[0]), ...ON_SCREEN].map((role): Form => [
    role,
    (id) => ({ id, role, content: "a", toolCallId: "t1" }),
  ]),
  ["HumanMessage", (id) => new HumanMessage({ id, content: "a" })],
  ["AIMessage", (id) => new AIMessage({ id, content: "", tool_calls: calls })],
  ["SystemMessage", (id) => new SystemMessage({ id, content: "a" })],
  ["ToolMessage", (id) => new ToolMessage({ id, content: "a", tool_call_id: "t1" })],
  ["a frozen message", (id) => Object.freeze({ type: "human", id, content: "a" })],
  ["a message without a prototype", (id) => Object.assign(Object.create(null), { type: "ai", id, content: "a" })],
  ["a proxy", (id) => new Proxy({ type: "human", id, content: "a" }, {})],
  [
    "a message of getters",
    (id) =>
      Object.create(Object.prototype, {
        id: { get: () => id },
        type: { get: () => "human" },
        content: { get: () => "a" },
      }),
  ],
];

const OTHER: Form[] = [
  ["a removal", (id) => ({ type: "remove", id })],
  ["a removal of all", () => ({ type: "remove", id: "__remove_all__" })],
  ["RemoveMessage", (id) => new RemoveMessage({ id })],
  ["a string", (id) => id],
  ["a pair", (id) => ["human", id]],
  ["a role", (id) => ({ role: "human", id, content: "a" })],
  ["no id", () => ({ type: "human", content: "a" })],
  ["a number as its id", (id) => ({ type: "human", id: id.length, content: "a" })],
  ["null as its id", () => ({ type: "ai", id: null, content: "a" })],
  ["a boxed id", (id) => ({ type: "ai", id: Object(id) as object, content: "a" })],
  ["OpenAI's calls", (id) => ({ type: "ai", id, content: "", tool_calls: [{ id: "t1", function: { name: "find" } }] })],
  ["a type and a role", (id) => ({ type: "human", role: "user", id, content: "a" })],
  ["another type", (id) => ({ type: "alien", id, content: "a" })],
  ["another role", (id) => ({ role: "alien", id, content: "a" })],
  ["a result of no call", (id) => ({ type: "tool", id, content: "a" })],
  ["nothing", () => undefined],
  ["null", () => null],
  ["a list", () => []],
  ["an empty object", () => ({})],
  ["a hole", () => HOLE],
  ...["id", "type", "role", "tool_calls"].map((key): Form => [
    `an ${key} that throws`,
    (id) => throwing(key, { type: "ai", ...(key !== "id" && { id }) }),
  ]),
  ["a tool_call_id that throws", (id) => throwing("tool_call_id", { type: "tool", id, content: "a" })],
  ["calls that throw", (id) => ({ type: "ai", id, content: "", tool_calls: [throwing("function", {})] })],
  ["a revoked proxy", () => revoked({})],
];

const HOLE = Symbol("a hole");

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function listOf(items: unknown[]): unknown[] {
  const list: unknown[] = [];
  list.length = items.length;
  for (const [at, item] of items.entries()) if (item !== HOLE) list[at] = item;
  return list;
}

class Messages extends Array<unknown> {}

const LISTS: Record<string, (items: unknown[]) => unknown> = {
  "a list": listOf,
  "a frozen list": (items) => Object.freeze(listOf(items)),
  "a class of lists": (items) => Messages.from(listOf(items)),
  "a proxy of a list": (items) => new Proxy(listOf(items), {}),
  "one message": ([item]) => item,
  "a list that says it is none": (items) => Object.assign(listOf(items), { [Symbol.isConcatSpreadable]: false }),
  "a list of a throwing class": (items) =>
    Object.assign(listOf(items), { constructor: Object.defineProperty({}, Symbol.species, throwingSpecies) }),
  "a revoked list": () => revoked([]),
};

const throwingSpecies = {
  get(): never {
    throw thrown;
  },
};

const id = fc.constantFrom("1", "2", "3", "4", "5", "6", "", "__proto__", "constructor", "\ud800", "\udc00");
const message = (forms: Form[]) => fc.record({ form: fc.constantFrom(...forms), id });

/** Mostly whole messages only, and a list as lists mostly are. */
const side = (maxLength: number) =>
  fc.record({
    list: fc.oneof(
      { weight: 8, arbitrary: fc.constant("a list") },
      { weight: 2, arbitrary: fc.constantFrom(...Object.keys(LISTS)) },
    ),
    items: fc.oneof(
      { weight: 3, arbitrary: fc.array(message(WHOLE), { maxLength }) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.oneof({ weight: 5, arbitrary: message(WHOLE) }, { weight: 1, arbitrary: message(OTHER) }),
          { maxLength },
        ),
      },
    ),
  });

type Side = typeof side extends (max: number) => fc.Arbitrary<infer S> ? S : never;

const made = ({ list, items }: Side) => LISTS[list]?.(items.map(({ form: [, make], id }) => make(id)));

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

/** Describes an answer: the same objects by identity, new ones by content without new ids. */
function told(answer: unknown, given: Set<unknown>): unknown {
  const list = answer as unknown[];
  const items = Array.from({ length: list.length }, (_, at) => {
    const item = list[at] as { id?: unknown };
    if (!(at in list)) return "a hole";
    if (given.has(item) || typeof item !== "object" || item === null) return { given: [...given].indexOf(item) };
    return typeof item.id === "string" && UUID.test(item.id) ? { ...item, id: "new" } : { ...item };
  });
  return { items, frozen: Object.isFrozen(list), of: Object.getPrototypeOf(list) };
}

/** Copies the lists' elements, to see that nobody changed them. */
function itemsOf(value: unknown): unknown[] {
  try {
    return Array.isArray(value) ? [...(value as unknown[])] : [value];
  } catch {
    return [];
  }
}

test.each<MessageOptions["rules"]>(["langgraph", "deepagents"])("by the rules of %s", (rules) => {
  const seen = { added: 0, replaced: 0, same: 0, errors: 0 };
  const schema = defineSchema({ messages: field.messages({ rules }) });
  const merge = schema.merge.bind(schema) as (state: object, update: object) => { messages: unknown };
  const agree = fc.property(side(7), side(3), (leftSide, rightSide) => {
    const [left, right] = [made(leftSide), made(rightSide)];
    // A schema takes a field that is missing, or `undefined` for it: nothing is merged then.
    fc.pre(left !== undefined && left !== null && right !== undefined && right !== null);
    const before = [itemsOf(left), itemsOf(right)];
    const given = new Set<unknown>(before.flat());
    const own = outcome(() => addMessages(left as never, right as never, { rules }));
    const core = outcome(() => merge({ messages: left }, { messages: right }).messages);
    for (const [at, list] of [itemsOf(left), itemsOf(right)].entries()) {
      expect(list.length === before[at]?.length && list.every((item, index) => item === before[at]?.[index])).toBe(
        true,
      );
    }
    if ("error" in core || "error" in own) {
      seen.errors++;
      const { code, message, cause } = (core as { error: ThreadfoldError }).error;
      const { error } = own as { error: ThreadfoldError };
      expect({ code: error.code, message: error.message }).toEqual({ code, message });
      expect(error.cause === cause || (error.cause as Error).message === (cause as Error).message).toBe(true);
      return;
    }
    const [answer, expected] = [own.answer as unknown, core.answer as unknown];
    expect(answer === left).toBe(expected === left);
    expect(answer === right).toBe(false);
    expect(told(answer, given)).toEqual(told(expected, given));
    if (answer === left) seen.same++;
    else if ((answer as unknown[]).length > leftSide.items.length) seen.added++;
    else seen.replaced++;
  });
  const settings = seeded("whole-messages", 10_000);
  fc.assert(agree, settings);
  // Without these the cases would prove little.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(settings.numRuns / 50);
});

test("of long lists, each message its own", () => {
  const list = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ type: "human" as const, id: `${from + at}`, content: "a" }));
  const left = list(0, 1000);
  const right = list(500, 1500).toReversed();
  expect(addMessages(left, right)).toStrictEqual([
    ...left.slice(0, 500),
    ...right.slice(500).toReversed(),
    ...right.slice(0, 500),
  ]);
});

test("a left side's message is refused before the right side is read", () => {
  let asked = 0;
  const recursive = {
    type: "human" as const,
    content: "a",
    get id(): string {
      asked++;
      addMessages(["hi"], this as never);
      return "1";
    },
  };
  expect(codeOf(() => addMessages([7] as never, throwing("id", { type: "ai" }) as never))).toBe("INVALID_MESSAGE");
  // A getter that threw is not asked again: one that calls itself would never end.
  expect(codeOf(() => addMessages(["hi"], recursive))).toBe("UNREADABLE_VALUE");
  expect(asked).toBeLessThan(100_000);
});
