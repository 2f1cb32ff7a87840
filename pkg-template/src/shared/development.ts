declare const process: { env: { NODE_ENV?: string } };

/**
 * Whether `NODE_ENV` is `development` by name. Then snapshots are frozen, so that a change to one throws where it is
 * made, and errors without a listener are warnings. Bundlers fill the value in; without it you pay nothing.
 */
export const development: boolean = (() => {
  try {
    return process.env.NODE_ENV === "development";
  } catch {
    // A plain browser page has no `process`.
    return false;
  }
})();

/** Returns a state to hand out, in development frozen down to its plain messages. */
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
