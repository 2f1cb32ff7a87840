export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The words of what an interrupt asks: the value itself, or its `message`, `question` or `description`. */
export function questionIn(value: unknown): string | undefined {
  const { message, question, description } = (value ?? {}) as Record<string, unknown>;
  return text(value) ?? text(message) ?? text(question) ?? text(description);
}
