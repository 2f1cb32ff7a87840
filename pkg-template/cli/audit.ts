// `threadfold audit`: what a recorded conversation costs, here and on the client that its page uses now.
import { Thread, type ThreadfoldError } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { byClient, type ByClient } from "./client.js";
import { countingClones, type Clones } from "./clones.js";
import { diff, type Difference } from "./diff.js";
import { plural } from "./print.js";
import { isDict, type Dict } from "./read.js";
import { kindOf } from "./replayed.js";
import type { Traffic, Turn } from "./traffic.js";

/** The events of one kind, and their bytes of JSON. */
export interface Kind {
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
}

export interface Audit {
  readonly protocol: "AG-UI" | "LangGraph";
  readonly runs: number;
  readonly parts: number;
  /** The kinds of events, the largest first. */
  readonly kinds: readonly Kind[];
  readonly bytes: {
    readonly streamed: number;
    /** Whole states and conversations, of what was streamed. */
    readonly snapshots: number;
    /** The requests' bytes; undefined where the recording has none. */
    readonly sent: number | undefined;
    readonly states: Traffic["states"];
  };
  /** Milliseconds that folding takes: in all, and the slowest event. */
  readonly fold: Clones & { readonly total: number; readonly slowest: number };
  /** Undefined over LangGraph, and where `@ag-ui/client` is not installed. */
  readonly client?: ByClient & { readonly differences: readonly Difference[] };
  /** How folding differs from the server's states; undefined if the recording has nothing to compare with. */
  readonly drift?: readonly Difference[];
  readonly lost: {
    /** Parts that cannot be folded, with a sentence each. */
    readonly parts: readonly string[];
    /** Runs without an end. */
    readonly runs: number;
    /** Messages that were streamed and are not in the page at the end. */
    readonly here: readonly string[];
    readonly client?: readonly string[];
  };
  /** Why something was not measured. */
  readonly unmeasured: readonly string[];
}

export async function audit({ turns, missing, states }: Traffic): Promise<Audit> {
  const protocol = turns[0]?.run.protocol ?? "AG-UI";
  // The first time warms up.
  const { clones, copied } = await countingClones(() => fold(turns));
  const folded = await fold(turns);
  const parts = turns.flatMap(({ run }) => run.parts);
  const kinds = kindsOf(parts);
  const requests = turns.flatMap(({ request }) => request ?? []);
  const isAsked = turns.every(({ request, joins }) => request || joins);
  const client = protocol === "AG-UI" ? await byClient(turns) : undefined;
  const { drift, unknown = [] } =
    protocol === "AG-UI" ? { drift: agUiDrift(kinds, folded) } : ((await langGraphDrift(turns)) ?? {});
  const streamed = streamedIds(parts, serversMessages(parts));
  const without = (messages: readonly Dict[]) => {
    const ids = idsIn(messages);
    return streamed.filter((id) => !ids.has(id));
  };
  const messages = messagesIn(folded.state);
  return {
    protocol,
    runs: folded.runs,
    parts: parts.length,
    kinds,
    bytes: {
      streamed: sum(kinds),
      snapshots: sum(kinds.filter(({ kind }) => isSnapshot(kind))),
      sent: isAsked ? sum(requests.map((one) => ({ bytes: bytesOf(one) }))) : undefined,
      states,
    },
    fold: { clones, copied, total: folded.times.reduce((a, b) => a + b, 0), slowest: Math.max(0, ...folded.times) },
    ...(client && {
      // Without the page's own messages the client puts them elsewhere than it does in the app.
      client: {
        ...client,
        differences: client.error || !isAsked ? [] : diff({ messages: client.messages }, { messages }),
      },
    }),
    ...(drift && { drift }),
    lost: {
      parts: folded.errors,
      runs: folded.open,
      here: without(messages),
      ...(client && !client.error && { client: without(client.messages) }),
    },
    unmeasured: [
      ...(missing > 0
        ? [
            `${plural(missing, "stream")}: the HAR has no content of ${missing === 1 ? "it" : "them"}. Export it with content.`,
          ]
        : []),
      ...(isAsked ? [] : [`Requests${client ? ", and the order on @ag-ui/client" : ""}: the recording has none.`]),
      ...(protocol === "AG-UI" && !client
        ? ["Clones: @ag-ui/client is not installed in this folder. Run the command in your app's."]
        : []),
      ...(client?.error ? [`Clones: @ag-ui/client ${client.version} refuses the recording: ${client.error}`] : []),
      ...(drift ? [] : [NO_DRIFT[protocol]]),
      ...(unknown.length > 0 ? [`Drift of ${unknown.join(", ")}: only a schema says how they fold.`] : []),
      ...(protocol === "LangGraph" ? ["The main thread's time on useStream: it needs a page."] : []),
    ],
  };
}

const NO_DRIFT = {
  "AG-UI": "Drift: the recording has no snapshot to compare with.",
  LangGraph: "Drift: the recording lacks updates to fold or a state to compare with.",
};

interface Folded {
  readonly state: Dict;
  readonly runs: number;
  readonly open: number;
  readonly times: readonly number[];
  readonly errors: readonly string[];
  readonly drift: readonly (readonly object[])[];
}

/** Folds the turns into one thread. */
async function fold(turns: readonly Turn[], isFolded: (part: Dict) => boolean = () => true): Promise<Folded> {
  const thread = new Thread<never>();
  const [times, errors, drift]: [number[], string[], (readonly object[])[]] = [[], [], []];
  thread.on("error", ({ message }: ThreadfoldError) => errors.push(message));
  thread.on("drift", ({ patch }) => drift.push(patch));
  thread.subscribe(() => {});
  let [runs, open] = [0, 0];
  for (const { request, run } of turns) {
    for (const message of sentMessages(thread, request, run.parts))
      thread.receive({ type: "message", message, streaming: false } as never);
    const events = pushed(run.parts.filter(isFolded), times);
    const { status } =
      run.protocol === "AG-UI"
        ? await foldAgUi(thread as never, events as never, { until: "stream" })
        : await foldLangGraph(thread as never, events as never);
    // Listeners of drift are notified once a task.
    await new Promise((resolve) => setTimeout(resolve));
    runs++;
    if (status === "disconnected") open++;
  }
  return { state: thread.getState() as Dict, runs, open, times, errors, drift };
}

/** An Observable of the parts, which notes how long each takes. */
const pushed = (parts: readonly Dict[], times: number[]) => ({
  subscribe(observer: { next(part: Dict): void; complete(): void }) {
    for (const part of parts) {
      const start = performance.now();
      observer.next(part);
      times.push(performance.now() - start);
    }
    observer.complete();
    return () => {};
  },
});

/** The page's own messages are in no event: AG-UI's requests have all messages, LangGraph's first state of a run has the input. */
function sentMessages(thread: Thread<never>, request: Dict | undefined, parts: readonly Dict[]): Dict[] {
  const first = parts.find(({ event }) => event === "values")?.["data"];
  const input = isDict(first) ? messagesIn(first).filter(({ type }) => type === "human") : messagesIn(request ?? {});
  const known = new Set(thread.messageIds);
  return input.filter(({ id }) => typeof id === "string" && !known.has(id));
}

function agUiDrift(kinds: readonly Kind[], { drift }: Folded): readonly Difference[] | undefined {
  if (!kinds.some(({ kind }) => isSnapshot(kind))) return undefined;
  return drift.flatMap((patch) =>
    (patch as { op: string; path: string; value?: unknown }[]).map(({ op, path, value }) => ({
      path,
      change: op === "add" ? "added" : op === "remove" ? "removed" : "changed",
      after: value,
    })),
  ) as Difference[];
}

interface Compared {
  readonly drift: readonly Difference[];
  /** The fields that a thread without a schema does not fold. */
  readonly unknown: readonly string[];
}

/** Folds the updates alone, and compares with the server's last state. */
async function langGraphDrift(turns: readonly Turn[]): Promise<Compared | undefined> {
  const parts = turns.flatMap(({ run }) => run.parts);
  const last = parts.filter(({ event, data }) => event === "values" && isDict(data)).at(-1)?.["data"];
  if (!isDict(last) || !parts.some(({ event }) => event === "updates")) return undefined;
  const { state } = await fold(turns, (part) => !isSnapshot(kindOf(part)));
  const names = Object.keys(last).filter((name) => name !== "__interrupt__");
  const [known, unknown] = [names.filter((name) => name in state), names.filter((name) => !(name in state))];
  const only = (values: Dict) => plain(Object.fromEntries(known.map((name) => [name, values[name]])));
  return { drift: diff(only(last), only(state)), unknown };
}

/** As JSON has it, without empty fields that only one side writes. */
const plain = (state: Dict): Dict =>
  JSON.parse(JSON.stringify(state, (_, value: unknown) => (isNothing(value) ? undefined : value))) as Dict;

const isNothing = (value: unknown): boolean =>
  value === null || value === false || (typeof value === "object" && Object.keys(value as object).length === 0);

/** The kinds that hold a whole state or conversation. */
const isSnapshot = (kind: string): boolean => /^values\b|_SNAPSHOT$/.test(kind) && kind !== "ACTIVITY_SNAPSHOT";

function kindsOf(parts: readonly Dict[]): Kind[] {
  const kinds = new Map<string, { count: number; bytes: number }>();
  for (const part of parts) {
    const kind = kindOf(part).replace(/\|.*/, " of a subgraph");
    const { count, bytes } = kinds.get(kind) ?? { count: 0, bytes: 0 };
    kinds.set(kind, { count: count + 1, bytes: bytes + bytesOf(part["data"] ?? part) });
  }
  return [...kinds].map(([kind, one]) => ({ kind, ...one })).sort((a, b) => b.bytes - a.bytes);
}

/** The messages of the server's last state or snapshot. */
function serversMessages(parts: readonly Dict[]): readonly Dict[] | undefined {
  const lists = parts.flatMap(({ type, messages, event, data }) =>
    type === "MESSAGES_SNAPSHOT" ? [{ messages }] : event === "values" && isDict(data) ? [data] : [],
  );
  const last = lists.at(-1);
  return last && messagesIn(last);
}

/**
 * The ids of the messages that events began or brought whole; of a tool's result, the id of its call. Without those that
 * the server itself removed.
 */
function streamedIds(parts: readonly Dict[], kept: readonly Dict[] | undefined): string[] {
  const ids = parts.flatMap(({ type, messageId, toolCallId, event, data }) => {
    if (type === "TOOL_CALL_RESULT") return [toolCallId];
    if (type === "TEXT_MESSAGE_START" || type === "REASONING_MESSAGE_START") return [messageId];
    return event === "messages" && Array.isArray(data) ? [(data[0] as Dict | undefined)?.["id"]] : [];
  });
  const known = kept && idsIn(kept);
  return [...new Set(ids.filter((id) => typeof id === "string"))].filter((id) => known?.has(id) ?? true);
}

const idsIn = (messages: readonly Dict[]): ReadonlySet<unknown> =>
  new Set(messages.flatMap(({ id, toolCallId }) => [id, toolCallId]));

const messagesIn = ({ messages }: Dict): Dict[] => (Array.isArray(messages) ? messages.filter(isDict) : []);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");
const sum = (all: readonly { readonly bytes: number }[]): number => all.reduce((total, { bytes }) => total + bytes, 0);
