import type { Thread } from "threadfold";

/** Has a thread tell of each part that it receives by itself: for tests of what is shown on the way. */
export function byPart<T extends Pick<Thread, "receive" | "flush">>(thread: T): T {
  const { receive } = thread;
  thread.receive = (event) => {
    const isFolded = receive.call(thread, event);
    thread.flush();
    return isFolded;
  };
  return thread;
}
