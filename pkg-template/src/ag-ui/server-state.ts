import { applyPatch, type PatchOperation, type ThreadfoldError } from "threadfold";
import { sameJson } from "../same-json.js";
import type { ThreadEvent } from "../thread-events.js";
import type { FoldingThread } from "./folding-thread.js";
import { isObject } from "./shapes.js";

const OPERATIONS = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** Returns the operations that RFC 6902 knows, without others, as AG-UI does. */
export function knownOperations(operations: readonly unknown[]): readonly unknown[] {
  const known = (operation: unknown) => isObject(operation) && OPERATIONS.has(operation["op"] as string);
  return operations.every(known) ? operations : operations.filter(known);
}

/**
 * The agent's state as the server sent it. It is any JSON, and may have messages of its own in any form; the thread's
 * fields are those of the state, if it is an object, without the messages. Which of them the server has, the thread
 * knows.
 */
export class ServerState {
  readonly #thread: FoldingThread;
  readonly #send: (event: ThreadEvent) => void;
  /** The state when the run began, if it began here. */
  #start: { readonly value: unknown } | undefined;
  #value: unknown;
  /** Whether the value is only here, and may change in place. */
  #isOwn = false;
  /** What was set on this side since the run began: the whole, and single fields. */
  #local: { whole?: { value: unknown }; readonly fields: Map<string, { value: unknown } | undefined> } | undefined;

  /** The fields that the run took along. */
  #sent: readonly string[];

  constructor(thread: FoldingThread, send: (event: ThreadEvent) => void) {
    this.#thread = thread;
    this.#send = send;
    this.#value = this.#fromThread();
    this.#sent = Object.keys(fieldsOf(thread.getState()));
  }

  get value(): unknown {
    this.#isOwn = false;
    return this.#value;
  }

  /** Returns the state as the thread knows it: what the server has, and other fields as they are confirmed. */
  #fromThread(): Record<string, unknown> {
    const confirmed = Object.entries(fieldsOf(this.#thread.confirmed));
    return Object.fromEntries(confirmed.map(([key, value]) => [key, this.#thread.said(key) ?? value]));
  }

  /** Begins a run: a new one, or the one before from its start again. */
  begin(again: boolean): void {
    this.#sent = Object.keys(fieldsOf(this.#thread.getState()));
    this.#isOwn = false;
    if (!again) {
      this.#start = { value: this.#value };
      this.#local = undefined;
      return;
    }
    // A run that began before a reload: the thread has gone back to its start.
    this.#value = this.#start ? this.#start.value : this.#fromThread();
    if (!this.#start || !this.#local) return;
    const { whole, fields } = this.#local;
    if (whole) this.#value = whole.value;
    if (isObject(this.#value)) {
      const next = { ...this.#value };
      for (const [key, field] of fields) {
        if (field) next[key] = field.value;
        else delete next[key];
      }
      this.#value = next;
    }
    this.#tell([...(whole ? Object.keys(fieldsOf(this.#value)) : []), ...fields.keys()]);
  }

  /** Ends the run well: what it took along is the server's, unless the server said otherwise. */
  finish(): void {
    if (!isObject(this.#value) || this.#local?.whole) return;
    const confirmed = fieldsOf(this.#thread.confirmed);
    const value = this.#value;
    const taken = this.#sent.filter((key) => Object.hasOwn(confirmed, key) && !this.#local?.fields.has(key));
    const changed = taken.filter((key) => !sameJson(confirmed[key], value[key]));
    if (changed.length > 0) this.#value = { ...value, ...picked(confirmed, changed) };
  }

  snapshot(value: unknown): void {
    this.#value = value;
    this.#tell();
  }

  /** Sets the state on this side. It outlasts a replay of the run. */
  set(value: unknown): void {
    const before = this.#value;
    this.#local ??= { fields: new Map() };
    const own = [];
    if (isObject(before) && isObject(value)) {
      for (const key of Object.keys({ ...before, ...value })) {
        if (Object.hasOwn(value, key) && sameJson(value[key], before[key])) continue;
        this.#local.fields.set(key, Object.hasOwn(value, key) ? { value: value[key] } : undefined);
        own.push(key);
      }
    } else {
      this.#local = { whole: { value }, fields: new Map() };
      own.push(...Object.keys(fieldsOf(value)));
    }
    this.#value = value;
    this.#tell(own);
  }

  /** Takes note of fields that the thread got in another way. */
  note(fields: Record<string, unknown>): void {
    if (!isObject(this.#value)) return;
    this.#value = { ...this.#value, ...fields };
    this.#local ??= { fields: new Map() };
    for (const [key, value] of Object.entries(fields)) this.#local.fields.set(key, { value });
  }

  /** Applies a JSON Patch whole, or reports why it cannot. Returns whether it did. */
  delta(patch: readonly unknown[], event: unknown): boolean {
    const operations = knownOperations(patch) as readonly PatchOperation[];
    const keys = isObject(this.#value) ? fieldsTouched(operations) : undefined;
    try {
      if (keys) this.#write(keys, this.#patched(keys, operations));
      else this.#value = applyPatch(this.#value, operations);
    } catch (error) {
      this.#thread.report(error as ThreadfoldError, event);
      return false;
    }
    if (keys) {
      this.#send({ type: "delta", operations });
    } else {
      this.#tell();
    }
    return true;
  }

  /** Patches single fields, whatever and however many the others are. */
  #patched(keys: readonly string[], operations: readonly PatchOperation[]): Record<string, unknown> {
    const fields = picked(this.#value as object, keys);
    try {
      return applyPatch(fields, operations);
    } catch (error) {
      // The patch may be about fields that only the thread has so far.
      try {
        return applyPatch({ ...fields, ...picked(this.#thread.confirmed, keys) }, operations);
      } catch {
        throw error;
      }
    }
  }

  /** Sets single fields, or removes those that are gone; in place, if the value is only here. */
  #write(keys: readonly string[], fields: Record<string, unknown>): void {
    if (!this.#isOwn) this.#value = { ...(this.#value as object) };
    this.#isOwn = true;
    const value = this.#value as Record<string, unknown>;
    for (const key of keys) {
      if (Object.hasOwn(fields, key)) value[key] = fields[key];
      else delete value[key];
    }
  }

  /** Sets the thread's fields; `own` are those that were changed on this side, if it was not the server. */
  #tell(own?: readonly string[]): void {
    this.#isOwn = false;
    this.#send({ type: "state", values: fieldsOf(this.#value), own });
  }
}

/** Returns those of these fields that an object has. */
function picked(object: object, keys: readonly string[]): Record<string, unknown> {
  const fields = object as Record<string, unknown>;
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]));
}

/** Returns the fields that a thread takes of a state. */
function fieldsOf(state: unknown): Record<string, unknown> {
  if (!isObject(state)) return {};
  if (!Object.hasOwn(state, "messages")) return state;
  const { messages: _, ...fields } = state;
  return fields;
}

/** Returns the fields that a patch touches, if they are single fields of the thread. */
function fieldsTouched(operations: readonly PatchOperation[]): string[] | undefined {
  const keys = new Set<string>();
  for (const operation of operations) {
    const { path } = operation;
    for (const pointer of "from" in operation ? [path, operation.from] : [path]) {
      const key = fieldOf(pointer);
      if (key === undefined || key === "messages") return undefined;
      keys.add(key);
    }
  }
  return [...keys];
}

/** Returns the first name in a JSON Pointer. */
function fieldOf(pointer: unknown): string | undefined {
  if (typeof pointer !== "string" || !pointer.startsWith("/")) return undefined;
  const end = pointer.indexOf("/", 1);
  const name = end < 0 ? pointer.slice(1) : pointer.slice(1, end);
  return name.includes("~") ? name.replaceAll("~1", "/").replaceAll("~0", "~") : name;
}
