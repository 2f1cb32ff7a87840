// Assistants in the words of LangGraph's API: each graph of a server is one.
import { isDict } from "../../langgraph/merge.js";
import { hasFields, ordered, rangeOf } from "./list-query.js";

/** When the assistants were made: with this program. */
const BEGAN = new Date().toISOString();

/** Returns the assistant of a graph. */
export const assistantNamed = (name: string) => ({
  assistant_id: name,
  graph_id: name,
  name,
  description: null,
  config: {},
  context: {},
  metadata: {},
  version: 1,
  created_at: BEGAN,
  updated_at: BEGAN,
});

type Assistant = ReturnType<typeof assistantNamed>;

/** The orders of a search. All assistants are of one moment. */
const ORDERS: Readonly<Record<string, keyof Assistant>> = {
  assistant_id: "assistant_id",
  graph_id: "graph_id",
  name: "name",
  created_at: "created_at",
  updated_at: "updated_at",
};

/** Returns the assistants of these graphs that a search asks for, in its order and with its fields. */
export function searched(names: readonly string[], asked: Record<string, unknown>): object[] {
  const { graph_id, name, metadata, select } = asked;
  const found = names
    .map(assistantNamed)
    .filter((one) => graph_id == null || one.graph_id === graph_id)
    .filter((one) => typeof name !== "string" || one.name.toLowerCase().includes(name.toLowerCase()))
    .filter((one) => !isDict(metadata) || hasFields(one.metadata, metadata));
  const list = ordered(found, asked, ORDERS).slice(...rangeOf(asked));
  if (!Array.isArray(select)) return list;
  return list.map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => select.includes(key))));
}
