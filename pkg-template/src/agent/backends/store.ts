import { ThreadfoldError } from "../../shared/errors.js";
import type { FileData } from "../../state/files.js";
import type { FileBackend, FileInfo } from "./types.js";

/** The methods that {@link storeBackend} needs of a store: those of LangGraph's `BaseStore`. */
export interface FileStore {
  get(namespace: string[], key: string): Promise<{ readonly value: object } | null | undefined>;
  put(namespace: string[], key: string, value: object): Promise<unknown>;
  delete(namespace: string[], key: string): Promise<unknown>;
  search(
    namespace: string[],
    options: { readonly limit: number; readonly offset: number },
  ): Promise<
    readonly { readonly namespace?: readonly string[] | undefined; readonly key: string; readonly value: object }[]
  >;
}

const PAGE = 100;

/**
 * Keeps files in a store of LangGraph's, for all threads. Each is an item, whose key is its path and whose value is the
 * file, as deepagents' `StoreBackend` writes it.
 *
 * @param namespace - The place of the items: `["filesystem"]`. Give each user one of their own.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 */
export function storeBackend(store: FileStore, namespace: readonly string[] = ["filesystem"]): FileBackend {
  if (typeof store?.search !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", "storeBackend: expected a store with get, put, delete and search.");
  const place = [...namespace];
  return {
    read: async (path) => (await store.get(place, path))?.value as FileData | undefined,
    write: async (path, file) => void (file ? await store.put(place, path, file) : await store.delete(place, path)),
    // A search also finds the namespaces below, ["users", "1", "drafts"]. By LIKE 'users:1%' it finds ["users", "10"].
    list: async (prefix) => {
      const found: FileInfo[] = [];
      const known = new Set<string>();
      for (let offset = 0; ; offset += PAGE) {
        const page = await store.search(place, { limit: PAGE, offset });
        const fresh = page.filter((item) => !known.has(idOf(item)));
        for (const item of fresh) {
          known.add(idOf(item));
          const { namespace, key, value } = item;
          if (key.startsWith(prefix) && (!namespace || isSame(namespace, place)))
            found.push({ path: key, modified_at: (value as FileData).modified_at });
        }
        // The last page; or a store that has no pages.
        if (page.length < PAGE || fresh.length === 0) return found;
      }
    },
  };
}

const idOf = ({ namespace, key }: { readonly namespace?: readonly string[] | undefined; readonly key: string }) =>
  JSON.stringify([namespace, key]);

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((part, at) => part === other[at]);
