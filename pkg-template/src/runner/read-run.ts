import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { BROKEN, brokenBy } from "../stream/connection.js";
import { isFinal, isNotLetIn, pause } from "../stream/http.js";
import type { RunNews, RunProtocol, Work } from "./protocol.js";

/**
 * Reads a run to its end: the response of its request and, when the connection breaks, the stream after rejoining. The
 * thread holds the run's status; it stays disconnected when the retries run out, or who asks is not let in.
 */
export async function readRun<S extends object, U extends object>(
  thread: Thread<S, U>,
  protocol: RunProtocol,
  delays: readonly number[],
  signal: AbortSignal,
  send: Work | undefined,
): Promise<RunNews> {
  const isLost = () => thread.run.status === "disconnected" && !signal.aborted;
  let last: Attempt = send ? await attempt(send, signal) : {};
  let place = thread.run.lastEventId;
  let hasJoined = false;
  for (let tries = send ? 0 : -1; isLost(); tries++) {
    if (thread.run.lastEventId !== place) [tries, place] = [0, thread.run.lastEventId];
    const isOver = tries >= delays.length;
    const canJoin = protocol.canJoin && thread.run.id !== undefined && !isFinal(last.error);
    // A server that answers repeatedly without an end knows of none.
    if (!canJoin || (isOver && hasJoined)) {
      const error =
        brokenBy(last.error ?? thread.run.error) ??
        ((send || hasJoined) && thread.run.id === undefined
          ? new ThreadfoldError("BAD_RESPONSE", NO_RUN)
          : new ThreadfoldError("NO_CONNECTION", send || hasJoined ? NO_END : BROKEN));
      thread.receive({ type: "run-error", error });
      break;
    }
    if (isOver) {
      if (thread.run.error === undefined) thread.receive({ type: "disconnected", error: brokenBy(last.error) });
      break;
    }
    await pause(tries < 0 ? 0 : (delays[tries] ?? 0), signal);
    if (!isLost()) break;
    last = await attempt((signal) => protocol.join(signal), signal);
    hasJoined = last.error === undefined;
    // The run goes on: who asks again may be let in.
    if (isNotLetIn(last.error) && isLost()) {
      thread.receive({ type: "disconnected", error: last.error });
      break;
    }
  }
  return last.news ?? {};
}

interface Attempt {
  readonly news?: RunNews;
  readonly error?: unknown;
}

/** Runs a task; reports its error to the thread, unless that is freed. */
async function attempt(work: Work, signal: AbortSignal): Promise<Attempt> {
  try {
    return { news: await work(signal) };
  } catch (error) {
    if (error instanceof ThreadfoldError && error.code === "DISPOSED") throw error;
    return { error };
  }
}

const NO_RUN = "The server answered without an event of a run.";
const NO_END = "The connection broke, and the run cannot be rejoined.";
