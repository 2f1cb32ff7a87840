// One message of a graph in AG-UI's form.
import { KINDS } from "../../../generated/kinds.js";
import { toAgUi } from "../../state/message-forms.js";
import { isDict, type Dict } from "../../shared/dict.js";
import { plainDict, readMessage } from "../../langgraph/message-form.js";
import { newId } from "../../shared/new-id.js";
import { jsonForm } from "./json-form.js";

/** A message of the state in AG-UI's form; undefined for what that has no place for, such as a removal. */
export function agUiMessage(given: unknown): { id: string } | undefined {
  const wire = readMessage(given);
  const plain: unknown = wire ? plainDict(wire) : given;
  if (!isDict(plain)) return undefined;
  try {
    return withoutCallsTwice(toAgUi(typeof plain["id"] === "string" ? plain : { ...plain, id: newId() }));
  } catch {
    return undefined;
  }
}

const TYPES: ReadonlySet<unknown> = new Set(KINDS.map(([type]) => type));

/** Whether a message of the state has an id and one of LangChain's types: {@link agUiMessage} returns it. */
export function isOfChat(given: unknown): boolean {
  const { fields, type } = readMessage(jsonForm(given)) ?? {};
  return type !== undefined && TYPES.has(type) && typeof fields?.["id"] === "string" && fields["role"] === undefined;
}

/** Returns a message with the reasoning before it, as a run's events have them. */
export function agUiMessages(given: unknown): { id: string }[] {
  const message = agUiMessage(given);
  if (!message) return [];
  const content = reasoningIn((given as { content?: unknown }).content);
  return content === ""
    ? [message]
    : [{ id: reasoningId(message.id), role: "reasoning", content } as { id: string }, message];
}

/** The text of a model's reasoning in a message's content, in LangChain's block or in Anthropic's. */
export const reasoningIn = (content: unknown): string =>
  listOf(content)
    .map(({ type, reasoning, thinking }) => (type === "reasoning" ? reasoning : type === "thinking" ? thinking : ""))
    .filter((text) => typeof text === "string")
    .join("");

/** The id of the message that has another one's reasoning. */
export const reasoningId = (id: string): string => `${id}:reasoning`;

const CALL_FIELDS = new Set(["name", "args", "id", "type"]);

/** Drops the form of plain calls that the metadata keeps for the way back: `toolCalls` says the same, whole files too. */
function withoutCallsTwice(message: { id: string }): { id: string } {
  const { metadata } = message as { metadata?: { threadfold?: { values?: Dict } } };
  const { tool_calls: calls, ...values } = metadata?.threadfold?.values ?? {};
  const isPlain = listOf(calls).every((call) => Object.keys(call).every((key) => CALL_FIELDS.has(key)));
  if (!metadata || calls === undefined || !isPlain) return message;
  return { ...message, metadata: { ...metadata, threadfold: { ...metadata.threadfold, values } } } as { id: string };
}

const listOf = (value: unknown): readonly Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);
