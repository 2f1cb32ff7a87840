export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Returns an interrupt's question as text: the value itself, or its `message`, `question` or `description`. */
export function questionIn(value: unknown): string | undefined {
  const { message, question, description } = (value ?? {}) as Record<string, unknown>;
  return text(value) ?? text(message) ?? text(question) ?? text(description);
}
