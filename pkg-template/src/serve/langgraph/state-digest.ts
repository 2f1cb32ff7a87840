// The digests of a thread's values, and single values of it, for clients that have the rest.
import { comparable } from "../../langgraph/message-form.js";
import { isDict } from "../../shared/dict.js";
import { digest } from "../../shared/digest.js";
import type { GraphState } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import { checkpointOf } from "./thread-state.js";

/** Returns the digests of these fields, or of all. `state` is committed. */
export function stateDigest(state: GraphState, fields: unknown): object {
  if (fields != null && !isTexts(fields)) throw new Refusal(422, "fields should be a list of the state's fields.");
  const values = isDict(state.values) ? state.values : {};
  const asked = new Set(fields ?? Object.keys(values));
  const { step = null } = (state.metadata ?? {}) as { step?: number | null };
  return {
    checkpoint: checkpointOf(state.config),
    step,
    digests: Object.fromEntries(
      Object.keys(values)
        .filter((field) => asked.has(field) && values[field] !== undefined)
        .map((field) => [field, digest(values[field], comparable)]),
    ),
  };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const MOST_PATHS = 10;

/** Paths into a thread, such as `values.messages[-1].id`, by the names of their values. */
export type Paths = readonly (readonly [name: string, steps: readonly (string | number)[]])[];

/** Reads the paths of a search. @throws {@link Refusal} 422 for more than ten, and for an invalid path. */
export function pathsOf(extract: unknown): Paths | undefined {
  if (extract == null) return undefined;
  if (!isDict(extract)) throw new Refusal(422, "extract should be an object of paths.");
  const entries = Object.entries(extract);
  if (entries.length > MOST_PATHS) throw new Refusal(422, `extract should have at most ${MOST_PATHS} paths.`);
  return entries.map(([name, path]) => {
    if (typeof path !== "string" || !/^[^.[\]]+(\.[^.[\]]+|\[-?\d+\])*$/.test(path))
      throw new Refusal(422, `extract.${name} should be a path, such as values.messages[-1].id.`);
    const steps = [...path.matchAll(/\[(-?\d+)\]|[^.[\]]+/g)];
    return [name, steps.map(([step, index]) => (index === undefined ? step : Number(index)))] as const;
  });
}

/** Returns the values at these paths; null where there is none. */
export function extracted(from: object, paths: Paths): object {
  const at = (value: unknown, step: string | number): unknown => {
    if (typeof step === "number") return Array.isArray(value) ? (value as unknown[]).at(step) : undefined;
    return isDict(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  };
  return Object.fromEntries(paths.map(([name, steps]) => [name, steps.reduce<unknown>(at, from) ?? null]));
}
