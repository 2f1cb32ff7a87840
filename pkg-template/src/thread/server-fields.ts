// Which fields of the confirmed state are the server's: names, and values only where `update` has changed them since.
import type { ThreadEvent } from "../thread-events.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a record has of them. */
export interface ServerFieldsRecord {
  /** The fields whose confirmed value the server has. */
  readonly said: readonly string[];
  /** What the server has of fields that have changed here since. */
  readonly before: Fields;
  /** The fields that have changed here since the run began: it did not take them along. */
  readonly own: readonly string[];
}

export class ServerFields {
  readonly #said: Set<string>;
  readonly #before: Map<string, unknown>;
  readonly #own: Set<string>;

  constructor({ said, before, own }: Partial<ServerFieldsRecord> = {}) {
    this.#said = new Set(said);
    this.#before = new Map(Object.entries(before ?? {}));
    this.#own = new Set(own);
  }

  /** Returns what the server has of a field. */
  of(key: string, confirmed: Fields): unknown {
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
  heard(event: ThreadEvent, begins: boolean, before: Fields, confirmed: () => object): void {
    if (begins) this.#own.clear();
    const { type } = event;
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

  toJSON(): ServerFieldsRecord {
    return { said: [...this.#said], before: Object.fromEntries(this.#before), own: [...this.#own] };
  }
}

const own = (fields: Fields, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** Returns the first name in a JSON Pointer. */
function nameIn(pointer: string): string {
  return (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
}
