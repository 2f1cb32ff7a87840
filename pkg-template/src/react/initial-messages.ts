// The messages that a thread was made with, which a server and hydration show.

interface Initial {
  readonly ids: readonly string[];
  readonly byId: ReadonlyMap<string, unknown>;
}

const known = new WeakMap<object, Initial>();

/** The messages of the state that a thread was made with, looked through once for all components. */
export function initially(thread: { getInitialState(): object }): Initial {
  const state = thread.getInitialState();
  let initial = known.get(state);
  if (!initial) {
    const { messages = [] } = state as { messages?: readonly { id: string }[] };
    const byId = new Map(messages.map((message) => [message.id, message]));
    known.set(state, (initial = { ids: [...byId.keys()], byId }));
  }
  return initial;
}
