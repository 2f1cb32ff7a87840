// Assistants in the words of LangGraph's API: each graph of a server is one.

/** When the assistants were made: with this program. */
const BEGAN = new Date().toISOString();

/** Returns the assistant of a graph. */
export const assistantNamed = (name: string) => ({
  assistant_id: name,
  graph_id: name,
  name,
  config: {},
  context: {},
  metadata: {},
  version: 1,
  created_at: BEGAN,
  updated_at: BEGAN,
});
