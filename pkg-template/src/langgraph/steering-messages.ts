import { ThreadfoldError } from "../shared/errors.js";
import type { InboxMessage } from "../shared/run-inbox.js";
import { isRemoval } from "../state/message-kind.js";
import { toLangChain } from "../state/message-forms.js";

/**
 * Returns the messages that a client sends into a run under way, in LangChain's form: a user's, and nothing else of
 * them. Any other could call a tool, or answer for one.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 */
export function steeringMessages(given: unknown): InboxMessage[] {
  const messages = Array.isArray(given) ? given.map(usersIn) : [];
  if (messages.length === 0 || messages.includes(undefined))
    throw new ThreadfoldError("INVALID_ARGUMENT", "Steering takes a list of user messages with id and content.");
  return messages as InboxMessage[];
}

interface Given {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly subagentRunId?: unknown;
}

function usersIn(given: Given | null): InboxMessage | undefined {
  const { role = "user", content: said, subagentRunId = null } = given ?? {};
  const hasContent = typeof said === "string" || Array.isArray(said);
  const isUsers = (role === "user" || role === "human") && subagentRunId === null;
  if (!given || !hasContent || !isUsers || isRemoval(given)) return undefined;
  const { type, id, content, name, additional_kwargs } = toLangChain(given);
  if (type !== "human" || typeof id !== "string" || id === "") return undefined;
  return { type, id, content, ...(name !== undefined && { name }), ...(additional_kwargs && { additional_kwargs }) };
}
