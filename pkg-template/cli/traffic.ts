// The requests and streams of an app: in a HAR, or in a recorded run.
import { isDict, readRecorded, Unreadable, type Dict, type Recorded } from "./read.js";

type Run = Extract<Recorded, { kind: "run" }>;

/** A request and the stream that answered it. */
export interface Turn {
  readonly request: Dict | undefined;
  readonly run: Run;
  /** Whether the page joined a run that another request had begun: nothing was sent. */
  readonly joins?: boolean;
}

export interface Traffic {
  readonly turns: readonly Turn[];
  /** Streams whose content the HAR lacks. */
  readonly missing: number;
  /** Requests beside the streams for a thread's state or history, and the bytes of their answers. */
  readonly states: { readonly requests: number; readonly bytes: number };
}

/** Reads a HAR or a recorded run. */
export function readTraffic(text: string, name: string): Traffic {
  const value = json(text);
  const entries = isDict(value) && isDict(value["log"]) ? value["log"]["entries"] : undefined;
  if (Array.isArray(entries)) return ofHar(entries.filter(isDict), name);
  const listed = isDict(value) && Array.isArray(value["turns"]) ? value["turns"].filter(isDict) : undefined;
  const turns = listed?.map((turn) => ({ request: dict(turn["request"]), run: runIn(JSON.stringify(turn), name) }));
  return { turns: turns ?? [{ request: undefined, run: runIn(text, name) }], missing: 0, states: NO_STATES };
}

const NO_STATES = { requests: 0, bytes: 0 };

function runIn(text: string, name: string): Run {
  const recorded = readRecorded(text, name);
  if (recorded.kind !== "run")
    throw new Unreadable("Only a recorded run or a HAR can be audited: this file holds none.");
  return recorded;
}

function ofHar(entries: readonly Dict[], name: string): Traffic {
  const turns: Turn[] = [];
  let missing = 0;
  let states = NO_STATES;
  const started = ({ startedDateTime }: Dict) => Date.parse(String(startedDateTime));
  let isCut = false;
  for (const { request, response } of [...entries].sort((a, b) => started(a) - started(b))) {
    const { url, method, postData } = dict(request) ?? {};
    const content = dict(dict(response)?.["content"]) ?? {};
    const text = textOf(content);
    if (/\/threads\/[^/]+\/(state|history)\b/.test(String(url)) && text !== "")
      states = { requests: states.requests + 1, bytes: states.bytes + Buffer.byteLength(text) };
    if (!String(content["mimeType"]).startsWith("text/event-stream") || FOLLOWED.test(String(url))) continue;
    const joins = method === "GET";
    const run = text === "" ? undefined : runIn(text, name);
    // The end of a run without its beginning cannot be folded.
    const isPart = joins && run?.protocol === "AG-UI" && run.parts[0]?.["type"] !== "RUN_STARTED";
    const last = turns.at(-1);
    isCut = run === undefined || (isPart && (isCut || !last));
    if (isCut || !run) missing++;
    else if (isPart && last)
      turns[turns.length - 1] = { ...last, run: { ...last.run, parts: [...last.run.parts, ...run.parts] } };
    else turns.push({ request: dict(json(String(dict(postData)?.["text"]))), run, ...(joins && { joins }) });
  }
  if (turns.length === 0)
    throw new Unreadable(
      missing > 0
        ? `${name} has no content of its ${missing} streams: export the HAR with content.`
        : `${name} has no stream of server-sent events.`,
    );
  return { turns, missing, states };
}

/** The stream of a thread says that runs begin. */
const FOLLOWED = /\/threads\/[^/]+\/(?:events|stream)\b/;

const textOf = ({ text, encoding }: Dict): string =>
  typeof text !== "string" ? "" : encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;

const dict = (value: unknown): Dict | undefined => (isDict(value) ? value : undefined);

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
