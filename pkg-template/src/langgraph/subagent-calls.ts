// Which call started a sub-agent.
import { isDict, type Dict } from "./merge.js";
import { nonEmptyText } from "../shared/non-empty-text.js";

/** The parts of a stream that identify a sub-agent's call. */
export interface CallHints {
  /** The call, if the stream names it. */
  readonly toolCallId?: string | undefined;
  /** The agent's name, in the metadata of its messages. */
  readonly name?: string | undefined;
  /** The text of its first message. */
  readonly input?: string | undefined;
}

/** The call that started a sub-agent; undefined fields are unknown. */
export interface StartedBy {
  readonly name: string | undefined;
  readonly toolCallId: string | undefined;
}

/**
 * Finds the call of a sub-agent: the one that the stream names, or the first free call of its parent's last message with
 * calls. Calls whose arguments contain its first message come first, then those with its name.
 */
export function startedBy(messages: unknown, hints: CallHints, taken: ReadonlySet<string | undefined>): StartedBy {
  const calls = lastCalls(messages).filter(({ id }) => hints.toolCallId === id || !taken.has(id as string));
  const named = calls.find(({ id }) => id === hints.toolCallId);
  const call = named ?? holding(holding(calls, hints.input), hints.name)[0];
  const { args, name, id } = call ?? {};
  const type = isDict(args) ? args["subagent_type"] : undefined;
  return {
    name: nonEmptyText(type) ?? hints.name ?? nonEmptyText(name),
    toolCallId: hints.toolCallId ?? nonEmptyText(id),
  };
}

/** The calls with this text among their arguments; all of them, if none has it. */
function holding(calls: readonly Dict[], value: string | undefined): readonly Dict[] {
  const some = calls.filter(({ args }) => value !== undefined && isDict(args) && Object.values(args).includes(value));
  return some.length > 0 ? some : calls;
}

function lastCalls(messages: unknown): readonly Dict[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at];
    const calls = isDict(message) && message["type"] === "ai" ? message["tool_calls"] : undefined;
    if (Array.isArray(calls) && calls.length > 0) return calls.filter(isDict);
  }
  return [];
}
