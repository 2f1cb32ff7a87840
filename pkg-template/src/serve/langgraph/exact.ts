// Finds what a part of a stream does not have as the graph has it: JSON changes some values, and some are not shown.
import { isDict, type Dict } from "../../shared/dict.js";
import { wireMessage } from "../../langgraph/message-form.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";

/** The fields of an update that its part lacks, or has otherwise. */
export interface Unshown {
  /** Values that JSON changes or leaves out. */
  readonly inexact?: readonly string[];
  /** Fields outside the graph's output, or its input. */
  readonly hidden?: readonly string[];
}

/** Compares the updates of a task with those in its part. */
export function unshown(given: unknown, shown: unknown): Unshown {
  const inexact = new Set<string>();
  const hidden = new Set<string>();
  const told = [shown].flat(1);
  for (const [at, update] of [given].flat(1).entries()) {
    if (!isDict(update)) continue;
    for (const [field, value] of Object.entries(update)) {
      if (!Object.hasOwn(told[at] as object, field)) hidden.add(field);
      else if (!isExact(value)) inexact.add(field);
    }
  }
  return named(inexact, hidden);
}

/** Returns the fields of an input that the graph does not take; none of a command. */
export function untaken({ spec, builder }: GraphInside, input: unknown): Unshown {
  const names = spec?.inputs ?? builder?._inputDefinition;
  if (!isDict(input) || "lg_name" in input || typeof names !== "object" || names === null) return {};
  const takes = (name: string) => (names instanceof Set ? names.has(name) : Object.hasOwn(names, name));
  return named(new Set(), new Set(Object.keys(input).filter((name) => !takes(name))));
}

/** Where threadfold's graphs, and those of langgraph.js, have the fields of their input. */
type GraphInside = RunnableGraph & {
  readonly spec?: { readonly inputs?: unknown };
  readonly builder?: { readonly _inputDefinition?: unknown };
};

const named = (inexact: ReadonlySet<string>, hidden: ReadonlySet<string>): Unshown => ({
  ...(inexact.size > 0 && { inexact: [...inexact] }),
  ...(hidden.size > 0 && { hidden: [...hidden] }),
});

/** Whether JSON gives a value back. In a message, keys without a value do not count: no reducer merges a message's keys. */
function isExact(value: unknown): boolean {
  try {
    return isJson(value);
  } catch (error) {
    // Writing it will say that it is nested too deep.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isJson(value: unknown, isInMessage = false): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null)
    return value === null || typeof value === "string" || typeof value === "boolean";
  if (Array.isArray(value)) return value.every((one) => isJson(one, isInMessage));
  const dict = contentOf(value as Dict);
  const isMessage = isInMessage || (dict !== undefined && "content" in dict && ("type" in dict || "role" in dict));
  return (
    dict !== undefined && Object.values(dict).every((one) => (isMessage && one === undefined) || isJson(one, isMessage))
  );
}

/** The fields of a plain object, a message or an Overwrite; undefined for other objects. */
function contentOf(value: Dict): Dict | undefined {
  if (typeof value["getType"] === "function") return wireMessage(value) as Dict;
  if ("__overwrite__" in value) return { value: value["__overwrite__"] };
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  return isPlain && typeof value["toJSON"] !== "function" ? value : undefined;
}
