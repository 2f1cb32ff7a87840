// Which graphs of a run have begun and ended: the events of the channel `lifecycle`.
import { isDict } from "../../../shared/dict.js";
import type { RunEvent } from "./protocol-event.js";

interface Known {
  readonly namespace: readonly string[];
  readonly name: string;
}

/** The namespaces of a run: each starts with its first event, and ends with its task. */
export class Lifecycle {
  readonly #name: string;
  readonly #open = new Map<string, Known>();
  readonly #seen = new Set<string>();
  /** The names that agents have given themselves, by their namespaces. */
  readonly #agents = new Map<string, string>();
  /** The tool calls that tasks run. */
  readonly #calls = new Map<string, string>();

  /** @param name - The name of the root's graph. */
  constructor(name: string) {
    this.#name = name;
  }

  root(event: string, more: object = {}): RunEvent {
    return { method: "lifecycle", namespace: [], data: { event, graph_name: this.#name, ...more } };
  }

  /** Notes what a task says of itself, and of the graph that it is in. */
  note(namespace: readonly string[], task: unknown): void {
    if (!isDict(task) || "result" in task) return;
    const { id, input, metadata } = task;
    const agent = isDict(metadata) ? metadata["lc_agent_name"] : undefined;
    if (typeof agent === "string" && agent !== "") this.#agents.set(namespace.join("|"), agent);
    const [call] = isDict(input) ? [input["tool_call"]] : Array.isArray(input) ? (input as unknown[]) : [];
    if (typeof id === "string" && isDict(call) && typeof call["id"] === "string") this.#calls.set(id, call["id"]);
  }

  /** Starts the namespaces around an event that are new. */
  *start(namespace: readonly string[]): Generator<RunEvent> {
    for (let length = 1; length <= namespace.length; length++) {
      const own = namespace.slice(0, length);
      const key = own.join("|");
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const [node, task = ""] = (own.at(-1) as string).split(":");
      const name = this.#agents.get(key) ?? node ?? "";
      this.#open.set(key, { namespace: own, name });
      const callId = this.#calls.get(task);
      const cause = callId !== undefined && { cause: { type: "toolCall", tool_call_id: callId } };
      yield { method: "lifecycle", namespace: own, data: { event: "started", graph_name: name, ...cause } };
    }
  }

  /** Ends the graph inside a task that has a result. */
  *finish(namespace: readonly string[], { name, id }: { readonly name?: unknown; readonly id?: unknown }) {
    yield* this.#end([...namespace, `${String(name)}:${String(id)}`].join("|"), "completed");
  }

  /** Ends what the run's end leaves open. */
  *close(status: string): Generator<RunEvent> {
    for (const key of [...this.#open.keys()]) yield* this.#end(key, status);
  }

  *#end(key: string, event: string): Generator<RunEvent> {
    const known = this.#open.get(key);
    if (!known) return;
    this.#open.delete(key);
    const { namespace, name } = known;
    yield { method: "lifecycle", namespace, data: { event, graph_name: name } };
  }
}
