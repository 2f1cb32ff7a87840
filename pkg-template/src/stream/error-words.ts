/** The words of an error, whatever was thrown: its fields may be missing, or throw themselves. */
export interface ErrorWords {
  readonly name: string;
  readonly message: string;
  /** LangGraph's name of the error, if it is one of those. */
  readonly code: string | undefined;
}

export function errorWords(error: unknown): ErrorWords {
  try {
    const { name, message, lc_error_code: code } = (error ?? {}) as Partial<Error> & { lc_error_code?: unknown };
    return {
      name: typeof name === "string" ? name : "Error",
      message: typeof message === "string" ? message : String(error),
      code: typeof code === "string" ? code : undefined,
    };
  } catch {
    return { name: "Error", message: "The thrown value has no text.", code: undefined };
  }
}
