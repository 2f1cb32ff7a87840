// What both servers say over HTTP: JSON, refusals, and streams of server-sent events.

/** Answers a request, as Workers, Next, Deno, Bun and others call it. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Which pages of other origins may call: `true` for all, or one origin. */
export type Cors = boolean | string;

/** An answer that is no success, with its sentence. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const json = (body: string, status = 200): Response =>
  new Response(body, { status, headers: { "content-type": "application/json" } });

/** Reads a request's JSON. A body that is none is refused. */
export async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}

/**
 * Returns a response that streams parts as they come. Its end, or whoever asked leaving, closes their source.
 *
 * @param left - Called if whoever asked leaves before the end.
 */
export function eventStream(
  parts: AsyncGenerator<string>,
  headers: Record<string, string>,
  left?: () => void,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      left?.();
      // Not awaited: a part may be waited for right now.
      void parts.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}

/** Wraps a handler: what it throws becomes an answer, pages of other origins are let in, their questions answered. */
export function answering(
  cors: Cors | undefined,
  shape: (message: string) => object,
  handle: FetchHandler,
): FetchHandler {
  const allowed: Record<string, string> =
    cors === undefined || cors === false
      ? {}
      : {
          "access-control-allow-origin": cors === true ? "*" : cors,
          "access-control-allow-headers": "*",
          "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
          "access-control-expose-headers": "content-location, location",
        };
  return async (request) => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: allowed });
    let response: Response;
    try {
      response = await handle(request);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      response = json(JSON.stringify(shape(error instanceof Error ? error.message : String(error))), status);
    }
    for (const [name, value] of Object.entries(allowed)) response.headers.set(name, value);
    return response;
  };
}
