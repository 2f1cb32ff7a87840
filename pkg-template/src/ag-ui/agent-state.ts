import type { ThreadfoldError } from "../shared/errors.js";
import { applyPatch, type PatchOperation } from "../state/patch.js";
import { sameJson } from "../shared/same-json.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import type { FoldingThread } from "./folding-thread.js";
import { isDict } from "../shared/dict.js";
import { INSIDE } from "../thread/inside.js";

const OPERATIONS = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** Returns the operations that RFC 6902 knows, without others, as AG-UI does. */
export function knownOperations(operations: readonly unknown[]): readonly unknown[] {
  const known = (operation: unknown) => isDict(operation) && OPERATIONS.has(operation["op"] as string);
  return operations.every(known) ? operations : operations.filter(known);
}

/** State that a thread cannot hold: a value that is not an object, or the state's own messages in any form. */
type Rest = { readonly whole: unknown } | { readonly messages: unknown } | undefined;

/** Local changes during a run: the whole state, then single fields. Undefined marks a removed field. */
interface Local {
  readonly whole?: { readonly value: unknown };
  readonly fields: Map<string, { readonly value: unknown } | undefined>;
}

/**
 * The agent's state, which is any JSON, and may have messages of its own. Its fields are the thread's; what is kept
 * here is only what the thread has no place for.
 */
export class AgentState {
  readonly #thread: FoldingThread;
  readonly #send: (event: ThreadEvent) => void;
  /** Whether a state may be any JSON, as an agent's may. */
  isAny = false;
  #rest: Rest;
  /** The rest when the run began. */
  #restAtStart: Rest;
  #local: Local = { fields: new Map() };

  constructor(thread: FoldingThread, send: (event: ThreadEvent) => void) {
    this.#thread = thread;
    this.#send = send;
  }

  get value(): unknown {
    const rest = this.#rest;
    return rest && "whole" in rest ? rest.whole : { ...fieldsOf(this.#thread.getConfirmedState()), ...rest };
  }

  /**
   * Begins a run: a new one, or the one before from its start again. The thread has then gone back to that start; what
   * was set on this side is set again.
   */
  begin(again: boolean): void {
    if (!again) {
      this.#restAtStart = this.#rest;
      this.#local = { fields: new Map() };
      return;
    }
    this.#rest = this.#restAtStart;
    const { whole, fields } = this.#local;
    if (!whole && fields.size === 0) return;
    const value = whole ? whole.value : this.value;
    const next = isDict(value) ? written(value, fields) : value;
    this.#put(next, [...(whole ? Object.keys(fieldsOf(next)) : []), ...fields.keys()]);
  }

  snapshot(value: unknown): void {
    this.#put(value);
  }

  /** Sets the state on this side. It outlasts a replay of the run. */
  set(value: unknown): void {
    const before = this.value;
    const own = [];
    if (isDict(before) && isDict(value)) {
      for (const key of Object.keys({ ...before, ...value })) {
        if (Object.hasOwn(value, key) && sameJson(value[key], before[key])) continue;
        this.#local.fields.set(key, Object.hasOwn(value, key) ? { value: value[key] } : undefined);
        own.push(key);
      }
    } else {
      this.#local = { whole: { value }, fields: new Map() };
      own.push(...Object.keys(fieldsOf(value)));
    }
    this.#put(value, own);
  }

  /** Applies a JSON Patch whole, or reports why it cannot. */
  delta(patch: readonly unknown[], event: unknown): void {
    const operations = knownOperations(patch) as readonly PatchOperation[];
    if (!(this.#rest && "whole" in this.#rest) && operations.every(isOfFields)) {
      this.#send({ type: "delta", operations });
      return;
    }
    let next: unknown;
    try {
      next = applyPatch(this.value, operations);
    } catch (error) {
      this.#thread[INSIDE].report(error as ThreadfoldError, event);
      return;
    }
    this.#put(next);
  }

  /** Puts a state into the thread; `own` are the fields that were changed on this side, if it was not the server. */
  #put(value: unknown, own?: readonly string[]): void {
    this.#rest = restOf(value);
    this.#send({ type: "state", values: fieldsOf(value), own });
  }
}

function restOf(state: unknown): Rest {
  if (!isDict(state)) return { whole: state };
  return Object.hasOwn(state, "messages") ? { messages: state["messages"] } : undefined;
}

/** Returns the fields that a thread takes of a state. */
function fieldsOf(state: unknown): Record<string, unknown> {
  if (!isDict(state)) return {};
  if (!Object.hasOwn(state, "messages")) return state;
  const { messages: _, ...fields } = state;
  return fields;
}

/** Returns a state with these fields set or removed. */
function written(state: Record<string, unknown>, fields: Local["fields"]): Record<string, unknown> {
  const next = { ...state };
  for (const [key, field] of fields) {
    if (field) next[key] = field.value;
    else delete next[key];
  }
  return next;
}

/** Whether an operation is about single fields of the thread. */
function isOfFields(operation: PatchOperation): boolean {
  const pointers = "from" in operation ? [operation.path, operation.from] : [operation.path];
  return pointers.every((pointer: unknown) => typeof pointer === "string" && /^\/(?!messages(\/|$))/.test(pointer));
}
