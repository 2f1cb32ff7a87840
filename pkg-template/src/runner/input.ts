import type { Fields } from "../schema.js";

type Values = Record<string, unknown>;

/** One input made of the updates that go out together; null, which runs the graph on from where it stands, for none. */
export function inputOf(updates: readonly object[], schema: { readonly fields: object } | undefined): Values | null {
  if (updates.length === 0) return null;
  const fields: Partial<Fields> = (schema?.fields ?? READY_MADE) as Fields;
  const input: Values = {};
  for (const update of updates) {
    for (const [key, value] of Object.entries(update)) {
      input[key] = key in input ? joined(fields[key]?.kind, input[key], value) : value;
    }
  }
  return input;
}

/** The kinds of the fields of a thread without a schema. */
const READY_MADE = { messages: { kind: "messages" }, tools: { kind: "tools" }, files: { kind: "files" } };

/** Two updates of a field as one: lists that are added to, objects that are laid over; of all else the later one. */
function joined(kind: string | undefined, first: unknown, second: unknown): unknown {
  if (kind === "messages" || kind === "append" || kind === "tools") return [first, second].flat();
  if (kind === "files" || kind === "merge") return { ...(first as Values), ...(second as Values) };
  return second;
}
