// Random runs: what a server says, in and out of order, and what a user does meanwhile. A command is plain data that
// is made an event only when its turn comes, so that it can speak of what is there by then.
import * as fc from "fast-check";
import type { ThreadEvent } from "threadfold";
import type { Message } from "./reducers.js";

type Update = Record<string, unknown>;

/** How a snapshot differs from what the thread has confirmed, now or some steps ago. */
export interface Told {
  /** How many steps ago. */
  age: number;
  /** Whether it has the pending messages; renamed: under ids of the server's own. */
  echo: "no" | "same" | "renamed";
  dropped: number | undefined;
  swapped: number | undefined;
  changed: number | undefined;
  added: Message | undefined;
}

/** Which fields a snapshot has: those of some steps ago, those that are shown now, or new ones laid over what there is. */
export type Since = number | "shown" | undefined;

export type Command =
  | { do: "event"; event: ThreadEvent }
  /** The event that came so many events ago, once more. */
  | { do: "again"; back: number }
  | { do: "messages"; told: Told; clientRoles: string[] | undefined }
  | { do: "values"; told: Told; fields: Update; since: Since }
  | { do: "state"; fields: Update; since: Since }
  /** The server's copy of a pending message, under its id or another. */
  | { do: "echo"; which: number; renamed: boolean }
  | { do: "optimistic"; update: Update }
  | { do: "settle" | "fail" | "retry" | "rollback"; which: number }
  | { do: "update"; update: Update }
  | { do: "reload" };

const maybe = <T>(one: fc.Arbitrary<T>, weight = 2) => fc.option(one, { nil: undefined, freq: weight });

const id = fc.constantFrom("1", "2", "3", "4", "5");
const text = fc.constantFrom("a", "b", "ab", "");
const role = fc.constantFrom<object[]>({ type: "human" }, { type: "ai" }, { role: "assistant" }, { role: "activity" });
const told: fc.Arbitrary<Message> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(role, id, text).map(([role, id, content]) => ({ ...role, id, content })) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("4", "5", "t1", "t2"), fc.constantFrom("c1", "c2"), text)
      .map(([id, tool_call_id, content]) => ({ type: "tool", id, tool_call_id, content })),
  },
);
const removal = id.map((id): Message => ({ type: "remove", id }));
const changes: fc.Arbitrary<Message[]> = fc.oneof(
  { weight: 6, arbitrary: fc.array(told, { minLength: 1, maxLength: 2 }) },
  { weight: 2, arbitrary: fc.array(fc.oneof(told, removal), { minLength: 1, maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(told, { selector: ({ id }) => id, maxLength: 2 })
      .map((rest) => [{ type: "remove", id: "__remove_all__" }, ...rest]),
  },
);

const todo = fc.record(
  { content: fc.constantFrom("x", "y"), status: fc.constantFrom("pending", "completed") },
  { noNullPrototype: true },
);
const todos = fc.oneof({ weight: 9, arbitrary: fc.array(todo, { maxLength: 2 }) }, { weight: 1, arbitrary: fc.constant([{ content: "x" }]) });
const path = fc.constantFrom("/a", "/b");
const file = fc.constantFrom({ content: "x" }, { content: "y" });
const files = fc.dictionary(path, fc.option(file, { freq: 3 }), { minKeys: 1, maxKeys: 2, noNullPrototype: true });
const logged = fc.array(fc.constantFrom("p", "q"), { maxLength: 2 });
const prefs = fc.dictionary(fc.constantFrom("k", "l"), fc.constantFrom(1, 2), { minKeys: 1, noNullPrototype: true });
const topic = fc.constantFrom("u", "v", "w", null);

/** Every field that either set of rules knows, and one that neither does. */
const FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  todos,
  files,
  topic,
  log: logged,
  prefs,
  budget: fc.constantFrom(1, 2, -1, 13),
  secret: topic,
  notes: logged,
  tools: fc.array(fc.record({ name: fc.constantFrom("f", "g") }), { maxLength: 2 }),
  mood: fc.constantFrom("calm", "busy"),
};

/** Values of some fields: what the rules have no reducer for is a plain value. */
const OPEN = ["todos", "files", "tools", "topic", "mood"];
const fields = (isOpen: boolean) => {
  const names = isOpen ? OPEN : Object.keys(FIELDS).filter((key) => key !== "tools");
  return fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })
    .chain((keys) => fc.tuple(...keys.map((key) => (FIELDS[key] ?? topic).map((value): [string, unknown] => [key, value]))))
    .map((entries): Update => Object.fromEntries(entries));
};

/** A file that is null is no file: what a snapshot shows are files. */
const shownFields = (isOpen: boolean) =>
  fields(isOpen).map(({ files, ...rest }): Update => {
    const kept = Object.entries((files as Update | undefined) ?? {}).filter(([, file]) => file !== null);
    return files === undefined ? rest : { ...rest, files: Object.fromEntries(kept) };
  });

const update = (isOpen: boolean): fc.Arbitrary<Update> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ messages: changes }) as fc.Arbitrary<Update> },
    { weight: 3, arbitrary: fields(isOpen) },
    { weight: 2, arbitrary: fc.tuple(changes, fields(isOpen)).map(([messages, rest]): Update => ({ messages, ...rest })) },
    { weight: 1, arbitrary: told.map((messages): Update => ({ messages })) },
  );

const snapshot: fc.Arbitrary<Told> = fc.record({
  age: fc.oneof(fc.constant(0), fc.nat(6)),
  echo: fc.constantFrom<Told["echo"][]>("no", "same", "renamed"),
  dropped: maybe(fc.nat(5)),
  swapped: maybe(fc.nat(4), 1),
  changed: maybe(fc.nat(5), 1),
  added: maybe(told),
});

const operation = fc.oneof(
  FIELDS["topic"] ?? topic,
  fc.constantFrom("x"),
).chain((value) =>
  fc.constantFrom<object[]>(
    { op: "add", path: "/topic", value },
    { op: "replace", path: "/topic", value },
    { op: "remove", path: "/files/~1a" },
    { op: "add", path: "/files/~1b", value: { content: "z" } },
    { op: "add", path: "/todos/-", value: { content: "z", status: "pending" } },
    { op: "test", path: "/topic", value },
    { op: "replace", path: "/nowhere/deep", value },
  ),
);

const since = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Since>(undefined) },
  { weight: 1, arbitrary: fc.nat(4) as fc.Arbitrary<Since> },
  { weight: 1, arbitrary: fc.constant<Since>("shown") },
);

const runId = fc.constantFrom("r1", "r1", "r2", undefined);

const event = (isOpen: boolean): fc.Arbitrary<ThreadEvent> => {
  const kinds: [number, fc.Arbitrary<ThreadEvent>][] = [
    [4, fc.record({ type: fc.constant("run-started" as const), runId })],
    [2, fc.constant({ type: "run-finished" })],
    [1, fc.constant({ type: "run-failed", error: "down" })],
    [7, fc.record({ type: fc.constant("message" as const), message: told, after: maybe(id, 1), streaming: fc.boolean() })],
    [7, fc.record({ type: fc.constant("text" as const), messageId: id, text })],
    [3, fc.record({ type: fc.constant("message-finished" as const), messageId: id })],
    [4, update(isOpen).map((update) => ({ type: "update", update }))],
    [2, fc.array(operation, { minLength: 1, maxLength: 2 }).map((operations) => ({ type: "delta", operations }))],
  ];
  const kind = fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return fc.tuple(kind, maybe(fc.nat(12), 2)).map(([event, id]) => (id === undefined ? event : { ...event, id: `e${id}` }));
};

/** A step of a run. */
export const command = (isOpen: boolean): fc.Arbitrary<Command> => {
  const kinds: [number, fc.Arbitrary<Command>][] = [
    [12, event(isOpen).map((event) => ({ do: "event", event }))],
    [2, fc.record({ do: fc.constant("again" as const), back: fc.nat(4) })],
    [4, fc.record({ do: fc.constant("messages" as const), told: snapshot, clientRoles: maybe(fc.constant("activity").map((role) => [role])) })],
    [3, fc.record({ do: fc.constant("values" as const), told: snapshot, fields: shownFields(isOpen), since })],
    [2, fc.record({ do: fc.constant("state" as const), fields: shownFields(isOpen), since })],
    [3, fc.record({ do: fc.constant("echo" as const), which: fc.nat(3), renamed: fc.boolean() })],
    [8, update(isOpen).map((update) => ({ do: "optimistic", update }))],
    [4, fc.record({ do: fc.constantFrom("settle" as const, "fail" as const, "retry" as const, "rollback" as const), which: fc.nat(4) })],
    [2, update(isOpen).map((update) => ({ do: "update", update }))],
    [1, fc.constant({ do: "reload" })],
  ];
  return fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
};

/** The messages of a snapshot, from what was confirmed then and what is pending now. */
export function snapshotOf(then: readonly Message[], pending: readonly Message[], told: Told): Message[] {
  const echoed = pending.map((message) => (told.echo === "renamed" ? { ...message, id: `s${message.id}` } : message));
  let list = [...then, ...(told.echo === "no" ? [] : echoed.filter(({ id }) => !then.some((held) => held.id === id)))];
  const at = (index: number) => (list.length === 0 ? -1 : index % list.length);
  if (told.added) list = [...list.filter(({ id }) => id !== told.added?.id), told.added];
  if (told.changed !== undefined) {
    const changed = at(told.changed);
    list = list.map((message, index) => (index === changed ? { ...message, content: "otherwise" } : message));
  }
  if (told.swapped !== undefined && list.length > 1) {
    const swapped = list.splice(at(told.swapped), 1);
    list.unshift(...swapped);
  }
  if (told.dropped !== undefined) list = list.toSpliced(at(told.dropped), 1);
  return list;
}
