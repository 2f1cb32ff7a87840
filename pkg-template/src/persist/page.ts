// When a page has time, and when it goes. Elsewhere than in a page it always has time, and never goes.

import { LONGEST_TIMER } from "../shared/timer.js";

type Idle = {
  requestIdleCallback?: (call: () => void, options: { timeout: number }) => number;
  cancelIdleCallback?: (handle: number) => void;
};

/** Calls back after so many milliseconds, when the page is idle then, or at the latest as long after. Returns what cancels it. */
export function whenIdle(call: () => void, wait: number): () => void {
  const { requestIdleCallback, cancelIdleCallback } = globalThis as Idle;
  let idle: number | undefined;
  const timer = setTimeout(
    () => {
      if (requestIdleCallback) idle = requestIdleCallback(call, { timeout: wait });
      else call();
    },
    Math.min(wait, LONGEST_TIMER),
  );
  return () => {
    clearTimeout(timer);
    if (idle !== undefined) cancelIdleCallback?.(idle);
  };
}

/**
 * Calls back when the page is hidden or left: on phones the first may be the last event. Returns a function that stops
 * it.
 */
export function onLeaving(call: () => void): () => void {
  if (typeof document === "undefined" || typeof addEventListener !== "function") return () => {};
  const whenHidden = () => {
    if (document.visibilityState === "hidden") call();
  };
  addEventListener("pagehide", call);
  document.addEventListener("visibilitychange", whenHidden);
  return () => {
    removeEventListener("pagehide", call);
    document.removeEventListener("visibilitychange", whenHidden);
  };
}
