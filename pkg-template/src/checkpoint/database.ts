// IndexedDB with promises: one database, opened when it is first used.
import { ThreadfoldError } from "../shared/errors.js";

/** The answer of a request. Between two requests of a transaction nothing else may be awaited, or it is over. */
export function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error as DOMException));
  });
}

/** All keys that begin with these parts. */
export function startingWith(...parts: string[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []]);
}

export class Database {
  readonly #name: string;
  readonly #stores: readonly string[];
  #opened: Promise<IDBDatabase> | undefined;

  constructor(name: string, stores: readonly string[]) {
    this.#name = name;
    this.#stores = stores;
  }

  /** Does something in one transaction of all stores: all of it counts once the promise resolves, or nothing does. */
  async run<T>(
    mode: IDBTransactionMode,
    doing: string,
    work: (store: (name: string) => IDBObjectStore) => Promise<T>,
  ): Promise<T> {
    try {
      const database = await (this.#opened ??= this.#open());
      const transaction = database.transaction(this.#stores, mode);
      const done = new Promise<void>((resolve, reject) => {
        transaction.addEventListener("complete", () => resolve());
        transaction.addEventListener("abort", () =>
          reject(
            transaction.error ??
              new ThreadfoldError("STORAGE_FAILED", `${doing} failed: the browser aborted it. Try again.`),
          ),
        );
      });
      // Whichever fails first is thrown; the other is then no surprise.
      done.catch(() => {});
      try {
        const result = await work((name) => transaction.objectStore(name));
        await done;
        return result;
      } catch (error) {
        abort(transaction);
        throw error;
      }
    } catch (error) {
      if (error instanceof ThreadfoldError) throw error;
      throw new ThreadfoldError("STORAGE_FAILED", `${doing} failed: see the cause.`, { cause: error });
    }
  }

  close(): void {
    void this.#opened?.then((database) => database.close()).catch(() => {});
    this.#opened = undefined;
  }

  async #open(): Promise<IDBDatabase> {
    try {
      if (typeof indexedDB === "undefined")
        throw new ThreadfoldError(
          "STORAGE_FAILED",
          "IndexedDBSaver: no IndexedDB here. Use MemorySaver outside a page.",
        );
      const request = indexedDB.open(this.#name, 1);
      request.addEventListener("upgradeneeded", () => {
        for (const store of this.#stores) request.result.createObjectStore(store);
      });
      const database = await answer(request);
      // Another tab deletes the database: make way, and open it anew when it is used again.
      database.addEventListener("versionchange", () => this.close());
      database.addEventListener("close", () => (this.#opened = undefined));
      return database;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It is over already.
  }
}
