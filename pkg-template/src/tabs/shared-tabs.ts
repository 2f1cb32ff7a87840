import { checkOptions } from "../shared/options.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { RunRef, ShareStreams, Streams } from "../runner/transport.js";
import { Seat, type SharedStream } from "./seat.js";

/** Which tabs share a connection. */
export interface SharedTabsOptions {
  /** Tabs of one browser that give the same name share. Put into it who is logged in, such as the user's id. */
  readonly name: string;
}

/**
 * Returns the option `tabs` of a runner: one tab of the browser reads a thread's streams for all tabs that show the
 * thread. A tab that is closed, or stands still, is replaced by another, which reads on after the last part. The stream of
 * a run that a tab begins is that tab's own.
 *
 * The other tabs show what the server sends to the tab that reads: give another user another `name`. Without Web Locks,
 * as in a page without TLS, each tab reads for itself.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a `name` that is not a text, `UNKNOWN_OPTION`.
 *
 * @example
 * ```ts
 * import { openAgUi } from "threadfold/ag-ui";
 * import { sharedTabs } from "threadfold/tabs";
 *
 * const user = { id: "ada" };
 * const agent = openAgUi({ url: "/agent", resumable: true, threadId: "t1", tabs: sharedTabs({ name: user.id }) });
 * console.log(agent.status); // ready
 * ```
 */
export function sharedTabs(options: SharedTabsOptions): ShareStreams {
  checkOptions("sharedTabs", options, ["name"]);
  const { name } = options ?? {};
  if (typeof name !== "string" || name === "")
    throw new ThreadfoldError("INVALID_ARGUMENT", "sharedTabs: `name` must be a text, such as the user's id.");
  return (streams, address) => {
    const isAble = globalThis.navigator?.locks && typeof BroadcastChannel !== "undefined";
    return isAble ? shared(streams, [name, address]) : streams;
  };
}

function shared({ join, follow }: Streams, names: readonly string[]): Streams {
  const seat = (stream: Omit<SharedStream, "name">, of: readonly unknown[], signal: AbortSignal) => {
    signal.throwIfAborted();
    return new Seat({ ...stream, name: `threadfold:${JSON.stringify([...names, ...of])}` }, signal);
  };
  return {
    join:
      join &&
      ((run: RunRef, { signal, ...options }) => {
        const { threadId, runId, lastEventId = "" } = run;
        const open = (after: string, signal: AbortSignal) =>
          join({ ...run, lastEventId: after === "" ? undefined : after }, { ...options, signal });
        return seat({ isLive: false, after: lastEventId, open }, [threadId, runId, options], signal).parts;
      }),
    follow:
      follow &&
      (async (threadId: string, { signal }) => {
        const open = (_: string, signal: AbortSignal) => follow(threadId, { signal });
        const { parts, opened } = seat({ isLive: true, after: "", open }, [threadId], signal);
        await opened;
        return parts;
      }),
  };
}
