// When listeners are called for the server's events.

type Host = {
  setImmediate?: (call: () => void) => unknown;
  document?: { hidden: boolean };
  scheduler?: { postTask?: (call: () => void) => unknown };
};

/** Calls back in a task of its own, after the current one and all its promises. */
export function inTask(call: () => void): void {
  const host = globalThis as Host;
  // The cheapest task of a page is a timer: others were a twentieth of a token's cost. In a hidden page it waits a second.
  if (host.document?.hidden && host.scheduler?.postTask) host.scheduler.postTask(call);
  else if (host.setImmediate) host.setImmediate(call);
  else setTimeout(call);
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
