// When listeners hear of what the server sent.

type Host = {
  setImmediate?: (call: () => void) => unknown;
  scheduler?: { postTask?: (call: () => void) => unknown };
};

/** Calls back in a task of its own: once what is under way has ended, with all its promises. */
export function inTask(call: () => void): void {
  const { setImmediate, scheduler } = globalThis as Host;
  if (setImmediate) setImmediate(call);
  // In Chromium and Firefox: a tenth of what a token costs a page was the channel.
  else if (scheduler?.postTask) scheduler.postTask(call);
  // A timer in a timer would wait for 4 ms.
  else if (typeof MessageChannel === "function") {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      // An open port would keep some runtimes from ending.
      port1.close();
      call();
    });
    port1.start();
    port2.postMessage(0);
  } else setTimeout(call);
}

/** Calls back before the next frame is painted; without frames, as in a hidden page, soon after it would have been. */
export function inFrame(call: () => void): void {
  const paints = typeof requestAnimationFrame === "function";
  let frame: number | undefined;
  const once = () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
    call();
  };
  const timer = setTimeout(once, paints ? 100 : 16);
  if (paints) frame = requestAnimationFrame(once);
}
