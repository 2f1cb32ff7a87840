import type { Dict } from "../../shared/dict.js";
import { wireMessage } from "../../langgraph/message-form.js";

/** The forms of objects that were looked through: a state keeps most of them from step to step. */
const forms = new WeakMap<object, unknown>();

/**
 * Returns a value in the form that a client gets through JSON: dates are texts, undefined fields are absent, messages
 * are dicts. A value that is JSON already is returned itself, so that unchanged values stay the same object.
 */
export function jsonForm(value: unknown, key = ""): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (forms.has(value)) return forms.get(value);
  const { toJSON, getType } = value as Readonly<Record<string, unknown>>;
  const message = typeof getType === "function" ? wireMessage(value as Dict) : value;
  const form: unknown =
    message !== value
      ? jsonForm(message)
      : typeof toJSON === "function"
        ? jsonForm((toJSON as (key: string) => unknown).call(value, key))
        : Array.isArray(value)
          ? listForm(value)
          : objectForm(value);
  forms.set(value, form);
  return form;
}

function listForm(list: readonly unknown[]): readonly unknown[] {
  const items = Array.from(list, (item, at) => jsonForm(item, String(at)) ?? null);
  return items.every((item, at) => Object.is(item, list[at])) ? list : items;
}

/** Primitives in objects, which JSON takes out. */
const BOXES = new Set(["[object Number]", "[object String]", "[object Boolean]"]);

function objectForm(object: object): unknown {
  if (BOXES.has(Object.prototype.toString.call(object))) return jsonForm(object.valueOf());
  const entries = Object.entries(object) as [string, unknown][];
  const kept = entries.flatMap(([key, value]) => {
    const form = jsonForm(value, key);
    return form === undefined ? [] : [[key, form] as const];
  });
  const isSame = kept.length === entries.length && kept.every(([, form], at) => Object.is(form, entries[at]?.[1]));
  return isSame ? object : Object.fromEntries(kept);
}
