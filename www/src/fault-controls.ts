// The switches for what the embedded agent server does wrong.
import { element } from "./dom";

export interface Faults {
  /** Milliseconds before the server says anything, and from one event to the next. */
  readonly latency: number;
  readonly tick: number;
  /** After how many events the connection is cut, or the run fails. */
  readonly cut: number | undefined;
  readonly fail: number | undefined;
  /** How a cut connection is taken up again: behind the last event heard, or with the run from its start. */
  readonly joined: "resume" | "replay";
  readonly lag: boolean;
  readonly rewrite: boolean;
}

const LATENCIES = [
  [0, "at once"],
  [300, "after 300 ms"],
  [1_000, "after 1 s"],
  [3_000, "after 3 s"],
] as const;
const LINES = [
  ["whole", "stays up"],
  ["resume", "is cut, then resumed"],
  ["replay", "is cut, then replayed"],
] as const;

/** From one event to the next, in milliseconds: the page's address may say another number, as in `?tick=5`. */
const TICK = Number(new URLSearchParams(location.search).get("tick") ?? 25) || 0;

/** Somewhere in the run, a new place for each. */
const somewhere = (most: number) => 1 + Math.floor(Math.random() * most);

export function createFaultControls(host: HTMLElement): { read(): Faults } {
  const latency = choice("fault-latency", LATENCIES);
  const line = choice("fault-line", LINES);
  const [fail, lag, rewrite] = [toggle("fault-fail"), toggle("fault-lag"), toggle("fault-rewrite")];
  latency.value = "300";
  host.append(
    labelled("Server answers", latency),
    labelled("Connection", line),
    beside(fail, "Run fails midway"),
    beside(lag, "Snapshots come late"),
    beside(rewrite, "Answer is reworded"),
  );
  return {
    read: () => ({
      latency: Number(latency.value),
      tick: TICK,
      cut: line.value === "whole" ? undefined : somewhere(24),
      fail: fail.checked ? 3 + somewhere(16) : undefined,
      joined: line.value === "replay" ? "replay" : "resume",
      lag: lag.checked,
      rewrite: rewrite.checked,
    }),
  };
}

const choice = (id: string, options: readonly (readonly [string | number, string])[]) =>
  element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)));

const toggle = (id: string) => element("input", { type: "checkbox", id });

const labelled = (text: string, control: HTMLElement) =>
  element("div", { class: "field" }, element("label", { for: control.id }, text), control);

const beside = (control: HTMLElement, text: string) =>
  element("label", { class: "switch" }, control, element("span", {}, text));
