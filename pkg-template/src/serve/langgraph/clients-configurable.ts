/**
 * Returns the fields of a run's `configurable` that a client may set. A LangGraph server writes the others: the place of the
 * checkpoints, the run's ids, the user (`langgraph_auth_user`), and LangGraph's own, which begin with `__`.
 */
export function clientsConfigurable(given: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries((given ?? {}) as object);
  return Object.fromEntries(entries.filter(([name]) => !OF_SERVERS.test(name)));
}

const OF_SERVERS = /^(?:(?:thread|run|graph|assistant)_id|checkpoint_(?:id|ns|map)|langgraph_.*|__.*)$/;
