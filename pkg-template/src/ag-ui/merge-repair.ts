// The repairs that ag-ui-langgraph 0.0.47 makes when it merges a run's messages into a checkpoint:
// src/merge_state/repair.rs in Rust.
import { own, withFields } from "../shared/own-fields.js";
import { kindOf } from "../state/message-kind.js";

/** A message in any form, as the core has read it. */
export type Message = { readonly id?: unknown };

/**
 * Returns the messages for the graph to add: the checkpoint's repaired ones, then those it does not have.
 *
 * @param isKnown - For each of `messages`, whether the checkpoint has its id.
 */
export function repairedAndNew(
  existing: readonly Message[],
  messages: readonly Message[],
  isKnown: readonly boolean[],
): readonly Message[] {
  const fresh: Message[] = [];
  for (const message of existing) {
    const parsed = withParsedArguments(message);
    if (parsed) fresh.push(parsed);
  }
  const results = resultsIn(messages);
  const answered = new Set<unknown>();
  for (const message of afterLastHuman(existing)) {
    const call = answeredCall(message);
    if (call === undefined || !results.has(call) || !isInterrupted(message)) continue;
    fresh.push(withFields(message, { content: results.get(call) }));
    answered.add(call);
  }
  if (fresh.length === 0 && !isKnown.includes(true)) return messages;
  let at = 0;
  for (const message of messages) {
    if (!isKnown[at++] && !answered.has(answeredCall(message))) fresh.push(message);
  }
  return fresh;
}

/**
 * Returns an assistant message with its tool calls' JSON text parsed into arguments; text that is not JSON becomes empty
 * arguments. Returns undefined if no text can be parsed: the checkpoint's message then prevails.
 */
function withParsedArguments(message: Message): Message | undefined {
  const calls = own(message, "tool_calls");
  if (calls === undefined || kindOf(message) !== "ai" || !Array.isArray(calls)) return undefined;
  let isParsed = false;
  const parsed: unknown[] = [];
  for (const call of calls as readonly object[]) {
    const text = own(call, "args");
    if (typeof text !== "string") {
      parsed.push(call);
      continue;
    }
    const args = parsedJson(text);
    isParsed ||= args !== undefined;
    parsed.push(withFields(call, { args: args === undefined ? {} : args }));
  }
  return isParsed ? withFields(message, { tool_calls: parsed }) : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the contents of tool results by the calls they answer. If a call has two results, the last counts. */
function resultsIn(messages: readonly Message[]): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>();
  for (const message of messages) {
    const call = answeredCall(message);
    const content = call === undefined ? undefined : own(message, "content");
    if (call !== undefined && content !== undefined) results.set(call, content);
  }
  return results;
}

/** Returns the messages after the last human one; none if there is no human one. */
function afterLastHuman(messages: readonly Message[]): readonly Message[] {
  let at = messages.length - 1;
  while (at >= 0 && kindOf(messages[at] as Message) !== "human") at--;
  return at < 0 ? [] : messages.slice(at + 1);
}

/** Returns the call that a tool result answers. */
function answeredCall(message: Message): string | undefined {
  if (kindOf(message) !== "tool") return undefined;
  const id = own(message, "tool_call_id");
  const call = id === undefined ? own(message, "toolCallId") : id;
  return typeof call === "string" ? call : undefined;
}

const BEFORE = "Tool call '";
const BETWEEN = "' with id '";
const AFTER = "' was interrupted before completion.";

/**
 * Whether a tool message says `Tool call '…' with id '…' was interrupted before completion.` The reference's expression
 * would take quadratic time.
 */
function isInterrupted(message: Message): boolean {
  const text = own(message, "content");
  if (typeof text !== "string") return false;
  // As in the reference's expression, one line break may end the text.
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (!line.startsWith(BEFORE)) return false;
  const rest = line.slice(BEFORE.length);
  if (!rest.endsWith(AFTER)) return false;
  const named = rest.slice(0, -AFTER.length);
  // Any place between the first and the last letter of the two names.
  return !named.includes("\n") && named.slice(1, -1).includes(BETWEEN);
}
