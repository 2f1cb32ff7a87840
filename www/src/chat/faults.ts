// The faults that the page asks of its own agent, put into the addresses of its requests.

export interface Faults {
  /** Milliseconds before the server says anything. */
  readonly latency: number;
  /** Whether the connection is cut in the middle, and where it resumes: after the last part, or from the start. */
  readonly line: "whole" | "resume" | "replay";
  readonly fail: boolean;
  readonly lag: boolean;
  readonly rewrite: boolean;
}

export const NO_FAULTS: Faults = { latency: 300, line: "whole", fail: false, lag: false, rewrite: false };

/** From one event to the next, in milliseconds: the page's address may say another number, as in `?tick=5`. */
const TICK = typeof location === "undefined" ? 0 : Number(new URLSearchParams(location.search).get("tick") ?? 25) || 0;

let wanted = NO_FAULTS;

/** For the runs that begin from here on. */
export function setFaults(faults: Faults): void {
  wanted = faults;
}

/** Somewhere in the run, a new place for each. */
const somewhere = (most: number) => 1 + Math.floor(Math.random() * most);

export const faultyFetch: typeof fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { latency, line, fail, lag, rewrite } = wanted;
  const isJoin = (init?.method ?? "GET") === "GET";
  const query = isJoin
    ? { from: line === "replay" ? "start" : undefined }
    : {
        latency,
        tick: TICK,
        cut: line === "whole" ? undefined : somewhere(24),
        fail: fail ? 3 + somewhere(16) : undefined,
        lag: lag ? 2 : undefined,
        rewrite: rewrite ? 1 : undefined,
      };
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return fetch(url, init);
};
