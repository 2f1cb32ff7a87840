// Lets the event loop turn while quick nodes or a history run. Otherwise a page could not draw, and a server could not
// respond.

/** How long either may keep the event loop, in milliseconds: a page draws a frame in 16. */
const LONGEST = 10;

interface Host {
  readonly setImmediate?: (call: () => void) => unknown;
  readonly MessageChannel?: new () => { port1: Port; port2: Port };
}
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: undefined): void;
  close(): void;
}

// As the module finds them: a test's fake timers stop no run.
const { setImmediate, MessageChannel } = globalThis as Host;
const { setTimeout } = globalThis;

/** Resolves when the event loop has turned. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate) {
      setImmediate(resolve);
    } else if (MessageChannel) {
      // A timer would wait for 4 ms.
      const { port1, port2 } = new MessageChannel();
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- this starts the port, too
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else {
      setTimeout(resolve);
    }
  });
}

/** The pauses of a run and of the graphs inside it: all pause at once, so that they resume in the same order. */
export class Pauses {
  #since = Date.now();
  #pause: Promise<void> | undefined;

  /** Returns a promise to wait for, if the event loop is due to turn. */
  due(): Promise<void> | undefined {
    if (!this.#pause && Date.now() - this.#since >= LONGEST) this.#begin();
    return this.#pause;
  }

  #begin(): void {
    this.#pause = turn().then(() => {
      this.#pause = undefined;
      this.#since = Date.now();
    });
  }
}
