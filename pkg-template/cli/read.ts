// Reads a file: a recorded run, a thread's record, checkpoints, or a state.
import { ServerSentEvents } from "../src/stream/server-sent-events.js";
import { readGraphPart } from "../src/stream/graph-parts.js";

export type Dict = Readonly<Record<string, unknown>>;

/** A checkpoint, out of whichever form it was stored in. */
export interface Checkpoint {
  readonly id?: string | undefined;
  readonly threadId?: string | undefined;
  readonly namespace?: string | undefined;
  readonly parentId?: string | undefined;
  readonly at?: string | undefined;
  readonly source?: unknown;
  readonly step?: unknown;
  readonly next?: readonly string[] | undefined;
  readonly values: Dict;
  readonly versions?: Dict | undefined;
  readonly interrupts: readonly unknown[];
  readonly writes: number;
}

export type Recorded =
  | { readonly kind: "run"; readonly protocol: "AG-UI" | "LangGraph"; readonly parts: readonly Dict[] }
  | { readonly kind: "thread"; readonly record: Dict }
  | { readonly kind: "checkpoints"; readonly checkpoints: readonly Checkpoint[] }
  | { readonly kind: "state"; readonly state: Dict };

/** A file that cannot be read, in a sentence for whoever asked. */
export class Unreadable extends Error {}

/** Reads the text of a file: JSON, a JSON value on each line, or server-sent events. */
export function readRecorded(text: string, name: string): Recorded {
  const found = classify(parsed(text));
  if (!found)
    throw new Unreadable(
      `${name} is neither a recorded run (server-sent events, or a list of events) nor a thread, a checkpoint or a state.`,
    );
  return found;
}

function parsed(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return sentParts(text);
  try {
    return JSON.parse(trimmed);
  } catch (error) {
    const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2) throw new Unreadable(`The file is not JSON: ${(error as Error).message}`);
    return lines.map((line, at) => {
      try {
        return JSON.parse(line) as unknown;
      } catch (cause) {
        throw new Unreadable(`Line ${at + 1} of the file is not JSON: ${(cause as Error).message}`);
      }
    });
  }
}

/** The parts of server-sent events. A part whose data is not JSON stays in the list as text: folding reports it. */
function sentParts(text: string): Dict[] {
  const parts: Dict[] = [];
  const events = new ServerSentEvents(
    {
      take: () => false,
      takeSent({ id, event, data }) {
        parts.push({ ...(id !== undefined && { id }), ...(event !== undefined && { event }), data });
        return false;
      },
      refuse: (data) => void parts.push({ data }),
    },
    undefined,
    () => {},
  );
  events.feed(text);
  events.end();
  return parts;
}

function classify(value: unknown): Recorded | undefined {
  if (Array.isArray(value)) return ofList(value);
  if (!isDict(value)) return undefined;
  const { core, version, state, events, parts, turns } = value;
  if (isDict(core) && version !== undefined) return { kind: "thread", record: value };
  if (isDict(state) && Array.isArray(value["blocks"]))
    throw new Unreadable("This is a part of a saved thread: give what thread.toJSON() returns.");
  // As `persist` stores it.
  if (isDict(state) && isDict(state["core"])) return { kind: "thread", record: state };
  const listed = [events, parts].find(Array.isArray);
  if (listed) return ofList(listed);
  if (Array.isArray(turns)) return ofList(turns.flatMap((turn: unknown) => (isDict(turn) ? listIn(turn) : [])));
  const checkpoint = checkpointOf(value);
  if (checkpoint) return { kind: "checkpoints", checkpoints: [checkpoint] };
  const asRun = ofList([value]);
  return asRun?.kind === "run" ? asRun : { kind: "state", state: value };
}

const listIn = ({ events, parts }: Dict): unknown[] => [events, parts].find(Array.isArray) ?? [];

function ofList(list: readonly unknown[]): Recorded | undefined {
  const items = list.filter(isDict);
  const first = list[0];
  if (list.length > 0 && list.every((part) => readGraphPart(part) !== undefined)) {
    const parts = list.flatMap((part) => {
      const { mode = "", ns = [], payload } = readGraphPart(part) ?? {};
      return [{ event: [mode, ...ns].join("|"), data: payload }];
    });
    return { kind: "run", protocol: "LangGraph", parts };
  }
  if (items.length === 0 || !isDict(first)) return undefined;
  const checkpoints = items.map(checkpointOf);
  if (checkpoints.every((checkpoint) => checkpoint !== undefined)) return { kind: "checkpoints", checkpoints };
  const events = items.map(agUiEvent);
  if (events.some((event) => event !== undefined))
    return { kind: "run", protocol: "AG-UI", parts: items.map((item, at) => events[at] ?? item) };
  if (items.some(({ event, method, data }) => [event, method, (data as Dict | undefined)?.["method"]].some(isText)))
    return { kind: "run", protocol: "LangGraph", parts: items };
  if (items.every(({ role, type }) => isText(role) || isText(type)))
    return { kind: "state", state: { messages: items } };
  return undefined;
}

/** An event of AG-UI, alone or as the data of a server-sent event. */
function agUiEvent(item: Dict): Dict | undefined {
  const isEvent = ({ type }: Dict) => isText(type) && /^[A-Z]+(_[A-Z]+)*$/.test(type);
  if (isEvent(item)) return item;
  const { data, event } = item;
  return event === undefined && isDict(data) && isEvent(data) ? data : undefined;
}

/** A checkpoint of LangGraph's: alone, in a saver's tuple, or in the form of `getState` and the threads API. */
function checkpointOf(value: Dict): Checkpoint | undefined {
  const { config, checkpoint, metadata, parentConfig, parent_checkpoint, pendingWrites, values, next, tasks } = value;
  const own = isDict(checkpoint) && isDict(checkpoint["channel_values"]) ? checkpoint : value;
  const meta = isDict(metadata) ? metadata : {};
  const at = configurable(config) ?? (isDict(checkpoint) ? checkpoint : {});
  const parent = configurable(parentConfig) ?? (isDict(parent_checkpoint) ? parent_checkpoint : {});
  const common = {
    threadId: text(at["thread_id"]),
    namespace: text(at["checkpoint_ns"]),
    parentId: text(parent["checkpoint_id"]),
    source: meta["source"],
    step: meta["step"],
    writes: Array.isArray(pendingWrites) ? pendingWrites.length : 0,
  };
  if (isDict(own["channel_values"])) {
    const writes = Array.isArray(pendingWrites) ? (pendingWrites as unknown[]) : [];
    return {
      ...common,
      id: text(own["id"]),
      at: text(own["ts"]),
      values: fieldsOf(own["channel_values"]),
      versions: isDict(own["channel_versions"]) ? own["channel_versions"] : undefined,
      interrupts: writes.flatMap((write) =>
        Array.isArray(write) && write[1] === "__interrupt__" ? [write[2] as unknown].flat() : [],
      ),
    };
  }
  if (!isDict(values) || !Array.isArray(next)) return undefined;
  const asked = (Array.isArray(tasks) ? tasks : []).flatMap((task: unknown) =>
    isDict(task) && Array.isArray(task["interrupts"]) ? (task["interrupts"] as unknown[]) : [],
  );
  return {
    ...common,
    id: text(at["checkpoint_id"]),
    at: text(value["createdAt"]) ?? text(value["created_at"]),
    next: next as string[],
    values,
    interrupts: asked,
  };
}

const configurable = (config: unknown): Dict | undefined =>
  isDict(config) && isDict(config["configurable"]) ? config["configurable"] : undefined;

/** The state's fields among a checkpoint's channels: the graph's own have names that no field may have. */
const fieldsOf = (channels: Dict): Dict =>
  Object.fromEntries(Object.entries(channels).filter(([name]) => !/^__|:/.test(name)));

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const text = (value: unknown) => (isText(value) && value !== "" ? value : undefined);
