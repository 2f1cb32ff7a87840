// Which call started a sub-agent.
import { isDict, type Dict } from "../shared/dict.js";
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

/** Returns how much the hints say: a part may have none, a name that calls share, a first message, or the call itself. */
export const certainty = ({ toolCallId, input, name }: CallHints): number =>
  toolCallId !== undefined ? 3 : input !== undefined ? 2 : name !== undefined ? 1 : 0;

/**
 * Finds the call of a sub-agent: the one that the stream names, or the first free call of its parent's last message with
 * calls. A call is free without a result, and if it is not `taken`. Calls whose arguments contain the first message come
 * first, then those with its name, then those that name any sub-agent. Among equals, `own` does: an earlier guess stays.
 */
export function startedBy(
  messages: unknown,
  hints: CallHints,
  taken: ReadonlySet<string | undefined>,
  own?: string,
): StartedBy {
  const { calls, answered } = lastCalls(messages);
  const named = calls.find(({ id }) => id === hints.toolCallId);
  const free = calls.filter(({ id }) => !taken.has(id as string) && !answered.has(id));
  const found = having(holding(holding(free, hints.input), hints.name), ({ args }) => subagentType(args) !== undefined);
  const call = named ?? having(found, ({ id }) => id === own)[0];
  const { args, name, id } = call ?? {};
  return {
    name: subagentType(args) ?? hints.name ?? nonEmptyText(name),
    toolCallId: hints.toolCallId ?? nonEmptyText(id),
  };
}

const subagentType = (args: unknown) => (isDict(args) ? nonEmptyText(args["subagent_type"]) : undefined);

/** The calls with this text among their arguments; all of them, if none has it. */
const holding = (calls: readonly Dict[], value: string | undefined) =>
  having(calls, ({ args }) => value !== undefined && isDict(args) && Object.values(args).includes(value));

function having(calls: readonly Dict[], test: (call: Dict) => boolean): readonly Dict[] {
  const some = calls.filter(test);
  return some.length > 0 ? some : calls;
}

/** The calls of the last message that has some, and the ids of those with a result. */
function lastCalls(messages: unknown): { calls: readonly Dict[]; answered: ReadonlySet<unknown> } {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const answered = new Set<unknown>();
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at];
    if (!isDict(message)) continue;
    if (message["type"] === "tool") answered.add(message["tool_call_id"]);
    const calls = message["type"] === "ai" ? message["tool_calls"] : undefined;
    if (Array.isArray(calls) && calls.length > 0) return { calls: calls.filter(isDict), answered };
  }
  return { calls: [], answered };
}
