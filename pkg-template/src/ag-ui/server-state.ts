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
 * fields are those of the state, if it is an object, without the messages.
 */
export class ServerState {
  readonly #thread: FoldingThread;
  readonly #send: (event: ThreadEvent) => void;
  /** The state when the run began. */
  #start: unknown;
  #value: unknown;
  /** Whether the value is only here, and may change in place. */
  #isOwn = false;
  /** The fields that the server sent; null is all of the value's. */
  #said: Set<string> | null = new Set();
  /** What was set on this side since the run began: the whole, and single fields. */
  #local: { whole?: { value: unknown }; readonly fields: Map<string, { value: unknown } | undefined> } | undefined;

  /** The fields that the run took along. */
  #sent: readonly string[] = [];

  constructor(thread: FoldingThread, send: (event: ThreadEvent) => void) {
    this.#thread = thread;
    this.#send = send;
    this.#value = this.#start = fieldsOf(thread.confirmed);
    // A thread that had a run before, such as one that was saved, has its fields from a server.
    if (thread.run.id !== undefined) this.#said = null;
  }

  get value(): unknown {
    this.#isOwn = false;
    return this.#value;
  }

  /** Returns what the server said of a field. */
  said(key: string): unknown {
    return isObject(this.#value) && (this.#said === null || this.#said.has(key)) && Object.hasOwn(this.#value, key)
      ? this.#value[key]
      : undefined;
  }

  /** Begins a run: a new one, or the one before from its start again. */
  begin(again: boolean): void {
    this.#sent = Object.keys(fieldsOf(this.#thread.getState()));
    this.#isOwn = false;
    if (!again) {
      this.#start = this.#value;
      this.#local = undefined;
      return;
    }
    this.#value = this.#start;
    if (!this.#local) return;
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
    this.#tell();
  }

  /** Ends the run well: what it took along is the server's, unless the server said otherwise. */
  finish(): void {
    if (!isObject(this.#value) || this.#local?.whole) return;
    const confirmed = fieldsOf(this.#thread.confirmed);
    const value = this.#value;
    const taken = this.#sent.filter((key) => Object.hasOwn(confirmed, key) && !this.#local?.fields.has(key));
    for (const key of taken) this.#said?.add(key);
    const changed = taken.filter((key) => !sameJson(confirmed[key], value[key]));
    if (changed.length > 0) this.#value = { ...value, ...picked(confirmed, changed) };
  }

  snapshot(value: unknown): void {
    this.#value = value;
    this.#said = null;
    this.#tell();
  }

  /** Sets the state on this side. It outlasts a replay of the run. */
  set(value: unknown): void {
    const before = this.#value;
    this.#local ??= { fields: new Map() };
    if (isObject(before) && isObject(value)) {
      for (const key of Object.keys({ ...before, ...value })) {
        if (Object.hasOwn(value, key) && sameJson(value[key], before[key])) continue;
        this.#local.fields.set(key, Object.hasOwn(value, key) ? { value: value[key] } : undefined);
        this.#unsay(key);
      }
    } else {
      this.#local = { whole: { value }, fields: new Map() };
      this.#said = new Set();
    }
    this.#value = value;
    this.#tell();
  }

  /** Takes note of fields that the thread got in another way. */
  note(fields: Record<string, unknown>): void {
    if (!isObject(this.#value)) return;
    this.#value = { ...this.#value, ...fields };
    this.#local ??= { fields: new Map() };
    for (const [key, value] of Object.entries(fields)) {
      this.#local.fields.set(key, { value });
      this.#unsay(key);
    }
  }

  #unsay(key: string): void {
    this.#said ??= new Set(isObject(this.#value) ? Object.keys(this.#value) : []);
    this.#said.delete(key);
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
      this.#isOwn = false;
      this.#said = null;
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
      this.#said?.add(key);
    }
  }

  #tell(): void {
    this.#isOwn = false;
    this.#send({ type: "state", values: fieldsOf(this.#value) });
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
