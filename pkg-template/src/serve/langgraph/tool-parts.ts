// The stream mode `tools` of a graph that lacks it: threadfold's agents send each call to a task of its own.
import { isDict, type Dict } from "../../shared/dict.js";
import type { GraphPart, RunnableGraph } from "../../stream/graph-parts.js";

/** Whether a graph streams `tools` by itself, as langgraph.js's do. */
export const streamsTools = (graph: RunnableGraph): boolean => !("spec" in graph);

/**
 * Adds the parts of the mode `tools`: where a task is given calls, and where it has their results.
 *
 * @param parts - They have the mode `tasks`.
 */
export async function* withToolParts(parts: AsyncIterable<GraphPart>): AsyncGenerator<GraphPart> {
  const running = new Map<unknown, readonly Dict[]>();
  for await (const part of parts) {
    const { mode, ns, payload } = part;
    const task = mode === "tasks" && isDict(payload) ? payload : undefined;
    yield part;
    if (!task) continue;
    const place = [...ns, `${String(task["name"])}:${String(task["id"])}`];
    const event = (fields: object): GraphPart => ({ mode: "tools", ns: place, payload: fields });
    if (!("result" in task)) {
      const calls = callsIn(task["input"]);
      if (calls.length > 0) running.set(task["id"], calls);
      for (const { id, name, args } of calls)
        yield event({ event: "on_tool_start", toolCallId: id, name, input: JSON.stringify(args ?? {}) });
      continue;
    }
    const calls = running.get(task["id"]) ?? [];
    running.delete(task["id"]);
    for (const { id, name } of calls) {
      const call = { toolCallId: id, name };
      const output = messagesIn(task["result"]).find((message) => message["tool_call_id"] === id);
      if (output) yield event({ event: "on_tool_end", ...call, output });
      else if (task["error"] != null) yield event({ event: "on_tool_error", ...call, error: task["error"] });
    }
  }
}

/** The calls of a task's input, if it is a list of calls. */
function callsIn(input: unknown): readonly Dict[] {
  const isCall = (one: unknown): one is Dict =>
    isDict(one) && typeof one["id"] === "string" && typeof one["name"] === "string" && isDict(one["args"]);
  return Array.isArray(input) && input.every(isCall) ? input : [];
}

/** The messages of a result, also of one that wrote them several times. */
function messagesIn(result: unknown): readonly Dict[] {
  return [result].flat().flatMap((one: unknown) => {
    const { messages } = (isDict(one) ? one : {}) as { readonly messages?: unknown };
    const writes =
      isDict(messages) && Array.isArray(messages["$writes"]) ? (messages["$writes"] as unknown[]) : messages;
    return [writes].flat(2).filter(isDict);
  });
}
