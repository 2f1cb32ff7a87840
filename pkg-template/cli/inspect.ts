// `threadfold inspect`: what is in a file.
import { callsOf, brief, blocks, indented, plural, speaker, tally } from "./print.js";
import { isDict, type Checkpoint, type Dict, type Recorded } from "./read.js";
import { replay, stateOf } from "./replayed.js";

/** The report on a file, as JSON. */
export type Report = Dict;

export async function inspect(recorded: Recorded): Promise<Report> {
  const state = await stateOf(recorded);
  switch (recorded.kind) {
    case "run": {
      const { runs, errors, drift } = await replay(recorded);
      const { protocol, parts } = recorded;
      return { kind: "run", protocol, parts: parts.length, runs, ...found(errors, drift), ...contents(state) };
    }
    case "thread": {
      const { threadId, core, history } = recorded.record as {
        threadId?: string;
        core: { pending?: readonly Dict[]; run?: Dict };
        history?: Dict;
      };
      const { id, status, error, interrupts } = core.run ?? {};
      const pending = (core.pending ?? []).map(({ id, status, update, error }) => ({
        id,
        status,
        writes: Object.keys((update ?? {}) as Dict),
        ...(error !== undefined && { error }),
      }));
      return {
        kind: "thread",
        threadId,
        run: { id, status, error, interrupts },
        pending,
        compacted: history?.["record"] !== undefined,
        ...contents(state),
      };
    }
    case "checkpoints":
      return { kind: "checkpoints", checkpoints: recorded.checkpoints.map(told), ...contents(state) };
    case "state":
      return { kind: "state", ...contents(state) };
  }
}

const found = (errors: readonly object[], drift: readonly object[]) => ({
  ...(errors.length > 0 && { errors }),
  ...(drift.length > 0 && { drift }),
});

function told(checkpoint: Checkpoint): Dict {
  const { values, interrupts, id, threadId, namespace, parentId, at, source, step, next, writes } = checkpoint;
  const { messages } = values;
  return {
    ...{ id, threadId, namespace, parentId, at, source, step, next, writes },
    fields: Object.keys(values),
    ...(Array.isArray(messages) && { messages: messages.length }),
    ...(interrupts.length > 0 && { interrupts }),
  };
}

/** The fields of a state with their sizes, and what is worth knowing of its messages. */
function contents(state: Dict): Dict {
  const fields = Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      { holds: shapeOf(value), bytes: Buffer.byteLength(JSON.stringify(value) ?? "") },
    ]),
  );
  const { messages } = state;
  return { fields, ...(Array.isArray(messages) && { messages: ofMessages(messages.filter(isDict)) }) };
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, "item");
  if (isDict(value)) return plural(Object.keys(value).length, "key");
  return value === null ? "null" : typeof value;
}

function ofMessages(messages: readonly Dict[]): Dict {
  const kinds: Record<string, number> = {};
  const ids = new Map<unknown, number>();
  const open = new Map<string, string>();
  const orphans: unknown[] = [];
  for (const message of messages) {
    const kind = speaker(message);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    ids.set(message["id"], (ids.get(message["id"]) ?? 0) + 1);
    for (const { id, name } of callsOf(message)) open.set(id, name);
    const answers = message["toolCallId"] ?? message["tool_call_id"];
    if (answers !== undefined && !open.delete(String(answers))) orphans.push(message["id"]);
  }
  const repeated = [...ids].filter(([id, count]) => id !== undefined && count > 1).map(([id]) => id);
  const without = ids.get(undefined) ?? 0;
  return {
    count: messages.length,
    kinds,
    ...(open.size > 0 && { unanswered: [...open].map(([id, name]) => ({ id, name })) }),
    ...(orphans.length > 0 && { resultsWithoutCall: orphans }),
    ...(repeated.length > 0 && { repeatedIds: repeated }),
    ...(without > 0 && { withoutId: without }),
  };
}

/** The report, readable. */
export function inspectLines(report: Report): string[] {
  const { kind, fields, messages } = report as { kind: string; fields: Record<string, Dict>; messages?: Dict };
  const head = HEADS[kind]?.(report) ?? ["A state"];
  const names = Object.keys(fields);
  const width = Math.max(0, ...names.map((name) => name.length));
  const rows = names.map((name) => {
    const { holds, bytes } = fields[name] as { holds: string; bytes: number };
    return `${name.padEnd(width)}  ${holds}, ${plural(bytes, "byte")}`;
  });
  return blocks(head, rows.length > 0 ? ["fields", ...indented(rows)] : [], messages ? messageLines(messages) : []);
}

const HEADS: Readonly<Record<string, (report: Dict) => string[]>> = {
  run(report) {
    const {
      protocol,
      parts,
      runs,
      errors = [],
      drift = [],
    } = report as unknown as {
      protocol: string;
      parts: number;
      runs: readonly Dict[];
      errors?: readonly { message: string }[];
      drift?: readonly object[];
    };
    return [
      `${plural(runs.length, "run")} over ${protocol}, ${plural(parts, "part")}`,
      ...runs.flatMap((run) => runLines(run)),
      ...errors.map(({ message }) => `not folded: ${message}`),
      ...drift.map((patch) => `drift: ${brief(patch)}`),
    ];
  },
  thread({ threadId, run, pending, compacted }) {
    const { status, id } = (run ?? {}) as Dict;
    return [
      `The record of a thread${threadId === undefined ? "" : `, ${String(threadId)}`}: ${String(status)}${id === undefined ? "" : `, last run ${String(id)}`}`,
      ...(pending as Dict[]).map(
        (update) =>
          `${String(update["status"])}: an update of ${(update["writes"] as string[]).join(", ")}${update["error"] === undefined ? "" : `, ${brief(update["error"])}`}`,
      ),
      ...(compacted ? ["compacted: a summary stands for its beginning"] : []),
    ];
  },
  checkpoints({ checkpoints }) {
    const all = checkpoints as Dict[];
    return [
      plural(all.length, "checkpoint"),
      ...indented(
        all.map(({ id, at, source, step, next, messages, writes, interrupts, namespace }) =>
          [
            String(id ?? "without an id"),
            namespace !== undefined && `in ${String(namespace)}`,
            source !== undefined && `${String(source)}, step ${String(step)}`,
            messages !== undefined && plural(Number(messages), "message"),
            Array.isArray(next) && (next.length > 0 ? `next ${next.join(", ")}` : "at its end"),
            Number(writes) > 0 && plural(Number(writes), "pending write"),
            interrupts !== undefined && `asks ${brief(interrupts, 60)}`,
            at,
          ]
            .filter((item) => typeof item === "string")
            .join(" · "),
        ),
      ),
    ];
  },
};

/** A run in a line or two. */
export function runLines({ id, status, parts, kinds, interrupts, error }: Dict): string[] {
  return [
    `  ${String(id ?? "a run without an id")}: ${status === "ready" ? "ended well" : String(status)} after ${plural(Number(parts), "part")} (${tally(kinds as Record<string, number>)})`,
    ...(interrupts === undefined ? [] : [`    asks ${brief(interrupts)}`]),
    ...(error === undefined ? [] : [`    ${brief(error)}`]),
  ];
}

function messageLines({ count, kinds, unanswered, resultsWithoutCall, repeatedIds, withoutId }: Dict): string[] {
  return [
    `messages: ${String(count)}${Number(count) > 0 ? ` (${tally(kinds as Record<string, number>)})` : ""}`,
    ...((unanswered ?? []) as Dict[]).map(({ id, name }) => `  the call ${String(name)} (${String(id)}) has no result`),
    ...((resultsWithoutCall ?? []) as unknown[]).map((id) => `  the result ${String(id)} has no call`),
    ...((repeatedIds ?? []) as unknown[]).map((id) => `  the id ${String(id)} is there more than once`),
    ...(withoutId === undefined ? [] : [`  ${plural(Number(withoutId), "message has", "messages have")} no id`]),
  ];
}
