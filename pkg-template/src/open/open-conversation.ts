// Opens conversations: a thread and its runner, wired, saved and joined with the first subscriber or call.
import { loaded } from "../persist/load-thread.js";
import { noteBecame, persist } from "../persist/persist.js";
import { isPromise } from "../shared/is-promise.js";
import { after } from "../persist/blocks.js";
import type { LoadOptions, ThreadStorage } from "../persist/types.js";
import type { Runner } from "../runner/runner.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { NamesOf } from "../shared/options.js";
import { BECOME } from "../thread/become.js";
import { Thread } from "../thread/thread.js";
import type { ThreadOptions } from "../thread/thread-types.js";
import { INSIDE } from "../thread/inside.js";
import { HOLDS, type Holding } from "../tabs/holds.js";
import { OPENED } from "./opened-key.js";

/** The options that `openAgUi` and `openLangGraph` add to those of a runner. */
export interface OpenOptions<S extends object, U extends object> extends Pick<
  ThreadOptions<S, U>,
  "threadId" | "schema" | "notify" | "history"
> {
  /**
   * Where the thread is saved, and read from after hydration: `"session"`, the default, for the tab's `sessionStorage`,
   * `"local"` for `localStorage`, or a storage of your own, such as `tabStorage()` of `threadfold/tabs`. `false` saves nothing.
   */
  storage?: "session" | "local" | ThreadStorage | false | undefined;
  /**
   * The name of the conversation, and of what is saved. Default: the protocol, the address and the `threadId`. A runner
   * with a `transport` of your own needs one.
   */
  key?: string | undefined;
}

export const OPEN_OPTIONS: NamesOf<OpenOptions<object, object>> = {
  threadId: true,
  schema: true,
  notify: true,
  history: true,
  storage: true,
  key: true,
};

/** The differences between the protocols. */
export interface Opening<S extends object, U extends object, O extends object, R extends Runner<S, U>> {
  /** The function that the caller calls, such as `openAgUi`. */
  readonly call: string;
  /** The class, for using the pieces directly. */
  readonly runner: string;
  /** The protocol and the address; undefined with a transport of the caller's. */
  readonly address: string | undefined;
  readonly options: O & OpenOptions<S, U>;
  make(thread: Thread<S, U>, options: O): R;
}

interface Opened {
  readonly runner: Runner<object, object>;
  /** The runner's own options, which it reads at each request. */
  readonly options: object;
}

/** One for all copies of this module, and after a hot reload. */
const all = (): Map<string, Opened> =>
  ((globalThis as { [OPENED]?: Map<string, Opened> })[OPENED] ??= new Map<string, Opened>());

/** Returns the runner of this key: the one that is open, which takes the new options, or a new one. */
export function opened<S extends object, U extends object, O extends object, R extends Runner<S, U>>(
  opening: Opening<S, U, O, R>,
): R {
  const { call, address, options, make } = opening;
  const { threadId, schema, notify, history, storage = "session", key = keyOf(address, options) } = options;
  if (key === undefined)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `${call}: a transport has no address. Give the conversation a \`key\`.`,
    );
  const ofRunner = Object.entries(options).filter(([name]) => !Object.hasOwn(OPEN_OPTIONS, name));
  // A page outlives its network; a program would hang.
  const own = { whileOffline: "wait", ...Object.fromEntries(ofRunner) } as unknown as O;
  const known = isServer ? undefined : all().get(key);
  if (known && !known.runner.isDisposed) {
    for (const name of Object.keys(known.options)) delete (known.options as Record<string, unknown>)[name];
    Object.assign(known.options, own);
    return known.runner as unknown as R;
  }
  const thread = new Thread<S, U>({ threadId, schema, notify, history } as ThreadOptions<S, U>);
  const runner = make(thread, own);
  if (isServer) refuseCalls(runner as never, call, opening.runner);
  else {
    all().set(key, { runner: runner as never, options: own });
    // A conversation that began without an id was saved so.
    const before = options.key === undefined && threadId !== undefined ? keyOf(address, {}) : undefined;
    wire(runner as never, new Start(runner as never, { key, before }, storage, { schema, notify, history } as object));
  }
  return runner;
}

const keyOf = (address: string | undefined, { threadId }: { threadId?: string | undefined }): string | undefined =>
  address === undefined ? undefined : `threadfold:${address}:${threadId ?? ""}`;

const isServer = typeof window === "undefined";

type AnyRunner = Runner<object, object>;
type SavedThread = Thread<object, object> | undefined;

const CALLS = ["sendMessage", "regenerate", "stop", "retry", "resume", "load", "switchBranch"] as const;

/** Reads the saved thread, saves changes, and loads or joins the server's run: once. */
class Start {
  readonly #runner: AnyRunner;
  readonly #key: string;
  /** The name under which the thread may be saved from the time before it had an id. */
  readonly #before: string | undefined;
  readonly #storage: OpenOptions<object, object>["storage"];
  readonly #options: object;
  #begun = false;
  /** The saved thread, as long as the storage has not answered. */
  #reading: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  /** Called once the thread is the saved one. */
  onRead: () => void = () => {};

  constructor(
    runner: AnyRunner,
    { key, before }: { readonly key: string; readonly before: string | undefined },
    storage: OpenOptions<object, object>["storage"],
    options: object,
  ) {
    this.#runner = runner;
    this.#key = key;
    this.#before = before;
    this.#storage = storage;
    this.#options = options;
  }

  /** Returns a promise only as long as the storage has not answered. */
  begin(): Promise<void> | undefined {
    if (this.#begun) return this.#reading;
    this.#begun = true;
    const { thread } = this.#runner;
    const storage = storageOf(this.#storage);
    if (!storage) {
      this.#load();
      return undefined;
    }
    const saving = { name: this.#key, storage, onError: (error: ThreadfoldError) => thread[INSIDE].report(error) };
    const go = (saved: Thread<object, object> | undefined) => {
      this.#reading = undefined;
      if (thread.isDisposed) return;
      if (saved) this.#become(saved);
      this.#stop = persist(thread, saving);
      this.#load();
    };
    const saved = after(loaded<object, object>({ ...this.#options, ...saving }), (own) => own ?? this.#earlier(saving));
    if (isPromise(saved)) this.#reading = Promise.resolve(saved).then(go);
    else go(saved);
    return this.#reading;
  }

  /** Returns the thread that was saved before it had an id. */
  #earlier(saving: LoadOptions<object, object>): SavedThread | PromiseLike<SavedThread> {
    const name = this.#before;
    if (name === undefined) return undefined;
    const { threadId } = this.#runner.thread;
    // To read another conversation's record would take it from the tab that opens that one.
    const isThere = (saving.storage as Partial<Holding>)[HOLDS]?.(name, threadId) ?? true;
    const read = (is: boolean) => (is ? loaded<object, object>({ ...this.#options, ...saving, name }) : undefined);
    return after(after(isThere, read), (found) => {
      if (!found || found.threadId === threadId) return found;
      found.dispose();
      return undefined;
    });
  }

  #become(saved: Thread<object, object>): void {
    const { thread } = this.#runner;
    thread[BECOME](saved);
    noteBecame(thread, saved);
    this.#runner[BECOME]();
    this.onRead();
  }

  #load(): void {
    const { thread } = this.#runner;
    // A new conversation is not at the server. Its first message may still wait for the network.
    if (thread.threadId === undefined && thread.run.id === undefined && thread.pending.length === 0) return;
    // How it ends is the runner's status.
    this.#runner.load().catch((error: unknown) => {
      if (error instanceof ThreadfoldError && !thread.isDisposed) thread[INSIDE].report(error);
    });
  }

  end(): void {
    this.#stop?.();
    if (all().get(this.#key)?.runner === this.#runner) all().delete(this.#key);
  }
}

/** Makes the first subscriber and the first call begin. */
function wire(runner: AnyRunner, start: Start): void {
  const { thread } = runner;
  for (const name of CALLS) {
    const call = runner[name].bind(runner) as (...args: unknown[]) => Promise<never>;
    own(runner, name, (...args: unknown[]) => {
      const reading = start.begin();
      return reading ? reading.then(() => call(...args)) : call(...args);
    });
  }
  const follow = runner.follow.bind(runner);
  own(runner, "follow", () => {
    const reading = start.begin();
    if (!reading) return follow();
    let end: (() => void) | undefined;
    let isOver = false;
    void reading
      .then(() => {
        if (!isOver && !runner.isDisposed) end = follow();
      })
      .catch((error: ThreadfoldError) => thread[INSIDE].report(error));
    return () => {
      isOver = true;
      end?.();
    };
  });
  own(thread, "subscribe", beginning(start, thread.subscribe.bind(thread)));
  own(thread, "subscribeMessage", beginning(start, thread.subscribeMessage.bind(thread)));
  const subscribe = runner.subscribe;
  /** The listeners, and how each leaves: the runner's own change when the saved thread comes. */
  const ends = new Map<() => void, () => void>();
  own(runner, "subscribe", (listener: () => void) => {
    start.begin();
    const heard = () => listener();
    ends.set(heard, subscribe(heard));
    return () => {
      ends.get(heard)?.();
      ends.delete(heard);
    };
  });
  start.onRead = () => {
    for (const [heard, end] of ends) {
      end();
      ends.set(heard, subscribe(heard));
      heard();
    }
  };
  const dispose = runner.dispose.bind(runner);
  own(runner, "dispose", () => {
    start.end();
    dispose();
    thread.dispose();
  });
}

const own = (of: object, name: string, value: unknown): void => {
  Object.defineProperty(of, name, { value, configurable: true, writable: true });
};

/** Subscribes first: a store that looked before it subscribed is notified of the saved thread. */
const beginning =
  <A extends unknown[], T>(start: Start, subscribe: (...args: A) => T) =>
  (...args: A): T => {
    const end = subscribe(...args);
    start.begin();
    return end;
  };

/** A runner at a server's module level would be shared by all requests. */
function refuseCalls(runner: AnyRunner, call: string, name: string): void {
  const refusal = () =>
    new ThreadfoldError(
      "UNSUPPORTED",
      `${call}: a server opens no conversation, as all requests would share it. Use new ${name}(new Thread(), options).`,
    );
  for (const one of [...CALLS, "threads"]) own(runner, one, () => Promise.reject(refusal()));
  own(runner, "follow", () => {
    throw refusal();
  });
}

/** The storage that the option names; none where the browser refuses it. */
function storageOf(given: OpenOptions<object, object>["storage"]): ThreadStorage | undefined {
  if (given === false) return undefined;
  if (typeof given === "object") return given;
  try {
    return given === "local" ? localStorage : sessionStorage;
  } catch {
    return undefined;
  }
}
