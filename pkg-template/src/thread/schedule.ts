// When listeners are called for the server's events.

type Host = {
  setImmediate?: (call: () => void) => unknown;
  scheduler?: { postTask?: (call: () => void) => unknown };
};

/** Calls back in a task of its own, after the current one and all its promises. */
export function inTask(call: () => void): void {
  const host = globalThis as Host;
  // Chromium and Firefox have it; a MessageChannel was a tenth of a token's cost in a page. First: a name that a page
  // does not have is searched for among its elements.
  if (host.scheduler?.postTask) host.scheduler.postTask(call);
  else if (host.setImmediate) host.setImmediate(call);
  // Nested timers wait 4 ms.
  else if (typeof MessageChannel === "function") {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      // An open port would keep some runtimes alive.
      port1.close();
      call();
    });
    port1.start();
    port2.postMessage(0);
  } else setTimeout(call);
}

/** Calls back before the next frame is painted; without frames, as in a hidden page, shortly after. */
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
