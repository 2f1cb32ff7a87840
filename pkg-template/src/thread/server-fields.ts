// What of the confirmed state is the server's: the names of fields, values only where `update` has changed them since, and
// the list of messages that it had when it last spoke of all.
import type { ThreadEvent } from "./thread-events.js";

type Fields = Readonly<Record<string, unknown>>;
type Messages = readonly unknown[];

/** What a record has of them. */
export interface ServerFieldsRecord {
  /** The fields whose confirmed value the server has. */
  readonly said: readonly string[];
  /** What the server has of fields that have changed here since. */
  readonly before: Fields;
  /** The fields that have changed here since the run began: it did not take them along. */
  readonly own: readonly string[];
  /** How many of the first messages the server has. */
  readonly messages: number;
  /** What it has behind those: a confirmed message by its place, or one that is another here, or none. */
  readonly rest?: readonly unknown[];
}

export class ServerFields {
  readonly #said: Set<string>;
  readonly #before: Map<string, unknown>;
  readonly #own: Set<string>;
  #messages: Messages;

  constructor(
    { said, before, own, messages = 0, rest = [] }: Partial<ServerFieldsRecord> = {},
    confirmed: Fields = {},
  ) {
    const list = listOf(confirmed);
    this.#messages = [...list.slice(0, messages), ...rest.map((one) => (typeof one === "number" ? list[one] : one))];
    this.#said = new Set(said);
    this.#before = new Map(Object.entries(before ?? {}));
    this.#own = new Set(own);
  }

  /** Returns what the server has of a field, or its messages. */
  of(key: string, confirmed: Fields): unknown {
    if (key === "messages") return this.#messages;
    return this.#said.has(key) ? own(confirmed, key) : this.#before.get(key);
  }

  /** Takes note of fields that were changed here; `confirmed` is from before the change. */
  changed(keys: readonly string[], confirmed: Fields): void {
    for (const key of keys) {
      this.#own.add(key);
      const said = this.of(key, confirmed);
      if (this.#said.delete(key)) this.#before.set(key, said);
    }
  }

  /**
   * Takes note of an event that the thread has folded. `begins` is whether it began another run; `before` is what was
   * confirmed before it, if the event is a change of this side.
   */
  heard(event: ThreadEvent, begins: boolean, before: Fields, confirmed: () => Fields): void {
    if (begins) this.#own.clear();
    const { type } = event;
    const isWhole =
      type === "run-finished"
        ? !event.stopped && !this.#own.has("messages")
        : (type === "messages" || (type === "values" && "messages" in event.values)) && !event.partial;
    if (isWhole) this.#messages = listOf(confirmed());
    if (type === "update") this.#say(Object.keys(event.update));
    else if (type === "state" && event.own) this.changed(event.own, before);
    else if (type === "values" || type === "state") {
      this.#before.clear();
      this.#say(Object.keys(event.values));
    } else if (type === "delta") {
      const names = event.operations.map((operation) => nameIn((operation as { path: string }).path));
      this.#say(names.includes("") ? Object.keys(confirmed()) : names);
    } else if (type === "run-finished") this.#say(Object.keys(confirmed()).filter((key) => !this.#own.has(key)));
  }

  #say(keys: readonly string[]): void {
    for (const key of keys) {
      if (key === "messages") continue;
      this.#said.add(key);
      this.#before.delete(key);
    }
  }

  toJSON(confirmed: Fields): ServerFieldsRecord {
    const list = listOf(confirmed);
    let messages = 0;
    while (messages < this.#messages.length && this.#messages[messages] === list[messages]) messages++;
    const rest = this.#messages.slice(messages);
    const places = new Map(rest.length > 0 ? list.map((message, at) => [message, at]) : []);
    return {
      said: [...this.#said],
      before: Object.fromEntries(this.#before),
      own: [...this.#own],
      messages,
      ...(rest.length > 0 && { rest: rest.map((message) => places.get(message) ?? message) }),
    };
  }
}

const listOf = ({ messages = [] }: Fields) => messages as Messages;

const own = (fields: Fields, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** Returns the first name in a JSON Pointer. */
function nameIn(pointer: string): string {
  return (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
}
