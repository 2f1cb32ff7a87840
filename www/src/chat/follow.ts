// Keeps the end of a list in sight while it grows, unless its reader has scrolled up.
import { useCallback, useEffect, useRef, type RefObject } from "react";

/** Returns a function that goes to the end, and follows it from there on. */
export function useFollow(host: RefObject<HTMLElement | null>): () => void {
  const follows = useRef(true);
  const follow = useCallback(
    (does: boolean) => {
      follows.current = does;
      // The browser's own anchoring moves the visible part when something above it goes: as if a reader scrolled up.
      host.current?.style.setProperty("overflow-anchor", does ? "none" : "auto");
    },
    [host],
  );
  useEffect(() => {
    const log = host.current;
    if (!log) return;
    follow(follows.current);
    let { clientHeight: height, scrollTop: place } = log;
    const end = () => {
      if (follows.current) log.scrollTop = log.scrollHeight;
      place = log.scrollTop;
    };
    const scrolled = () => {
      // A scroll that a resize or growth caused is not the reader's.
      if (log.clientHeight !== height) return;
      if (log.scrollHeight - log.scrollTop - log.clientHeight < 32) follow(true);
      else if (log.scrollTop < place) follow(false);
      place = log.scrollTop;
    };
    const sizes = new ResizeObserver(() => {
      height = log.clientHeight;
      end();
    });
    sizes.observe(log);
    for (const child of log.children) sizes.observe(child);
    log.addEventListener("scroll", scrolled);
    end();
    return () => {
      sizes.disconnect();
      log.removeEventListener("scroll", scrolled);
    };
  }, [host, follow]);
  return useCallback(() => {
    follow(true);
    const log = host.current;
    if (log) log.scrollTop = log.scrollHeight;
  }, [host, follow]);
}
