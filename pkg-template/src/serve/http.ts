// What both servers say over HTTP: JSON, refusals, and streams of server-sent events.

import { errorWords } from "../stream/error-words.js";

/** Answers a request, as Workers, Next, Deno, Bun and others call it. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Which pages of other origins may call: `true` for all, or one origin. */
export type Cors = boolean | string;

/** What both servers take. */
export interface HandlerOptions {
  /** Which pages of other origins may call. Default: none. */
  cors?: Cors | undefined;
  /**
   * Called before every request, of runs and of threads, but for a browser's question whether it may ask (`OPTIONS`).
   * Returns, or throws, the `Response` of a request that is refused, such as a 401; `false` is a 401, too. Anything else
   * lets it in. The server reads the request's body: read that of `request.clone()`.
   */
  authenticate?: ((request: Request) => Response | boolean | void | Promise<Response | boolean | void>) | undefined;
}

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

/** A part of a path as it was meant. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, `The path has ${part}, which is no encoded text.`);
  }
}

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

/** How long a stream may be silent: what is between takes a longer silence for a broken connection. */
const SILENCE = 15_000;

/**
 * Returns a response that streams parts as they come, and in longer silences comments, which nobody reads. Its end, or
 * whoever asked leaving, closes their source.
 *
 * @param left - Called if whoever asked leaves before the end.
 */
export function eventStream(
  parts: AsyncGenerator<string>,
  headers: Record<string, string>,
  left?: () => void,
): Response {
  const encoder = new TextEncoder();
  let coming: Promise<IteratorResult<string>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      coming ??= parts.next();
      const part = await sooner(coming, SILENCE);
      if (!part) return controller.enqueue(encoder.encode(": still there\n\n"));
      coming = undefined;
      if (part.done) controller.close();
      else controller.enqueue(encoder.encode(part.value));
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

/** What comes within so many milliseconds; undefined if nothing does. */
function sooner<T>(coming: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    coming.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Wraps a handler: who may not ask is refused, what it throws becomes an answer, pages of other origins are let in, their
 * questions answered.
 */
export function answering(
  { cors, authenticate }: HandlerOptions,
  shape: (message: string) => object,
  handle: FetchHandler,
): FetchHandler {
  const allowed: Record<string, string> =
    cors === undefined || cors === false
      ? {}
      : {
          "access-control-allow-origin": cors === true ? "*" : cors,
          "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
          "access-control-expose-headers": "content-location, location",
        };
  return async (request) => {
    if (request.method === "OPTIONS") {
      // "*" would not let in an Authorization.
      const asked = request.headers.get("access-control-request-headers") ?? "*";
      const headers = cors ? { ...allowed, "access-control-allow-headers": asked } : allowed;
      return new Response(null, { status: 204, headers });
    }
    let response: Response;
    try {
      const refused = await authenticate?.(request);
      if (refused === false) throw new Refusal(401, "Who asks is not let in.");
      response = refused instanceof Response ? refused : await handle(request);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      response = error instanceof Response ? error : json(JSON.stringify(shape(errorWords(error).message)), status);
    }
    if (!cors) return response;
    // A copy: the headers of what others made may not be changed.
    const shown = new Response(response.body, response);
    for (const [name, value] of Object.entries(allowed)) shown.headers.set(name, value);
    return shown;
  };
}
