// Where the page keeps its chats, so that a reload finds them again.

/** The arguments for `loadThread` and `persist`. */
export interface Saved {
  readonly name: string;
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  readonly onError: (error: Error) => void;
}

/** The browser's storage; without leave to use it, one that lasts as long as the page. */
export const storage: Saved["storage"] = allowed() ?? inMemory();

function allowed(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function inMemory(): Saved["storage"] {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}

/** A chat that cannot be kept is still a chat. */
export const saved = (name: string): Saved => ({
  name: `threadfold-demo ${name}`,
  storage,
  onError: ({ message }) => console.info(message),
});
