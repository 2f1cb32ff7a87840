// What a thread should show, by the slow obvious way: the confirmed state is folded anew from the log of all that was
// said, and what is pending is laid over it. The rules are those of DESIGN.md and of the package's own comments.
import { isDeepStrictEqual } from "node:util";
import type { ThreadEvent } from "threadfold";
import { after, clean, confirmedBy, contradicted, listed, type Confirmed, type Contradiction, type Said } from "./confirmed.js";
import { Refused, write, type Fields, type Message, type Rules } from "./reducers.js";
import { editsOf, lookForMessages, woven, type Woven } from "./weave.js";

interface Write {
  key: string;
  value: unknown;
  held: boolean;
  heldBefore: boolean;
}

interface Pending extends Woven {
  id: string;
  update: Record<string, unknown>;
  status: "pending" | "sent" | "failed";
  error?: unknown;
  writes: Write[];
  /** Whether the server held all of it at some time in this run. */
  seen: boolean;
}

export interface Position {
  runId?: string | undefined;
  status: "running" | "idle" | "failed";
  lastEventId?: string;
}

const refusal = (call: () => void): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
};

export class Model {
  readonly #rules: Rules;
  readonly #initial: Fields;
  #log: Said[] = [];
  #pending: Pending[] = [];
  #run: { id: string | undefined; active: boolean; start: number } | undefined;
  #seen = new Set<string>();
  position: Position | undefined;
  /** What the last event contradicted. */
  drift: Contradiction = { messages: [], fields: [] };

  constructor(rules: Rules, initial: Fields) {
    this.#rules = rules;
    this.#initial = initial;
  }

  get confirmed(): Confirmed {
    return confirmedBy(this.#rules, this.#initial, this.#log);
  }

  get #live(): Pending[] {
    return this.#pending.filter(({ over }) => !over);
  }

  messages(): Message[] {
    return woven(this.confirmed.messages, this.#pending);
  }

  /** The fields with the writes over them that are not held; those that cannot be are not shown. */
  #written(cameTo = new Map<Write, unknown>()): Fields {
    let { fields } = this.confirmed;
    for (const one of this.#live.flatMap(({ writes }) => writes)) {
      if (one.held) continue;
      const refused = refusal(() => {
        fields = write(this.#rules, fields, one.key, one.value);
      });
      if (!refused) cameTo.set(one, fields[one.key]);
    }
    return fields;
  }

  state(): Fields {
    const shown = ([key]: [string, unknown]) => this.#rules.open || this.#rules.fields[key]?.output;
    return { messages: this.messages(), ...Object.fromEntries(Object.entries(this.#written()).filter(shown)) };
  }

  confirmedState(): Fields {
    const { messages, fields } = this.confirmed;
    return { messages, ...fields };
  }

  pending(): { id: string; update: object; status: string; error?: unknown }[] {
    const held = ({ edits, writes }: Pending) => edits.every((it) => it.held) && writes.every((it) => it.held);
    return this.#live.filter((update) => !held(update)).map(({ id, update, status, error }) => ({
      id,
      update,
      status,
      ...(error === undefined ? {} : { error }),
    }));
  }

  /** For each message that a pending update has to do with, what that does; and the same for each field. */
  touched(): { messages: Map<string, string>; fields: Map<string, string> } {
    const messages = new Map<string, string>();
    const fields = new Map<string, string>();
    for (const update of this.#live) {
      for (const { id, does, held } of update.edits) if (!held) messages.set(id, `${messages.get(id) ?? ""} ${does} ${update.id}`);
      for (const { key, held } of update.writes) if (!held) fields.set(key, `${fields.get(key) ?? ""} ${update.id}`);
    }
    return { messages, fields };
  }

  /** Says something, and retires what is then held. Nothing is changed when it is refused. */
  #say(said: Said, changes: { look?: boolean; isNews?: boolean; with?: () => void } = {}): void {
    const before = this.confirmed;
    const cameTo = new Map<Write, unknown>();
    this.#written(cameTo);
    after(this.#rules, before, said);
    this.#log.push(said);
    changes.with?.();
    if (changes.look === false) return;
    const { messages, fields } = this.confirmed;
    lookForMessages(messages, this.#pending);
    this.#lookForWrites(changes.isNews === false ? fields : before.fields, cameTo);
    for (const update of this.#live) {
      if (![...update.edits, ...update.writes].every(({ held }) => held)) continue;
      update.seen = true;
      if (!this.#run?.active) update.over = true;
    }
  }

  /**
   * A field's writes are held in their order: all up to the one whose value the field has just come to, and then each
   * that would not change it.
   */
  #lookForWrites(before: Fields, cameTo: Map<Write, unknown>): void {
    const { fields } = this.confirmed;
    const open = this.#live.flatMap(({ writes }) => writes).filter(({ held }) => !held);
    for (const key of new Set(open.map((one) => one.key))) {
      if (!(key in fields)) continue;
      const own = fields[key];
      const writes = open.filter((one) => one.key === key);
      const isNew = !isDeepStrictEqual(before[key], own) || !(key in before);
      const came = isNew ? writes.findLastIndex((one) => cameTo.has(one) && isDeepStrictEqual(cameTo.get(one), own)) : -1;
      for (const one of writes.slice(0, came + 1)) one.held = true;
      for (const one of writes.slice(came + 1)) {
        const isDone = () => isDeepStrictEqual(write(this.#rules, { [key]: own }, key, one.value)[key], own);
        let done = false;
        refusal(() => (done = isDone()));
        if (!done) break;
        one.held = true;
      }
    }
  }

  /** Receives an event; gives the code of what is wrong with it. */
  receive(event: ThreadEvent): string | undefined {
    this.drift = { messages: [], fields: [] };
    if (!this.#isNew(event)) return undefined;
    const contradiction = contradicted(this.#rules, this.confirmed, event);
    const refused = refusal(() => this.#hear(event));
    if (!refused) this.drift = contradiction;
    return refused;
  }

  #isNew(event: ThreadEvent): boolean {
    const { id, type } = event;
    if (type === "run-started") {
      const another = event.runId === undefined || event.runId !== this.position?.runId;
      if (another || id === undefined) this.#seen.clear();
      if (another) this.position = undefined;
    }
    if (id === undefined) return true;
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    this.position = { status: "running", ...this.position, lastEventId: id };
    return true;
  }

  #hear(event: ThreadEvent): void {
    const said: Said = { by: "server", event };
    switch (event.type) {
      case "run-started":
        return this.#start(event.runId, said);
      case "run-finished":
      case "run-failed":
        // Over is what was held before the run's end; what is held now is so by the same word.
        return this.#say(said, { with: () => this.#end(event) });
      case "message":
        return this.#say(said, { with: () => this.#rename([event.message as Message], (id) => this.#has(id)) });
      case "messages":
        return this.#hearAll(said, event.messages as Message[]);
      case "values":
        return this.#hearAll(said, (event.values as { messages?: Message[] }).messages);
      default:
        // Text retires nothing: it is the one event for which nobody looks.
        return this.#say(said, { look: event.type !== "text" });
    }
  }

  #has(id: string): boolean {
    return this.confirmed.messages.some((message) => message.id === id);
  }

  /** What of these messages is new may be a pending one that the server has given an id of its own. */
  #rename(told: readonly Message[], isTaken: (id: string) => boolean): void {
    const had = (id: string) => confirmedBy(this.#rules, this.#initial, this.#log.slice(0, -1)).messages.some((it) => it.id === id);
    for (const message of told) {
      if (had(message.id) || message.content === undefined) continue;
      const isIt = ({ does, held, message: own }: Pending["edits"][number]) =>
        does === "add" && !held && own !== undefined && !isTaken(own.id) && kind(own) !== undefined && kind(own) === kind(message) &&
        isDeepStrictEqual(own.content, message.content);
      const sent = this.#live.filter(({ status }) => status === "sent");
      const old = sent.flatMap(({ edits }) => edits).find(isIt)?.id;
      if (old !== undefined) this.#renameAll(old, message.id);
    }
  }

  #renameAll(old: string, id: string): void {
    for (const update of this.#pending) {
      if (update.after === old) update.after = id;
      const edit = update.edits.find((one) => one.id === old);
      if (!edit) continue;
      edit.id = id;
      if (edit.message) edit.message = { ...edit.message, id };
      const messages = listed(update.update["messages"]).map((own) => (own.id === old ? { ...own, id } : own));
      update.update = { ...update.update, messages };
    }
  }

  #hearAll(said: Said, given: readonly Message[] | undefined): void {
    const { messages } = this.confirmed;
    this.#say(said, {
      with: () => {
        if (!given) return;
        const told = clean(given);
        this.#rename(told, (id) => told.some((one) => one.id === id) || messages.some((one) => one.id === id));
        if (told.length > 0 || messages.length === 0) return;
        // All was removed, and with it what the run had taken along.
        for (const update of this.#live) if (update.status === "sent" && update.writes.length === 0) update.seen = true;
      },
    });
  }

  #start(id: string | undefined, said: Said): void {
    const again = id !== undefined && this.#run?.id === id;
    this.#say(said, {
      isNews: false,
      with: () => {
        for (const update of this.#pending) if (update.status === "pending") update.status = "sent";
        if (!again || !this.#run) {
          this.#pending = this.#live;
          for (const one of this.#pending.flatMap(({ writes }) => writes)) one.heldBefore = one.held;
          this.#run = { id, active: true, start: this.#log.length };
          return;
        }
        // From its start: as if the server had not said any of it yet. What was done here was done.
        const { start } = this.#run;
        const since = this.#log.slice(start);
        this.#log = this.#log.slice(0, start);
        for (const entry of since) {
          const here: Said | undefined = "update" in entry ? { by: "here", update: entry.update } : undefined;
          if (here && !refusal(() => after(this.#rules, this.confirmed, here))) this.#log.push(here);
        }
        this.#run.active = true;
        for (const update of this.#pending) {
          Object.assign(update, { seen: false, over: false });
          for (const one of update.writes) one.held = one.heldBefore;
        }
      },
    });
    this.position = { ...this.position, runId: id, status: "running" };
  }

  #end(event: ThreadEvent): void {
    if (this.#run) this.#run.active = false;
    for (const update of this.#live) {
      update.over = update.seen;
      if (event.type === "run-failed" && !update.over) Object.assign(update, { status: "failed", error: event.error });
    }
    this.position = { ...this.position, status: event.type === "run-failed" ? "failed" : "idle" };
  }

  update(update: object): string | undefined {
    return refusal(() => this.#say({ by: "here", update }));
  }

  /** Shows an update under the id that the thread gave it. */
  optimistic(id: string, given: Record<string, unknown>): string | undefined {
    return refusal(() => {
      const { open, fields } = this.#rules;
      const unknown = Object.keys(given).find((key) => key !== "messages" && !(fields[key]?.input ?? open));
      if (unknown !== undefined) throw new Refused("NOT_INPUT");
      const shown = this.messages();
      const update = "messages" in given ? { ...given, messages: listed(given["messages"]) } : given;
      const edits = editsOf(shown, listed(update["messages"] ?? []));
      const rest = Object.entries(update).filter(([key]) => key !== "messages");
      const writes = rest.map(([key, value]) => ({ key, value, held: false, heldBefore: false }));
      writes.reduce((state, { key, value }) => write(this.#rules, state, key, value), this.#written());
      this.#pending.push({ id, update, status: "pending", after: shown.at(-1)?.id, edits, writes, seen: false, over: false });
    });
  }

  settle(id: string): string | undefined {
    const own = this.#live.find((update) => update.id === id);
    if (!own) return undefined;
    const rest = Object.fromEntries(own.writes.filter(({ held }) => !held).map(({ key, value }) => [key, value]));
    const messages = woven(this.confirmed.messages, this.#pending, own);
    const said: Said = { by: "settled", update: own.update, rest, messages };
    return refusal(() => this.#say(said, { with: () => (this.#pending = this.#pending.filter((update) => update !== own)) }));
  }

  mark(id: string, status: "failed" | "pending", error?: unknown): void {
    const own = this.#live.find((update) => update.id === id);
    if (!own) return;
    own.status = status;
    if (error === undefined) delete own.error;
    else own.error = error;
  }

  rollback(id: string): void {
    const own = this.#live.find((update) => update.id === id);
    if (!own) return;
    this.#pending = this.#pending.filter((update) => update !== own);
    for (const edit of own.edits.filter(({ does }) => does === "add")) {
      if (this.#has(edit.id)) continue;
      for (const update of this.#pending) if (update.after === edit.id) update.after = own.after;
    }
  }

  /** A reload forgets what was predicted, and nothing else. */
  reload(): void {
    this.#log.push({ by: "reload" });
  }
}

const KINDS = ["human", "ai", "system", "tool"];
const ROLES: Record<string, string> = { user: "human", assistant: "ai", developer: "system" };

function kind(message: Message): string | undefined {
  const name = (message["type"] ?? message["role"]) as string;
  return [name, ROLES[name] ?? ""].find((known) => KINDS.includes(known));
}
