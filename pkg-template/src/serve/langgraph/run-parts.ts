// A run of a graph as the parts of the runs API.
import { finishedMessage, joinPart } from "../../langgraph/chunk.js";
import { plainDict, readMessage } from "../../langgraph/message-form.js";
import { graphParts, interruptsIn, type GraphPart, type RunnableGraph } from "../../stream/graph-parts.js";
import { Refusal } from "../http.js";

/** A part as it is sent: the event's name, and its data. */
export interface RunPart {
  readonly event: string;
  readonly data: unknown;
}

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

/** What is left of a run once it is over. */
export interface RunEnd {
  values: unknown;
  isInterrupted: boolean;
}

/** Runs a graph and yields the parts in the modes asked for. What it ends with goes into `end`. */
export async function* runParts(
  graph: RunnableGraph,
  { input, config, modes, end }: { input: unknown; config: object; modes: readonly string[]; end: RunEnd },
): AsyncGenerator<RunPart> {
  // The mode `tools` is no mode of older graphs; `values` says how the run ends.
  const streamMode = [...new Set(["values", ...modes.filter((mode) => mode !== "tools").map((mode) => MODES[mode])])];
  const whole = new Map<string, object>();
  for await (const part of graphParts(graph, input, { ...config, streamMode })) {
    const { mode, ns, payload } = part;
    const asked = interruptsIn(payload);
    if ((mode === "values" || mode === "updates") && ns.length === 0 && asked.length > 0) end.isInterrupted = true;
    if (mode === "values" && ns.length === 0) end.values = { ...(end.values as object), ...(payload as object) };
    if (mode === "messages") yield* messageParts(part, modes, whole);
    else if (modes.includes(mode))
      yield { event: named(mode, ns), data: mode === "values" ? withValues(payload, end) : payload };
  }
}

/** A state that only says what is asked is told with the values that it asks about, as Python's is. */
function withValues(payload: unknown, { values }: RunEnd): unknown {
  const isBare = typeof payload === "object" && payload !== null && Object.keys(payload).join() === "__interrupt__";
  return isBare ? { ...(values as object), ...payload } : payload;
}

const named = (mode: string, ns: readonly string[]) => [mode, ...ns].join("|");

function* messageParts(
  { ns, payload }: GraphPart,
  modes: readonly string[],
  whole: Map<string, object>,
): Generator<RunPart> {
  if (modes.includes("messages-tuple")) yield { event: named("messages", ns), data: payload };
  if (!modes.includes("messages")) return;
  const wire = readMessage(Array.isArray(payload) ? payload[0] : undefined);
  if (!wire) return;
  if (!wire.part) return yield { event: named("messages/complete", ns), data: [plainDict(wire)] };
  const id = String(wire.fields["id"]);
  const message = joinPart(whole.get(id) as never, wire);
  whole.set(id, message);
  yield { event: named("messages/partial", ns), data: [finishedMessage(message)] };
}
