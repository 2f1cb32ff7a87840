/** An unsuccessful response, with its sentence. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The refusal where a check of the caller threw. Its error goes only to the server's log: the caller may have no right to it. */
export function uncheckable(error: unknown): Refusal {
  console.error(error);
  return new Refusal(500, "The server failed to check who asks.");
}
