interface Message {
  readonly role?: unknown;
  readonly toolCallId?: unknown;
  readonly toolCalls?: readonly { readonly id: string; readonly function?: Called | undefined }[] | null | undefined;
}

interface Called {
  readonly name: string;
  readonly arguments: string;
}

/**
 * Returns the ids of these tools' calls that come after the user's last message and have no result yet. An incomplete
 * call, left by a stop, does not count.
 */
export function callsLeft(messages: readonly object[], tools: readonly { readonly name: string }[]): string[] {
  const said = messages as readonly Message[];
  const turn = said.slice(said.map(({ role }) => role).lastIndexOf("user") + 1);
  const names = new Set(tools.map(({ name }) => name));
  const answered = new Set(turn.map(({ toolCallId }) => toolCallId));
  return turn
    .flatMap(({ toolCalls }) => toolCalls ?? [])
    .filter(({ id, function: called }) => called && names.has(called.name) && !answered.has(id) && isWhole(called))
    .map(({ id }) => id);
}

function isWhole({ arguments: text }: Called): boolean {
  try {
    JSON.parse(text || "{}");
    return true;
  } catch {
    return false;
  }
}
