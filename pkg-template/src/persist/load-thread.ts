// A thread from where `persist` saved it.
import { ThreadfoldError } from "../shared/errors.js";
import type { ThreadState, ThreadUpdate } from "../thread/thread-types.js";
import { Thread } from "../thread/thread.js";
import { isPromise } from "../shared/is-promise.js";
import { after, assembled, type Found, forget, keyOf } from "./blocks.js";
import { noteLoaded } from "./persist.js";
import { checked, failure } from "./storage.js";
import type { LoadOptions, Saved } from "./types.js";

/**
 * Resolves with the thread saved under this name, or with `undefined` if nothing is saved. A run that was active is
 * `disconnected`; you may join it again.
 *
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION` for an option that neither `loadThread` nor `persist` has. Further
 *   errors go to `onError`, and the result is `undefined`; without `onError` the promise rejects with them. Saved data
 *   stays until you save under its name. The errors are:
 *   - `STORAGE_FAILED` if the storage cannot be read, or `migrate` throws;
 *   - `INVALID_ARGUMENT` for saved data that is not a thread or has another schema;
 *   - `INVALID_ARGUMENT` for another version without `migrate`;
 *   - `INVALID_ARGUMENT` for a `migrate` that does not return an object.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { loadThread, persist } from "threadfold/persist";
 *
 * const kept = new Map<string, string>(); // in a page: localStorage
 * const storage = { getItem: (name: string) => kept.get(name), setItem: kept.set.bind(kept) };
 *
 * const thread = (await loadThread({ name: "chat", storage })) ?? new Thread();
 * const stop = persist(thread, { name: "chat", storage });
 * thread.optimistic({ messages: "Hi" });
 * stop();
 * console.log((await loadThread({ name: "chat", storage }))?.pending.length); // 1
 * ```
 *
 * @example
 * ```ts
 * import { Thread, type ThreadState } from "threadfold";
 * import { loadThread } from "threadfold/persist";
 *
 * type Trip = ThreadState & { cities: string[] };
 * declare const AsyncStorage: { getItem(name: string): Promise<string | null>; setItem(name: string, text: string): Promise<void> };
 *
 * export const thread =
 *   (await loadThread<Trip>({
 *     name: "trip",
 *     storage: AsyncStorage,
 *     version: 1,
 *     // Version 0 had one city.
 *     migrate: ({ city, ...values }) => ({ ...values, cities: [String(city)] }),
 *   })) ?? new Thread<Trip>({ values: { cities: [] } });
 * ```
 */
export async function loadThread<S extends object = ThreadState, U extends object = ThreadUpdate<S>>(
  options: LoadOptions<S, U>,
): Promise<Thread<S, U> | undefined> {
  return loaded(options);
}

/** {@link loadThread}, with the thread at once if neither the storage nor `migrate` answers by a promise. */
export function loaded<S extends object, U extends object>(
  options: LoadOptions<S, U>,
): Thread<S, U> | undefined | Promise<Thread<S, U> | undefined> {
  const { name, storage, version = 0 } = checked("loadThread", options);
  const key = keyOf(name);
  const read = (text: string | null | undefined) =>
    text ? after(assembled({ name: key, storage }, text), made) : undefined;
  const made = (found: Found | undefined) => {
    if (!found)
      throw new ThreadfoldError("INVALID_ARGUMENT", `Invalid data under '${name}': persist() did not save it.`);
    // `migrate` may have changed the messages in place: the next save writes all blocks again.
    const kept = found.saved.version === version ? found.kept : { ...found.kept, messages: [] };
    return after(threadOf(found.saved, options), (thread) => {
      noteLoaded(thread, { name, storage }, kept);
      return thread;
    });
  };
  const failed = (cause: unknown) => void tell(failure(`Loading the thread '${name}'`, cause), options);
  try {
    const text = storage.getItem(key);
    const thread = after(text, read);
    return isPromise(thread) ? Promise.resolve(thread).catch(failed) : thread;
  } catch (cause) {
    return failed(cause) as undefined;
  }
}

/**
 * Removes a saved thread from its storage. Stop saving it first.
 *
 * @throws {@link ThreadfoldError} `STORAGE_FAILED` if the storage fails; `INVALID_ARGUMENT` and `UNKNOWN_OPTION` as
 *   {@link loadThread}. The promise rejects with it.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { forgetThread, loadThread, persist } from "threadfold/persist";
 *
 * const kept = new Map<string, string>(); // in a page: localStorage
 * const storage = { getItem: (name: string) => kept.get(name), setItem: kept.set.bind(kept) };
 *
 * const thread = new Thread();
 * const stop = persist(thread, { name: "chat", storage });
 * thread.optimistic({ messages: "Hi" });
 * stop();
 * await forgetThread({ name: "chat", storage });
 * console.log(await loadThread({ name: "chat", storage })); // undefined
 * ```
 */
export async function forgetThread(options: Pick<LoadOptions<object>, "name" | "storage">): Promise<void> {
  const { name, storage } = checked("forgetThread", options);
  try {
    await forget({ name: keyOf(name), storage });
  } catch (cause) {
    throw failure(`Forgetting the thread '${name}'`, cause);
  }
}

function tell(error: ThreadfoldError, { onError }: { onError?: ((error: ThreadfoldError) => void) | undefined }): void {
  if (!onError) throw error;
  onError(error);
}

function threadOf<S extends object, U extends object>(
  saved: Saved,
  options: LoadOptions<S, U>,
): Thread<S, U> | Promise<Thread<S, U>> {
  const { version = 0, migrate, schema, notify, history } = options;
  if (saved.version === version) return Thread.fromJSON<S, U>(saved.state, { schema, notify, history });
  if (!migrate)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `The saved thread has version ${saved.version}, not ${version}, and there is no migrate.`,
    );
  const { core } = saved.state as SavedRecord<U>;
  const values = migrate(core?.confirmed ?? {}, saved.version);
  return isPromise(values)
    ? Promise.resolve(values).then((values) => migrated(saved, values, options))
    : migrated(saved, values, options);
}

/** The record's own parts, which outlast a change of the state's form. */
interface SavedRecord<U> {
  readonly threadId?: string;
  readonly core?: {
    readonly confirmed?: Record<string, unknown>;
    readonly pending?: readonly { readonly update: U; readonly manual?: string }[];
  };
}

function migrated<S extends object, U extends object>(
  saved: Saved,
  values: Partial<NoInfer<S>>,
  options: LoadOptions<S, U>,
): Thread<S, U> {
  if (typeof values !== "object" || values === null)
    throw new ThreadfoldError("INVALID_ARGUMENT", "migrate should return the values of this version, an object.");
  const { threadId, core } = saved.state as SavedRecord<U>;
  const { schema, notify, history } = options;
  const thread = new Thread<S, U>({ schema, notify, history, threadId, values });
  for (const { update, manual } of core?.pending ?? []) {
    try {
      thread.optimistic(update, { manual: manual !== undefined });
    } catch (error) {
      tell(failure("Migrating an update", error), options);
    }
  }
  return thread;
}
