import * as fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { defineSchema, field, Thread, ThreadfoldError, type Drift, type ThreadEvent } from "threadfold";
import { expect, test } from "vitest";
import { runs, seeded } from "../support/seed.js";
import { command, snapshotOf, type Command, type Since } from "./commands.js";
import { Model } from "./model.js";
import { patched, type Operation } from "./patches.js";
import { isRemoval, openRules, schemaRules, sum, type Fields, type Message } from "./reducers.js";

const schema = defineSchema({
  messages: field.messages(),
  todos: field.todos({ input: false }),
  files: field.files(),
  topic: field.replace(),
  log: field.append(),
  prefs: field.merge(),
  budget: field.reducer(sum, { default: () => 0 }),
  secret: field.replace({ private: true }),
  notes: field.append({ output: false }),
});

type Shown = Record<string, unknown> & { messages: Message[] };
type Op = ReturnType<Thread["optimistic"]>;

/** What was seen after a step, of the thread and of the model's pending updates. */
interface Seen {
  view: Shown;
  confirmed: Shown;
  touched: ReturnType<Model["touched"]>;
}

/** Which messages and fields a step gave new values, be they equal. */
class Touched {
  readonly messages = new Set<string>();
  readonly fields = new Set<string>();
  all = false;

  by(update: object): void {
    for (const [key, value] of Object.entries(update)) {
      if (key === "messages") for (const { id } of [value].flat() as Message[]) this.messages.add(id);
      else this.fields.add(key);
    }
  }

  byEvent(event: ThreadEvent): void {
    if (event.type === "message") this.by({ messages: event.message });
    else if (event.type === "text") this.messages.add(event.messageId);
    else if (event.type === "update") this.by(event.update);
    else if (event.type === "run-started") this.all = true;
    else if (event.type === "delta") {
      for (const { path } of event.operations as Operation[]) this.fields.add(path.split("/")[1] ?? "");
    }
  }
}

/** A thread and a model that hear the same. */
class Pair {
  readonly #isOpen: boolean;
  readonly #model: Model;
  #thread: Thread<Shown>;
  #ops: string[] = [];
  #handles = new Map<string, Op>();
  #events: ThreadEvent[] = [];
  #history: Fields[] = [];
  #drifts: Drift[] = [];
  #errors: string[] = [];
  #touched = new Touched();
  #seen: Seen | undefined;
  /** How many steps ago that was. */
  #steps = 0;

  constructor(isOpen: boolean) {
    this.#isOpen = isOpen;
    this.#model = isOpen ? new Model(openRules, {}) : new Model(schemaRules, { todos: [], files: {}, log: [], prefs: {}, notes: [] });
    this.#thread = new Thread<Shown>(isOpen ? {} : { schema: schema as never });
    this.#listen();
  }

  #listen(): void {
    this.#thread.on("drift", (drift) => void this.#drifts.push(drift));
    this.#thread.on("error", (error) => void this.#errors.push(error.code));
  }

  run(step: Command): void {
    this.#steps++;
    this.#history.unshift(this.#model.confirmedState());
    switch (step.do) {
      case "event":
        return this.#receive(step.event);
      case "again":
        return this.#receive(this.#events[step.back]);
      case "messages":
        return this.#receive({ type: "messages", messages: this.#told(step.told), clientRoles: step.clientRoles });
      case "values":
        return this.#receive({ type: "values", values: { ...this.#fields(step), messages: this.#told(step.told) } });
      case "state":
        return this.#receive({ type: "state", values: this.#fields(step) });
      case "echo": {
        const own = this.#waiting()[step.which];
        return this.#receive(own && { type: "message", message: { ...own, id: step.renamed ? `s${own.id}` : own.id } });
      }
      case "optimistic":
        return this.#optimistic(step.update);
      case "update":
        this.#touched.by(step.update);
        expect(this.#refusal(() => this.#thread.update(structuredClone(step.update)))).toBe(this.#model.update(step.update));
        return undefined;
      case "reload":
        return this.#reload();
      default:
        return this.#change(step.do, this.#ops[step.which]);
    }
  }

  #told(told: Extract<Command, { do: "messages" }>["told"]): Message[] {
    const then = this.#history[told.age] ?? { messages: [] };
    return snapshotOf((then as Shown).messages, this.#waiting(), told);
  }

  #fields({ fields, since }: { fields: Fields; since: Since }): Fields {
    const base = since === "shown" ? this.#model.state() : this.#history[since ?? 0] ?? {};
    const { messages: _, ...kept } = since === undefined ? { ...base, ...fields } : base;
    const rules = (this.#isOpen ? openRules : schemaRules).fields;
    return Object.fromEntries(Object.entries(kept).filter(([key]) => rules[key]?.output !== false));
  }

  /** The messages that are pending. */
  #waiting(): Message[] {
    const updates = this.#model.pending().map(({ update }) => update as { messages?: Message[] });
    return updates.flatMap(({ messages = [] }) => messages).filter((message) => !isRemoval(message));
  }

  #receive(event: ThreadEvent | undefined): void {
    if (!event) return;
    this.#events.unshift(event);
    this.#touched.byEvent(event);
    [this.#drifts, this.#errors] = [[], []];
    const before = this.#model.confirmedState();
    const code = this.#model.receive(event);
    this.#thread.receive(structuredClone(event));
    expect(this.#errors).toEqual(code === undefined ? [] : [code]);
    this.#expectDrift(before, event);
  }

  /** Drift is told where a snapshot contradicts what was folded, with what makes the one into the other. */
  #expectDrift(before: Fields, event: ThreadEvent): void {
    const { messages, fields } = this.#model.drift;
    const told = this.#drifts.flatMap(({ patch }) => patch as Operation[]);
    expect(this.#drifts.length).toBe(messages.length + fields.length > 0 ? 1 : 0);
    expect(told.filter(({ path }) => path.startsWith("/messages/"))).toEqual(messages);
    if (event.type !== "values" && event.type !== "state") return;
    const inFields = told.filter(({ path }) => !path.startsWith("/messages/"));
    const made = patched(before, inFields);
    const says = { ...before, ...event.values } as Fields;
    for (const key of fields) expect(made[key]).toEqual(says[key]);
    expect(new Set(inFields.map(({ path }) => path.split("/")[1]))).toEqual(new Set(fields));
  }

  #refusal(call: () => void): string | undefined {
    try {
      call();
      return undefined;
    } catch (error) {
      if (error instanceof ThreadfoldError) return error.code;
      throw error;
    }
  }

  #optimistic(update: Record<string, unknown>): void {
    this.#touched.by(update);
    let op: Op | undefined;
    const code = this.#refusal(() => (op = this.#thread.optimistic(structuredClone(update))));
    expect(code).toBe(this.#model.optimistic(op?.id ?? "", update));
    if (!op) return;
    this.#ops.unshift(op.id);
    this.#handles.set(op.id, op);
  }

  #change(how: "settle" | "fail" | "retry" | "rollback", id: string | undefined): void {
    if (id === undefined) return;
    const handle = this.#handles.get(id);
    if (!handle) return;
    const own = this.#model.pending().find((update) => update.id === id);
    if (own && how === "settle") this.#touched.by(own.update);
    const code = this.#refusal(() => (how === "fail" ? handle.fail("refused") : handle[how]()));
    if (how === "settle") expect(code).toBe(this.#model.settle(id));
    else if (how === "rollback") this.#model.rollback(id);
    else this.#model.mark(id, how === "fail" ? "failed" : "pending", how === "fail" ? "refused" : undefined);
  }

  #reload(): void {
    const record = JSON.parse(JSON.stringify(this.#thread)) as object;
    this.#thread.free();
    this.#thread = Thread.fromJSON<Shown>(record, this.#isOpen ? {} : { schema: schema as never });
    this.#listen();
    this.#handles = new Map(this.#thread.pending.map(({ id }) => [id, this.#thread.optimisticUpdate(id)]));
    this.#model.reload();
    this.#touched.all = true;
  }

  /** Compares all that can be seen. */
  look(): void {
    const view = this.#thread.getState();
    const confirmed = this.#thread.confirmed;
    same(view, this.#model.state());
    same(confirmed, this.#model.confirmedState());
    same(this.#thread.pending, this.#model.pending());
    expect(this.#thread.run).toEqual(this.#model.position);
    const seen = { view, confirmed, touched: this.#model.touched() };
    if (this.#seen && this.#steps === 1 && !this.#touched.all) expectIdentity(this.#seen, seen, this.#touched);
    this.#seen = seen;
    this.#steps = 0;
    this.#touched = new Touched();
  }

  free(): void {
    this.#thread.free();
  }
}

/** `toEqual` takes its time: it is for telling what differs. */
function same(seen: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(seen, expected)) expect(seen).toEqual(expected);
}

/** What a step did not touch is the same object; and so is what is made of nothing but that. */
function expectIdentity(before: Seen, after: Seen, touched: Touched): void {
  const changed = keptConfirmed(before.confirmed, after.confirmed, touched);
  const pendingIn = (part: "messages" | "fields") => (key: string) =>
    before.touched[part].get(key) !== after.touched[part].get(key);
  const moved = (part: "messages" | "fields") =>
    !isDeepStrictEqual([...before.touched[part]], [...after.touched[part]]);
  const isMoved = pendingIn("messages");
  for (const [message, old] of pairs(before.view.messages, after.view.messages)) {
    const isPending = before.touched.messages.has(message.id) || after.touched.messages.has(message.id);
    if (!isPending && before.confirmed.messages.includes(old) && after.confirmed.messages.some((held) => held === old)) {
      expect(message, `message ${message.id} shown`).toBe(old);
    }
    if (isPending && !isMoved(message.id) && !touched.messages.has(message.id) && isDeepStrictEqual(message, old)) {
      expect(message, `pending message ${message.id}`).toBe(old);
    }
  }
  if (before.confirmed.messages === after.confirmed.messages && !moved("messages")) {
    expect(after.view.messages, "the messages shown").toBe(before.view.messages);
  }
  const fieldMoved = pendingIn("fields");
  for (const key of Object.keys(after.view).filter((key) => key !== "messages" && key in before.view)) {
    const kept = Object.is(before.confirmed[key], after.confirmed[key]);
    if (kept && !fieldMoved(key) && !touched.fields.has(key)) expect(after.view[key], `field ${key} shown`).toBe(before.view[key]);
  }
  if (!changed && !moved("messages") && !moved("fields")) expect(after.view, "the state").toBe(before.view);
}

/** Checks what is confirmed; whether any of it is new. */
function keptConfirmed(before: Shown, after: Shown, touched: Touched): boolean {
  for (const [message, old] of pairs(before.messages, after.messages)) {
    if (!touched.messages.has(message.id)) expectShared(message, old, `message ${message.id}`);
  }
  for (const key of Object.keys(after)) {
    if (key !== "messages" && key in before && !touched.fields.has(key)) expectShared(after[key], before[key], `field ${key}`);
  }
  const untouched = touched.messages.size + touched.fields.size === 0;
  if (untouched && isDeepStrictEqual(before, after)) expect(after, "what is confirmed").toBe(before);
  return after !== before;
}

/** Two values that say the same are one, and so are their parts. */
function expectShared(value: unknown, old: unknown, what: string): void {
  if (isDeepStrictEqual(value, old)) expect(value, what).toBe(old);
  else if (typeof value === "object" && typeof old === "object" && value !== null && old !== null) {
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(old, key)) expectShared((value as Fields)[key], (old as Fields)[key], `${what}, ${key}`);
    }
  }
}

function pairs(before: readonly Message[], after: readonly Message[]): [Message, Message][] {
  const known = new Map(before.map((message) => [message.id, message]));
  return after.flatMap((message): [Message, Message][] => {
    const old = known.get(message.id);
    return old ? [[message, old]] : [];
  });
}

/** With `every`, so many steps go by between two looks: what becomes of a thread must not depend on who looks. */
function agrees(isOpen: boolean, steps: readonly Command[], every: number): void {
  const pair = new Pair(isOpen);
  for (const [at, step] of steps.entries()) {
    pair.run(step);
    if ((at + 1) % every === 0 || at === steps.length - 1) pair.look();
  }
  pair.free();
}

const CASES = runs(5_000, "THREADFOLD_FUZZ_RUNS");

for (const isOpen of [true, false]) {
  test(`a thread ${isOpen ? "without" : "with"} a schema is, after every step, what the model makes anew of all that was said`, () => {
    const cases = fc.tuple(fc.array(command(isOpen), { minLength: 1, maxLength: 24, size: "max" }), fc.constantFrom(1, 1, 1, 3));
    fc.assert(fc.property(cases, ([steps, every]) => agrees(isOpen, steps, every)), {
      ...seeded(`thread oracle, ${isOpen ? "no schema" : "schema"}`, CASES / 2),
    });
  });
}
