// Plays a scenario: folds its runs into a thread, and compares it with the server after each turn.
import { defineSchema, field, Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { delivered } from "./faults.js";
import { updateOf, type Loose } from "./graphs.js";
import { OwnServer, Server, wire, type Part, type Snapshot } from "./server.js";
import { randomOf } from "../../support/random.js";
import { type Field, type Scenario, type Turn } from "./specs.js";

export const QUIET = ["updates", "messages"];
export const LOUD = ["values", "updates", "messages"];

/** A field in which a thread is wrong and does not know it. */
export interface Wrong {
  readonly turn: number;
  readonly when: "turn" | "settled";
  readonly field: string;
  readonly end: string;
  readonly thread: unknown;
  readonly server: unknown;
  /** The parts of all runs up to this one, as the server sent them. */
  readonly runs: readonly (readonly Part[])[];
}

export interface Doubt {
  readonly field: string;
  readonly reason: string;
}

export interface Played {
  /** The runs that were folded. */
  turns: number;
  /** Those after which the thread was in doubt, and by reason. */
  doubtful: number;
  reasons: Map<string, number>;
  /** Those after which it was in doubt without being wrong. */
  needless: number;
  /** States that the server could not tell. */
  unreadable: number;
  wrong: Wrong[];
}

const FIELDS: Record<Exclude<Field, "messages">, () => Loose> = {
  log: () => field.append(),
  sum: () => field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
  latest: () => field.reducer((_: string, b: string) => b, { default: () => "" }),
  files: () => field.merge(),
  last: () => field.replace(),
  mood: () => field.ephemeral({ guard: false }),
  scratch: () => field.untracked({ guard: false }),
};

function schemaOf({ fields, unknown }: Scenario): Loose {
  if (!unknown) return undefined;
  const known = fields.filter((name) => !unknown.includes(name));
  const schema = Object.fromEntries(
    known.map((name) => [name, name === "messages" ? field.messages() : FIELDS[name]()]),
  );
  return defineSchema(schema as Loose);
}

async function* source(parts: readonly Part[], isCut: boolean): AsyncGenerator<Part> {
  for (const part of parts) yield structuredClone(part);
  if (isCut) throw new Error("The connection broke.");
}

/** A message without the fields that are empty, and without what only a streamed one has. */
function message(value: Loose): Loose {
  const fields = Object.entries(value as Record<string, unknown>).filter(
    ([key, one]) =>
      key !== "tool_call_chunks" &&
      one !== undefined &&
      one !== null &&
      !(Array.isArray(one) && one.length === 0 && key !== "content") &&
      !(typeof one === "object" && !Array.isArray(one) && Object.keys(one).length === 0),
  );
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A field as it is compared. An absent value is like an empty one. */
function compared(name: string, value: Loose): string {
  if (name === "messages") return JSON.stringify(((value ?? []) as Loose[]).map(message));
  if (value === undefined || value === null || value === "" || value === 0) return "";
  if (typeof value === "object" && Object.keys(value as object).length === 0) return "";
  if (Array.isArray(value) || typeof value !== "object") return JSON.stringify(value);
  return JSON.stringify(Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The ids of messages that these parts streamed. */
const streamed = (parts: readonly Part[]): Set<string> =>
  new Set(parts.filter(({ event }) => event.startsWith("messages")).map(({ data }) => data[0]?.id as string));

function hasTwins({ values }: Snapshot): boolean {
  const ids = ((values["messages"] ?? []) as { id?: string }[]).flatMap(({ id }) => id ?? []);
  return new Set(ids).size < ids.length;
}

export async function play(scenario: Scenario, modes: readonly string[], isOwn = false): Promise<Played> {
  const server = isOwn ? new OwnServer(scenario) : new Server(scenario);
  const schema = schemaOf(scenario);
  let thread = new Thread({ schema });
  const random = randomOf(scenario.seed + 1);
  const played: Played = { turns: 0, doubtful: 0, reasons: new Map(), needless: 0, unreadable: 0, wrong: [] };
  let end = "";
  const doubts = (): readonly Doubt[] => [
    ...((thread as Loose).doubts ?? []),
    // A run that was not read to its end is not over for the page.
    ...(thread.run.status === "disconnected" ? scenario.fields.map((name) => ({ field: name, reason: "cut" })) : []),
  ];
  /** Messages that the thread shows of runs that did not end well: no state has them, and the next one takes them. */
  let shown = new Set<string>();

  const differing = ({ values, next }: Snapshot) => {
    const own = wire(thread.getConfirmedState()) as Record<string, Loose>;
    const list = (values["messages"] ?? []) as { id: string }[];
    const theirs = new Set(list.map(({ id }) => id));
    const all = (own["messages"] ?? []) as { id: string }[];
    const saved = all.filter(({ id }) => theirs.has(id) || !shown.has(id));
    // An Overwrite leaves messages as they came: a page gives them ids and types.
    const raw = new Set(list.flatMap((one, index) => (typeof one?.id === "string" ? [] : [index])));
    const messages = raw.size > 0 && all.length === list.length ? all : saved;
    const plain = (all: readonly Loose[]) => all.filter((_, index) => !raw.has(index));
    if (messages.length !== list.length) raw.clear();
    return scenario.fields.filter((name) =>
      name === "messages"
        ? compared(name, plain(messages)) !== compared(name, plain(list))
        : name !== "scratch" &&
          // langgraph.js clears ephemeral fields in the state that it shows of an unfinished step, not in the saved one.
          (name !== "mood" || next.length === 0) &&
          // A page shows a field that its schema lacks only if a state brought it.
          (own[name] !== undefined || !scenario.unknown?.includes(name)) &&
          compared(name, own[name]) !== compared(name, values[name]),
    );
  };
  const runs: Part[][] = [];
  const note = (turn: number, when: Wrong["when"], state: Snapshot) => {
    const known = doubts();
    const fields = differing(state);
    for (const name of fields) {
      if (known.some((doubt) => doubt.field === name)) continue;
      // A page without a schema cannot name a field that it has not seen: it asks for all after a gap or a bad end.
      const isUnseen = !scenario.unknown && !(name in thread.getConfirmedState());
      if (isUnseen && known.some(({ reason }) => reason === "gap" || reason === "bad-end")) continue;
      const own = wire(thread.getConfirmedState()) as Record<string, Loose>;
      played.wrong.push({
        turn,
        when,
        field: name,
        end,
        thread: own[name],
        server: state.values[name],
        runs: [...runs],
      });
    }
    return fields;
  };
  const settle = (turn: number, state: Snapshot) => {
    thread.receive({ type: "values", values: structuredClone(state.values) });
    const { step, checkpointId, isPending: isLeft } = state;
    if ("position" in thread) thread.receive({ type: "step", step, checkpointId, isLeft } as never);
    note(turn, "settled", state);
  };

  for (const [at, turn] of scenario.turns.entries()) {
    if (turn.kind === "other-update" || turn.kind === "other-run") {
      await other(server, turn);
      const state = await server.state();
      // A page that cannot load the state does not know of it.
      if (!state || hasTwins(state)) return played;
      settle(at, state);
      continue;
    }
    if (turn.isReloaded) thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)), { schema });
    const before = await server.state();
    const asked = await request(server, thread, turn, before);
    if (!asked) continue;
    const parts = await server.run(asked, turn.limit, modes);
    runs.push(parts);
    for (const { parts: some, isCut, join } of delivered(parts, turn.fault, random)) {
      await foldLangGraph(thread, source(some, isCut), join === undefined ? {} : { join }).catch((error: Error) => {
        if (error.message !== "The connection broke.") throw error;
      });
    }
    played.turns++;
    end = endOf(parts);
    shown = end === "finished" && turn.fault.kind !== "left" ? new Set() : new Set([...shown, ...streamed(parts)]);
    const state = await server.state();
    if (!state) {
      played.unreadable++;
      continue;
    }
    // No page can hold two messages with one id.
    if (hasTwins(state)) return played;
    const fields = note(at, "turn", state);
    const reasons = new Set(doubts().map(({ reason }) => reason));
    for (const reason of reasons) played.reasons.set(reason, (played.reasons.get(reason) ?? 0) + 1);
    if (reasons.size === 0) continue;
    played.doubtful++;
    if (fields.length === 0) played.needless++;
    if (turn.settles) settle(at, state);
  }
  return played;
}

/** How a run ended. */
export function endOf(parts: readonly Part[]): "error" | "interrupted" | "finished" {
  if (parts.some(({ event }) => event === "error")) return "error";
  return parts.some(({ event, data }) => event === "updates" && data.__interrupt__) ? "interrupted" : "finished";
}

async function other(server: Server, turn: Turn): Promise<void> {
  if (turn.kind === "other-update") return server.update(turn, turn.writes);
  const place = `${server.world.epoch}tab`;
  const input = await updateOf(turn.writes, { node: "tab", place, salt: 1 }, [], {});
  await server.run(
    { input: Object.keys(input).length > 0 ? input : { messages: [] }, command: undefined },
    turn.limit,
    ["updates"],
  );
}

/** The next request: an input, an answer, or another attempt. Shows what it carries at once, as a runner does. */
async function request(server: Server, thread: Thread, turn: Turn, before: Snapshot | undefined) {
  const epoch = server.world.epoch;
  // A user edits what the page shows.
  const shown = new Set((thread.getState().messages as readonly { id?: unknown }[]).map(({ id }) => id));
  const messages = ((before?.values["messages"] ?? []) as { id: string }[]).filter(({ id }) => shown.has(id));
  const salt = Math.floor(turn.choice * 7);
  const input = async () => {
    const update = wire(await updateOf(turn.writes, { node: "user", place: `${epoch}user`, salt }, messages, {}));
    const question = { type: "human", id: `${epoch}q`, content: "asks" };
    const all = { ...update, messages: [...((update["messages"] ?? []) as unknown[]), question] };
    thread.optimistic(all as never);
    return { input: all, command: undefined };
  };
  const goesOn = turn.kind === "go-on" && before !== undefined && before.next.length > 0;
  const open = before?.interrupts ?? [];
  if (turn.kind === "command" && open.length > 0) {
    const update = wire(await updateOf(turn.writes, { node: "user", place: `${epoch}command`, salt }, messages, {}));
    if (Object.keys(update).length > 0) thread.optimistic(update as never);
    return { input: undefined, command: { resume: answers(open, turn.choice), update } };
  }
  if (!goesOn) return input();
  if (open.length > 0 && turn.choice < 0.85)
    return { input: undefined, command: { resume: answers(open, turn.choice) } };
  return { input: null, command: undefined };
}

function answers(open: Snapshot["interrupts"], choice: number): unknown {
  if (open.length === 1) return "yes";
  const some = open.slice(0, 1 + Math.floor(choice * open.length));
  return Object.fromEntries(some.map(({ id }) => [id, "yes"]));
}
