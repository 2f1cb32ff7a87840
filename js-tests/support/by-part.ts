import type { Thread } from "threadfold";

/** Makes a thread report each part that it receives separately: for tests of intermediate views. */
export function byPart<T extends Pick<Thread, "receive" | "flush">>(thread: T): T {
  const { receive } = thread;
  thread.receive = (event) => {
    const isFolded = receive.call(thread, event);
    thread.flush();
    return isFolded;
  };
  return thread;
}
