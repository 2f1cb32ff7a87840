// The parts of a run as events of protocol v2.
import { isDict, type Dict } from "../../../shared/dict.js";
import { finishedMessage } from "../../../langgraph/chunk.js";
import { plainDict, readMessage } from "../../../langgraph/message-form.js";
import { interruptsIn, type GraphConfig } from "../../../stream/graph-parts.js";
import type { Lifecycle } from "./lifecycle.js";
import { MessageEvents } from "./message-events.js";
import type { RunEvent } from "./protocol-event.js";
import { RunningTasks } from "./running-tasks.js";

/** The stream modes that the events are made of. */
export const PROTOCOL_MODES = ["values", "updates", "messages-tuple", "custom", "tasks", "checkpoints", "tools"];

type Namespace = readonly string[];

/** A checkpoint, as the runs API sends it. */
interface Checkpoint {
  readonly config?: GraphConfig;
  readonly parent_config?: GraphConfig | null;
  readonly metadata?: unknown;
}

/** A part of a run, as the runs API sends it. */
interface RunPart {
  readonly event: string;
  readonly data: unknown;
}

/** Yields the events of a run's parts. */
export async function* runEvents(parts: AsyncIterable<RunPart>, lifecycle: Lifecycle): AsyncGenerator<RunEvent> {
  const events = new RunEvents(lifecycle);
  try {
    for await (const part of parts) yield* events.take(part);
  } finally {
    // A state that waits for its checkpoint is the run's last one, and a message that was cut off ends here.
    yield* events.end();
  }
}

class RunEvents {
  readonly #lifecycle: Lifecycle;
  readonly #messages = new MessageEvents();
  readonly #tasks = new RunningTasks();
  readonly #asked = new Set<unknown>();
  /** The tasks that have sent messages, with their namespaces and nodes. */
  readonly #speakers = new Map<string, Pick<RunEvent, "namespace" | "node">>();
  /**
   * Events that wait for what the graph streams next. A state waits for its checkpoint, an update for its task's last
   * message.
   */
  #held: RunEvent[] = [];

  constructor(lifecycle: Lifecycle) {
    this.#lifecycle = lifecycle;
  }

  *take({ event, data }: RunPart): Generator<RunEvent> {
    const [mode = "", ...namespace] = event.split("|");
    if (mode === "metadata") return;
    if (mode === "checkpoints") {
      yield* this.#checkpoint(namespace, data as Checkpoint);
      return;
    }
    if (mode === "tasks") yield* this.#endTask(namespace, data);
    yield* this.#release();
    switch (mode) {
      case "values":
        yield* this.#values(namespace, data);
        break;
      case "updates":
        yield* this.#updates(namespace, data);
        break;
      case "messages":
        yield* this.#message(namespace, data);
        break;
      case "tasks":
        yield* this.#task(namespace, data);
        break;
      case "tools":
        yield* this.#sent({ method: "tools", namespace: this.#tasks.around(namespace, data), data: toolEvent(data) });
        break;
      case "custom":
        yield* this.#sent({
          method: "custom",
          namespace,
          data: isDict(data) && "name" in data ? data : { payload: data },
        });
        break;
      default:
        // A part that `onParts` adds.
        yield* this.#sent({ method: "custom", namespace, data: { name: mode, payload: data } });
    }
  }

  *end(): Generator<RunEvent> {
    yield* this.#release();
    for (const task of [...this.#speakers.keys()]) yield* this.#endMessages(task);
  }

  *#sent(event: RunEvent): Generator<RunEvent> {
    yield* this.#lifecycle.start(event.namespace);
    yield event;
  }

  *#release(): Generator<RunEvent> {
    const held = this.#held;
    this.#held = [];
    for (const event of held) yield* this.#sent(event);
  }

  *#values(namespace: Namespace, values: unknown): Generator<RunEvent> {
    yield* this.#requests(namespace, interruptsIn(values));
    if (!isDict(values)) return;
    const { __interrupt__: _, ...own } = values;
    if (Object.keys(own).length > 0) this.#held.push({ method: "values", namespace, data: own });
  }

  *#updates(namespace: Namespace, updates: unknown): Generator<RunEvent> {
    if (!isDict(updates)) return;
    yield* this.#requests(namespace, interruptsIn(updates));
    for (const [node, values] of Object.entries(updates)) {
      if (node === "__interrupt__" || node === "__metadata__") continue;
      const data = { node, values: isDict(values) ? wholeMessages(values) : { value: values } };
      this.#held.push({ method: "updates", namespace, node, data });
    }
  }

  *#requests(namespace: Namespace, interrupts: readonly { id?: string | undefined; value?: unknown }[]) {
    for (const { id, value } of interrupts) {
      if (id === undefined || this.#asked.has(id)) continue;
      this.#asked.add(id);
      const data = { interrupt_id: id, payload: value ?? null };
      yield* this.#sent({ method: "input.requested", namespace, data });
    }
  }

  *#message(around: Namespace, data: unknown): Generator<RunEvent> {
    const [message, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
    const { langgraph_checkpoint_ns: place, langgraph_node: name } = isDict(metadata) ? metadata : ({} as Dict);
    const namespace = typeof place === "string" && place !== "" ? place.split("|") : around;
    const node = typeof name === "string" ? { node: name } : {};
    const key = namespace.join("|");
    // A tool's result comes by the channel of the tools, and in the state.
    if (readMessage(message)?.type === "tool") return;
    this.#speakers.set(key, { namespace, ...node });
    for (const event of this.#messages.take(key, message))
      yield* this.#sent({ method: "messages", namespace, ...node, data: event });
  }

  /** Ends the messages of a task whose result has come. */
  *#endTask(namespace: Namespace, task: unknown): Generator<RunEvent> {
    if (!isDict(task) || !("result" in task)) return;
    const key = [...namespace, `${String(task["name"])}:${String(task["id"])}`].join("|");
    const { messages } = (isDict(task["result"]) ? task["result"] : {}) as { readonly messages?: unknown };
    yield* this.#endMessages(key, [messages].flat());
  }

  *#endMessages(task: string, returned?: readonly unknown[]): Generator<RunEvent> {
    const speaker = this.#speakers.get(task);
    this.#speakers.delete(task);
    if (!speaker) return;
    for (const data of this.#messages.end(task, returned)) yield { method: "messages", ...speaker, data };
  }

  *#task(namespace: Namespace, task: unknown): Generator<RunEvent> {
    if (!isDict(task)) return;
    this.#lifecycle.note(namespace, task);
    this.#tasks.note(namespace, task);
    yield* this.#sent({ method: "tasks", namespace, data: task });
    // A task that asks goes on in the next run.
    const { interrupts, error } = task;
    const isDone = "result" in task && error == null && !(Array.isArray(interrupts) && interrupts.length > 0);
    if (isDone) yield* this.#lifecycle.finish(namespace, task);
  }

  *#checkpoint(
    namespace: Namespace,
    { config, parent_config: parentConfig, metadata }: Checkpoint,
  ): Generator<RunEvent> {
    const key = namespace.join("|");
    const isSaved = this.#held.some((held) => held.method === "values" && held.namespace.join("|") === key);
    const id = config?.configurable?.["checkpoint_id"];
    if (isSaved && typeof id === "string") {
      const { step, source } = (metadata ?? {}) as { step?: unknown; source?: unknown };
      const parent = parentConfig?.configurable?.["checkpoint_id"];
      const data = { id, ...(typeof parent === "string" && { parent_id: parent }), step, source };
      yield* this.#sent({ method: "checkpoints", namespace, data });
    }
    yield* this.#release();
  }
}

/** An update whose messages a model streamed: they are whole by now. */
function wholeMessages(update: Dict): Dict {
  const { messages } = update;
  if (!Array.isArray(messages)) return update;
  const whole = messages.map((message: unknown) => {
    const wire = readMessage(message);
    return wire?.part ? finishedMessage(plainDict(wire)) : message;
  });
  return { ...update, messages: whole };
}

/** An event of a tool in the words of the protocol. */
function toolEvent(data: unknown): object {
  const { event, toolCallId, name, input, data: delta, output, error } = (isDict(data) ? data : {}) as Dict;
  const call = { tool_call_id: String(toolCallId ?? "") };
  switch (event) {
    case "on_tool_start":
      return { event: "tool-started", ...call, tool_name: String(name ?? "unknown"), input };
    case "on_tool_event":
      return {
        event: "tool-output-delta",
        ...call,
        delta: typeof delta === "string" ? delta : JSON.stringify(delta ?? ""),
      };
    case "on_tool_end":
      return { event: "tool-finished", ...call, output };
    default:
      return { event: "tool-error", ...call, message: isDict(error) ? String(error["message"]) : String(error) };
  }
}
