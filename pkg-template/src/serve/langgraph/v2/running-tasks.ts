// The tasks of a run that have begun and not ended: a graph streams a tool's events without the task that runs it.
import { isDict, type Dict } from "../../../shared/dict.js";

export class RunningTasks {
  /** The inputs of the tasks, by the namespaces of their graphs and by their own segments. */
  readonly #inputs = new Map<string, Map<string, unknown>>();

  /** Notes a part of the mode `tasks`. */
  note(namespace: readonly string[], task: Dict): void {
    const key = namespace.join("|");
    const inputs = this.#inputs.get(key) ?? new Map<string, unknown>();
    const segment = `${String(task["name"])}:${String(task["id"])}`;
    if ("result" in task) inputs.delete(segment);
    else inputs.set(segment, task["input"]);
    this.#inputs.set(key, inputs);
  }

  /** Returns the namespace of the task that runs a tool; the graph's own if it is not known. */
  around(namespace: readonly string[], event: unknown): readonly string[] {
    const inputs = this.#inputs.get(namespace.join("|"));
    if (!inputs || !isDict(event)) return namespace;
    const segments = [...inputs];
    const callId = event["toolCallId"];
    const [segment] = segments.find(([, input]) => segments.length === 1 || callsIn(input).includes(callId)) ?? [];
    return segment === undefined ? namespace : [...namespace, segment];
  }
}

/** The ids of the calls that a task may run: those of its input, or of the last message of its state. */
function callsIn(input: unknown): unknown[] {
  if (Array.isArray(input)) return input.map((call) => (isDict(call) ? call["id"] : undefined));
  if (!isDict(input)) return [];
  const { tool_call: call, messages } = input;
  if (isDict(call)) return [call["id"]];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const calls = isDict(last) ? last["tool_calls"] : undefined;
  return Array.isArray(calls) ? callsIn(calls) : [];
}
