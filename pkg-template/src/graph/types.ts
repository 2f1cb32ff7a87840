// The types that every room of the graph shares.

/** A state, or an update of one: values by field. */
export type Values = Readonly<Record<string, unknown>>;
