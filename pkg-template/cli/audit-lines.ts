// The findings of an audit in sentences for a terminal and for a page.
import type { Audit, Kind } from "./audit.js";
import type { Clones } from "./clones.js";
import { brief, plural } from "./print.js";

/** A heading, and the lines below it. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export function sectionsOf(audit: Audit): Section[] {
  const { protocol, runs, parts, bytes, fold, client, drift, lost, unmeasured } = audit;
  const share = bytes.streamed === 0 ? 0 : Math.round((100 * bytes.snapshots) / bytes.streamed);
  const all = [
    {
      title: `${plural(runs, "run")} over ${protocol}, ${plural(parts, "event")}`,
      lines: [
        `${size(bytes.streamed)} streamed, ${size(bytes.snapshots)} (${share} %) of it whole states and conversations`,
        ...(protocol === "LangGraph" && bytes.snapshots > 0 && bytes.snapshots < bytes.streamed
          ? [`threadfold does not ask for these states: ${size(bytes.streamed - bytes.snapshots)} are left`]
          : []),
        ...(bytes.states.requests > 0
          ? [`${size(bytes.states.bytes)} in ${plural(bytes.states.requests, "request")} for states beside the streams`]
          : []),
        ...(bytes.sent === undefined ? [] : [`${size(bytes.sent)} sent by the page`]),
      ],
    },
    {
      title: "Time",
      lines: [
        `threadfold folds all in ${ms(fold.total)}: ${ms(fold.total / Math.max(1, parts))} an event, ${ms(fold.slowest)} the slowest`,
        ...(client && !client.error
          ? [`@ag-ui/client ${client.version} takes ${ms(client.ms)}: ${ms(client.ms / Math.max(1, parts))} an event`]
          : []),
      ],
    },
    {
      title: "Clones",
      lines: [
        cloneLine("threadfold", fold),
        ...(client && !client.error ? [cloneLine(`@ag-ui/client ${client.version}`, client)] : []),
      ],
    },
    {
      title: "Drift",
      lines: !drift
        ? []
        : drift.length === 0
          ? ["Folding gives what the server's states say."]
          : [
              `${plural(drift.length, "difference")} from the server's states`,
              ...shown(drift, ({ path, change }) => `${change} ${path}`),
            ],
    },
    {
      title: "Lost",
      lines: [
        ...shown(lost.parts, (message) => `not folded: ${message}`),
        ...(lost.runs > 0 ? [`${plural(lost.runs, "run")} without an end: the connection broke`] : []),
        ...missingLines("threadfold", lost.here),
        ...(lost.client && client ? missingLines(`@ag-ui/client ${client.version}`, lost.client) : []),
        ...(client && client.differences.length > 0
          ? [
              `@ag-ui/client ends with other messages:`,
              ...shown(client.differences, ({ path, change }) => `${change} here: ${path}`),
            ]
          : []),
      ],
    },
    { title: "Not measured", lines: unmeasured },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

const cloneLine = (who: string, { clones, copied }: Clones): string =>
  `${who} calls structuredClone ${plural(clones, "time")}, and copies ${size(copied)}`;

const missingLines = (who: string, ids: readonly string[]): string[] => [
  ids.length === 0
    ? `${who} keeps every streamed message that the server has`
    : `${who} ends without ${plural(ids.length, "streamed message")}: ${brief(ids.join(", "))}`,
];

/** The first few. */
function shown<T>(all: readonly T[], line: (one: T) => string, most = 5): string[] {
  const more = all.length - most;
  return [...all.slice(0, most).map((one) => `  ${brief(line(one))}`), ...(more > 0 ? [`  … and ${more} more`] : [])];
}

export const kindLines = (kinds: readonly Kind[]): string[] =>
  kinds.map(({ kind, count, bytes }) => `${size(bytes).padStart(9)}  ${kind} × ${count}`);

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

const ms = (value: number): string => (value < 0.1 ? `${(1000 * value).toFixed(1)} µs` : `${value.toFixed(1)} ms`);
