import { defineSchema, field, Thread, ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { garbage } from "../../properties/garbage/values.js";
import { outcome } from "../../support/errors.js";
import { isThorough } from "../../support/seed.js";
import { inside } from "../../support/inside.js";

const makers = Object.entries(garbage);
const fields = () => ({
  messages: field.messages(),
  todos: field.todos(),
  files: field.files(),
  topic: field.replace(),
  log: field.append(),
  budget: field.reducer((left: unknown, right: unknown) => [left, right], { default: () => 0 }),
});
const schema = defineSchema(fields());
type Any = Record<string, unknown>;
const human = { type: "human", id: "1", content: "a" };

/** A thread in the middle of things. */
function made(isOpen: boolean): Thread<Any> {
  const thread = new Thread<Any>(isOpen ? {} : { schema: schema as never });
  thread.receive({ type: "run-started", runId: "r", id: "0" });
  thread.receive({ type: "message", message: { type: "ai", id: "2", content: "b" }, streaming: true });
  thread.optimistic({ messages: [human], topic: "x" });
  return thread;
}

type Call = (thread: Thread<Any>, value: never) => unknown;

/** Every place of every method and event where garbage may go. */
const calls: Record<string, Call> = {
  update: (thread, value) => thread.update(value),
  "update of messages": (thread, value) => thread.update({ messages: value }),
  "update of a message": (thread, value) => thread.update({ messages: [value] }),
  "update of todos": (thread, value) => thread.update({ todos: value }),
  "update of files": (thread, value) => thread.update({ files: value }),
  "update of a file": (thread, value) => thread.update({ files: { "/a": value } }),
  "update of a log": (thread, value) => thread.update({ log: value }),
  "update of a field": (thread, value) => thread.update({ topic: value, budget: value }),
  optimistic: (thread, value) => thread.optimistic(value),
  "optimistic messages": (thread, value) => thread.optimistic({ messages: value }),
  "optimistic message": (thread, value) =>
    thread.optimistic({ messages: [value, { type: "remove", id: "__remove_all__" }, value] }),
  "optimistic field, settled": (thread, value) => thread.optimistic({ topic: value, files: { "/a": value } }).settle(),
  "optimistic budget, rolled back": (thread, value) => thread.optimistic({ budget: value }).rollback(),
  fail: (thread, value) => thread.optimistic({ topic: "y" }).fail(value),
  "an update by its id": (thread, value) => {
    const op = inside(thread).update(value);
    return [op.status, op.settle(), op.fail(value), op.retry(), op.rollback()];
  },
  message: (thread, value) => thread.getConfirmedMessage(value),
  had: (thread, value) => inside(thread).had(value),
  // A listener's own errors are its own affair.
  subscribe: (thread, value) => typeof value === "function" || thread.subscribe(value),
  "optimistic's options": (thread, value) => thread.optimistic({ topic: "z" }, value),
  manual: (thread, value) => thread.optimistic({ topic: "z" }, { manual: value }),
  "on a listener": (thread, value) => typeof value === "function" || thread.on("error", value),
  on: (thread, value) => thread.on(value, (() => undefined) as never),
  receive: (thread, value) => thread.receive(value),
  "an event's type": (thread, type) => thread.receive({ type }),
  "an event's id": (thread, id) => thread.receive({ type: "run-finished", id, key: id }),
  "run-started": (thread, runId) => thread.receive({ type: "run-started", runId }),
  "run-started, joined": (thread, joined) => thread.receive({ type: "run-started", runId: "r", joined }),
  "run-finished, interrupts": (thread, interrupts) => thread.receive({ type: "run-finished", interrupts }),
  "run-error": (thread, error) => thread.receive({ type: "run-error", error }),
  disconnected: (thread, error) => thread.receive({ type: "disconnected", error }),
  "message event": (thread, message) => thread.receive({ type: "message", message }),
  "message event of garbage": (thread, value) =>
    thread.receive({ type: "message", message: { id: value, content: value } }),
  "message event with content": (thread, content) => {
    thread.receive({ type: "message", message: { id: "9", type: "human", content, tool_calls: content } });
    thread.receive({ type: "text", messageId: "9", text: "a" });
  },
  "message event, after and streaming": (thread, value) =>
    thread.receive({ type: "message", message: { id: "8", type: "ai", content: "" }, after: value, streaming: value }),
  text: (thread, text) => thread.receive({ type: "text", messageId: "2", text }),
  "text's message": (thread, messageId) => thread.receive({ type: "text", messageId, text: "a" }),
  "message-finished": (thread, messageId) => thread.receive({ type: "message-finished", messageId }),
  messages: (thread, messages) => thread.receive({ type: "messages", messages }),
  "messages of garbage": (thread, value) =>
    thread.receive({ type: "messages", messages: [value, value, human] as never }),
  clientRoles: (thread, clientRoles) => thread.receive({ type: "messages", messages: [human], clientRoles }),
  "clientRoles of garbage": (thread, value) =>
    thread.receive({ type: "messages", messages: [human], clientRoles: [value] }),
  "update event": (thread, update) => thread.receive({ type: "update", update }),
  "update event of messages": (thread, messages) =>
    thread.receive({ type: "update", update: { messages, budget: messages } }),
  values: (thread, values) => thread.receive({ type: "values", values }),
  "values' parts": (thread, value) => thread.receive({ type: "values", values: { messages: value, topic: value } }),
  state: (thread, values) => thread.receive({ type: "state", values }),
  "state's fields": (thread, value) => {
    thread.receive({ type: "state", values: { topic: value, files: value, log: value, budget: value, todos: value } });
    thread.optimistic({ files: { "/a": {} } });
  },
  delta: (thread, operations) => thread.receive({ type: "delta", operations }),
  "delta's operation": (thread, value) => thread.receive({ type: "delta", operations: [value] }),
  "delta's value": (thread, value) =>
    thread.receive({ type: "delta", operations: [{ op: "add", path: "/topic", value }] }),
  "delta's path": (thread, path) => thread.receive({ type: "delta", operations: [{ op: "replace", path, value: 1 }] }),
};

const isOurs = (came: object) => !("error" in came) || came.error instanceof ThreadfoldError;
const tell = (value: unknown): string => {
  try {
    return String(value instanceof Error ? `${value.name}: ${value.message}` : value);
  } catch {
    return "what cannot be told";
  }
};

/** A sentence about the thread's fault, if any. */
function complaint(thread: Thread<Any>): string | undefined {
  const came = outcome(() => {
    thread.update({ messages: [{ type: "human", id: "probe", content: "p" }] });
    thread.receive({ type: "text", messageId: "probe", text: "!" });
    const op = thread.optimistic({ messages: [{ type: "human", id: "mine", content: "m" }] });
    const { messages } = thread.getState() as { messages: { id?: unknown; content?: unknown }[] };
    const ids = messages.map(
      (message) => typeof message === "object" && Object.getOwnPropertyDescriptor(message, "id")?.value,
    );
    op.rollback();
    if (!["probe", "mine"].every((id) => ids.includes(id))) throw new Error("it does not show what it has");
    if ((thread.getConfirmedMessage("probe") as { content?: unknown }).content !== "p!")
      throw new Error("it takes no text");
  });
  if ("error" in came && !(came.error instanceof ThreadfoldError && came.error.code === "UNREADABLE_VALUE"))
    return tell(came.error);
  if (({} as { polluted?: unknown }).polluted !== undefined) return "a prototype was reached";
  return undefined;
}

for (const isOpen of [true, false]) {
  for (const [place, [name, call]] of Object.entries(calls).entries()) {
    test(`${name}, ${isOpen ? "no schema" : "schema"}: garbage is answered or refused, and the thread works afterwards`, () => {
      const complaints: string[] = [];
      for (const [at, [kind, make]] of makers.entries()) {
        // Unless thorough, a quarter of the values with a schema, another without; at the next place the next ones.
        if (!isThorough() && (at + place) % 4 !== 2 * Number(isOpen)) continue;
        using thread = made(isOpen);
        const came = outcome(() => call(thread, make() as never));
        if (!isOurs(came)) complaints.push(`${kind} threw ${tell((came as { error: unknown }).error)}`);
        for (const look of [
          () => thread.getState(),
          () => thread.getConfirmedState(),
          () => thread.pending,
          () => thread.run,
          () => thread.incompleteIds,
          () => thread.toJSON(),
        ]) {
          const seen = outcome<unknown>(look);
          if (!isOurs(seen)) complaints.push(`${kind}, looked at, threw ${tell((seen as { error: unknown }).error)}`);
        }
        const wrong = complaint(thread);
        if (wrong) complaints.push(`${kind} broke it: ${wrong}`);
      }
      expect(complaints).toEqual([]);
    });
  }
}

test("values that differ deeper down than a stack is deep", () => {
  const deep = (inner: unknown) =>
    Array.from({ length: 50_000 }).reduce((value, _, at) => (at % 2 === 0 ? [value] : { value }), inner);
  using thread = new Thread<Any>({ schema: schema as never });
  const drifts: number[] = [];
  thread.on("drift", ({ patch }) => void drifts.push(patch.length));
  thread.receive({ type: "update", update: { topic: deep(1) } });
  thread.receive({ type: "state", values: { topic: deep(2) } });
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "state", values: { topic: deep(3) } });
  expect(drifts).toEqual([1]);
  using again = Thread.fromJSON<Any>(thread.toJSON(), { schema: schema as never });
  again.receive({ type: "run-started", runId: "r" });
  expect([complaint(thread), complaint(again)]).toEqual([undefined, undefined]);
});

test("garbage for a new thread, and for one from a record, is answered or refused", () => {
  const complaints: string[] = [];
  const record = () => {
    using thread = made(true);
    return JSON.parse(JSON.stringify(thread)) as Any;
  };
  const core = () => record()["core"] as Any;
  const withCore = (parts: Any) => Thread.fromJSON<Any>({ ...record(), core: { ...core(), ...parts } });
  const pendingParts = Object.keys((core()["pending"] as Any[])[0] ?? {});
  const runParts = Object.keys(core()["run"] as Any);
  for (const [kind, make] of makers) {
    const value = () => make() as never;
    const tries: Record<string, () => Thread<Any>> = {
      options: () => new Thread<Any>(value()),
      schema: () => new Thread<Any>({ schema: value() }),
      values: () => new Thread<Any>({ values: value() }),
      "values' messages": () => new Thread<Any>({ values: { messages: value(), topic: value() } }),
      threadId: () => new Thread<Any>({ threadId: value() }),
      notify: () => new Thread<Any>({ notify: value() }),
      record: () => Thread.fromJSON<Any>(value()),
      "fromJSON's options": () => Thread.fromJSON<Any>(record(), value()),
      "fromJSON's schema": () => Thread.fromJSON<Any>(record(), { schema: value() }),
      "confirmed messages": () => withCore({ confirmed: { messages: value() } }),
      "a confirmed message": () => withCore({ confirmed: { messages: [value()] } }),
    };
    for (const part of Object.keys(record()))
      tries[`record's ${part}`] = () => Thread.fromJSON<Any>({ ...record(), [part]: value() });
    for (const part of Object.keys(core())) tries[`core's ${part}`] = () => withCore({ [part]: value() });
    for (const part of ["id", "status", "error", "interrupts", "lastEventId"]) {
      tries[`where the run stands, ${part}`] = () =>
        withCore({ run: { ...(core()["run"] as Any), status: "interrupted", interrupts: [1], [part]: value() } });
    }
    for (const part of Object.keys(core()["server"] as Any)) {
      tries[`what the server has, ${part}`] = () =>
        withCore({ server: { ...(core()["server"] as Any), [part]: value() } });
    }
    for (const part of pendingParts) {
      tries[`pending ${part}`] = () => {
        const [pending] = core()["pending"] as Any[];
        return withCore({ pending: [{ ...pending, [part]: value() }, value()] });
      };
    }
    for (const part of runParts) {
      tries[`run's ${part}`] = () => {
        const thread = withCore({ run: { ...(core()["run"] as Any), [part]: value() } });
        thread.receive({ type: "run-started", runId: "r" });
        return thread;
      };
    }
    for (const [place, attempt] of Object.entries(tries)) {
      const came = outcome(attempt);
      if (!isOurs(came)) complaints.push(`${place}, ${kind}, threw ${tell((came as { error: unknown }).error)}`);
      if (!("answer" in came)) continue;
      const wrong = complaint(came.answer);
      if (wrong) complaints.push(`${place}, ${kind}, broke it: ${wrong}`);
      came.answer.dispose();
    }
  }
  expect(complaints).toEqual([]);
});
