declare const process: { env: { NODE_ENV?: string } };

/**
 * Whether this is a development build, by name: then snapshots are frozen, so that a change to one is seen where it is
 * made, and errors that nobody listens for are warned of. Bundlers fill the value in; without it nothing is paid.
 */
export const development: boolean = (() => {
  try {
    return process.env.NODE_ENV === "development";
  } catch {
    // A plain browser page has no `process`.
    return false;
  }
})();

/** A state that is handed out: in development frozen, as far as its messages. Somebody's instance is left alone. */
export function handedOut<S extends object>(state: S): S {
  if (!development || Object.isFrozen(state)) return state;
  Object.freeze(state);
  const { messages } = state as { messages?: readonly unknown[] };
  if (Array.isArray(messages) && messages.length <= 256 && !Object.isFrozen(messages)) {
    Object.freeze(messages);
    for (const message of messages) if (isPlain(message)) Object.freeze(message);
  }
  return state;
}

function isPlain(message: unknown): message is object {
  return typeof message === "object" && message !== null && Object.getPrototypeOf(message) === Object.prototype;
}
