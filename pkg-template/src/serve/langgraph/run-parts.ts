// A run of a graph as the parts of the runs API.
import { finishedMessage, joinPart } from "../../langgraph/chunk.js";
import { plainDict, readMessage, typedMessages } from "../../langgraph/message-form.js";
import { isDict } from "../../shared/dict.js";
import { graphParts, interruptsIn, shownState, type GraphPart, type RunnableGraph } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import type { MarkedPart } from "./begun.js";
import { withCheckpoints } from "./debug-parts.js";
import { STEP_MODES, markedSteps } from "./marked-steps.js";
import { streamsTools, withToolParts } from "./tool-parts.js";

/** A part as it is sent: the event's name, and its data. */
export interface RunPart {
  readonly event: string;
  readonly data: unknown;
}

/** The key of a part's data for the client that started the run, if it is another. */
export const STARTERS: unique symbol = Symbol("starters");

/** The modes that can be asked for, and what a graph calls them. */
const MODES: Readonly<Record<string, string>> = {
  values: "values",
  updates: "updates",
  "messages-tuple": "messages",
  messages: "messages",
  custom: "custom",
  debug: "debug",
  tasks: "tasks",
  checkpoints: "checkpoints",
  tools: "tools",
};

/** Reads the modes of a request; if it names none, it is `values`. */
export function modesOf(asked: unknown): string[] {
  const named = [asked ?? []].flat().map(String);
  const modes = named.length > 0 ? named : ["values"];
  const [unknown] = modes.filter((mode) => !Object.hasOwn(MODES, mode));
  if (unknown !== undefined) throw new Refusal(422, `The stream mode ${unknown} is not served.`);
  return modes;
}

/** Whether an event is of one of these modes, or reports the run's status. */
export function isOfModes(event: string, modes: readonly string[]): boolean {
  const [name = ""] = event.split("|");
  const of = name === "messages" ? "messages-tuple" : (name.split("/")[0] as string);
  return !Object.hasOwn(MODES, of) || modes.includes(of);
}

/** The outcome of a run that is over. */
export interface RunEnd {
  values: unknown;
  isInterrupted: boolean;
}

interface Asked {
  readonly input: unknown;
  readonly config: object;
  readonly modes: readonly string[];
  readonly end: RunEnd;
  /** Whether updates say which task wrote them, and when a super-step is committed. */
  readonly steps: boolean;
}

/**
 * Runs a graph and yields the parts in the requested modes. The outcome goes into `end`. States and updates have the
 * fields of the graph's output, like a LangGraph server's.
 */
export async function* runParts(
  graph: RunnableGraph,
  { input, config, modes, end, steps }: Asked,
): AsyncGenerator<RunPart> {
  // `values` reports how the run ends.
  const isMarked = steps && modes.includes("updates");
  const lacksTools = modes.includes("tools") && !streamsTools(graph);
  const more = [...(isMarked ? STEP_MODES : []), ...(lacksTools ? ["tasks"] : [])];
  const own = modes.filter((mode) => !(lacksTools && mode === "tools")).map((mode) => MODES[mode]);
  const streamMode = [...new Set(["values", ...own, ...more])];
  const spoken: Spoken = { begun: new Map(), whole: new Set() };
  const streamed = graphParts(graph, input, { ...config, streamMode, ...(isMarked && { messageIds: true }) });
  const given = lacksTools ? withToolParts(streamed) : streamed;
  const show = (part: GraphPart) => (isMarked ? asInState(graph, shown(graph, part)) : shown(graph, part));
  const parts = isMarked ? markedSteps(graph, given, { config, show, input }) : given;
  for await (const whole of parts) {
    const part = isMarked ? whole : show(whole);
    const { mode, ns, payload } = part;
    const asked = interruptsIn(payload);
    if ((mode === "values" || mode === "updates") && ns.length === 0 && asked.length > 0) end.isInterrupted = true;
    if (mode === "values" && ns.length === 0) {
      // Each question comes by itself; the run ends with all of them.
      const earlier = interruptsIn(end.values).filter(({ id }) => !asked.some((one) => one.id === id));
      const all = asked.length > 0 && { __interrupt__: [...earlier, ...asked] };
      end.values = { ...(end.values as object), ...(payload as object), ...all };
    }
    if (mode === "messages") yield* messageParts(part, modes, spoken);
    else if (mode === "debug" || mode === "checkpoints") {
      if (modes.includes(mode)) yield { event: named(mode, ns), data: withCheckpoints(mode, payload) };
    } else if (modes.includes(mode)) {
      const { starters } = part as MarkedPart;
      yield { event: named(mode, ns), data: payload, ...(starters !== undefined && { [STARTERS]: starters }) };
    }
    if (mode === "values" && ns.length === 0 && modes.includes("messages")) yield* completed(payload, spoken);
  }
}

/** A part without what a caller does not see; what a subgraph shows is its own. */
function shown(graph: RunnableGraph, part: GraphPart): GraphPart {
  const { mode, ns, payload } = part;
  if (ns.length > 0 || !isDict(payload)) return part;
  const { __interrupt__: asked, __metadata__: note, ...own } = payload;
  const notes = {
    ...(asked !== undefined && { __interrupt__: asked }),
    ...(note !== undefined && { __metadata__: note }),
  };
  if (mode === "values") return { ...part, payload: { ...shownState(graph, own), ...notes } };
  if (mode !== "updates") return part;
  const update = (given: unknown): unknown =>
    Array.isArray(given) ? given.map(update) : isDict(given) ? shownState(graph, given) : given;
  const updates = Object.entries(own).map(([node, given]) => [node, update(given)] as const);
  return { ...part, payload: { ...Object.fromEntries(updates), ...notes } };
}

/** The updates of a graph of langgraph.js, their messages in the form of its state. */
function asInState(graph: RunnableGraph, part: GraphPart): GraphPart {
  if (!("builder" in graph) || part.mode !== "updates" || part.ns.length > 0 || !isDict(part.payload)) return part;
  const typed = (update: unknown): unknown =>
    Array.isArray(update)
      ? update.map(typed)
      : isDict(update) && "messages" in update
        ? { ...update, messages: typedMessages(update["messages"]) }
        : update;
  return { ...part, payload: Object.fromEntries(Object.entries(part.payload).map(([key, one]) => [key, typed(one)])) };
}

const named = (mode: string, ns: readonly string[]) => [mode, ...ns].join("|");

/** The messages of a run in the mode `messages`. */
interface Spoken {
  /** Those that stream, by id, as far as they are here. */
  readonly begun: Map<string, object>;
  /** The ids of those that were sent whole. */
  readonly whole: Set<string>;
}

function* messageParts(
  { ns, payload }: GraphPart,
  modes: readonly string[],
  { begun, whole }: Spoken,
): Generator<RunPart> {
  if (modes.includes("messages-tuple")) yield { event: named("messages", ns), data: payload };
  if (!modes.includes("messages")) return;
  const [given, metadata = {}] = Array.isArray(payload) ? (payload as unknown[]) : [];
  const wire = readMessage(given);
  if (!wire) return;
  const id = String(wire.fields["id"]);
  if (!begun.has(id)) yield { event: named("messages/metadata", ns), data: { [id]: { metadata } } };
  if (!wire.part) {
    whole.add(id);
    return yield { event: named("messages/complete", ns), data: [plainDict(wire)] };
  }
  const message = joinPart(begun.get(id) as never, wire);
  begun.set(id, message);
  yield { event: named("messages/partial", ns), data: [finishedMessage(message)] };
}

/** The messages of a state that were not sent whole yet. */
function* completed(state: unknown, { whole }: Spoken): Generator<RunPart> {
  const messages = isDict(state) && Array.isArray(state["messages"]) ? (state["messages"] as unknown[]) : [];
  const isNew = (id: unknown) => typeof id === "string" && !whole.has(id) && whole.add(id);
  const data = messages.filter((message) => isDict(message) && isNew(message["id"]));
  if (data.length > 0) yield { event: "messages/complete", data };
}
