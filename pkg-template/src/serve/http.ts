// HTTP for both servers: JSON, refusals, and streams of server-sent events.

import { ThreadfoldError } from "../shared/errors.js";
import { checkNumbers, checkOptions } from "../shared/options.js";
import { LONGEST_TIMER } from "../shared/timer.js";
import { checkCors, checkOrigin, corsHeaders, type Cors } from "./origins.js";
import { Refusal, uncheckable } from "./refusal.js";
import type { BodyLimits } from "./request-body.js";

/** Answers a request, as Workers, Next, Deno, Bun and others call it. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Someone who asks, as `authenticate` may return it: LangGraph's own servers have the same word. */
export interface Identified {
  /** Names the user, always by the same text: threads belong to it. */
  readonly identity: string;
}

/** Someone who asks, with the request. */
export interface Asker extends Identified {
  readonly request: Request;
}

/** A thread, and the user who asks for it. */
export interface ThreadUse extends Asker {
  readonly threadId: string;
  /** The identity that made the thread. Undefined for one that the program, or a request without an identity, made. */
  readonly owner: string | undefined;
}

/** The options of both servers. */
export interface HandlerOptions extends BodyLimits {
  /**
   * The other origins whose pages may call: `true` for all, without cookies; one origin or a list of them, with
   * cookies. The server answers 403 to other requests with a foreign `Origin`. It answers 415 to cross-origin requests
   * whose body is not `application/json`. Default: none.
   */
  cors?: Cors | undefined;
  /**
   * Called before every request, of runs and of threads, but for a browser's question whether it may ask (`OPTIONS`).
   * `{ identity }` lets the request in as that user, who has only the threads that the user made; `true` lets it in to all
   * threads. A `Response`, returned or thrown, is the answer; anything else that it returns is a 401. Any other error
   * is a 500 that does not say it, and goes to `console.error`. The server reads the request's body: read that of
   * `request.clone()`, whose size `maxBodyBytes` does not limit.
   */
  authenticate?:
    ((request: Request) => Response | boolean | Identified | Promise<Response | boolean | Identified>) | undefined;
  /**
   * Decides whether a user may use a thread that is there, in place of `owner === identity`: for threads that several
   * share, or that were there before. Only `true` lets in. It is called for each thread of a search, too.
   */
  mayUse?: ((use: ThreadUse) => boolean | Promise<boolean>) | undefined;
  /**
   * After how many milliseconds of silence an event stream sends a comment. Proxies keep it open, and clients that read
   * the comment find a connection that broke in silence. 0 and Infinity send none. Default 15,000.
   */
  heartbeat?: number | undefined;
}

/** The options of both servers, and which of all options are limits. */
const OWN = ["cors", "authenticate", "mayUse", "maxBodyBytes", "maxDepth", "heartbeat"];
const COUNTS = ["maxBodyBytes", "maxDepth", "maxRecursionLimit", "keep", "keepThreads", "heartbeat"];

/**
 * Checks a server's options, in the words of the function that takes them.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, and `UNKNOWN_OPTION`: a misspelt `authenticate` would let everybody in.
 */
export function checkServerOptions(taker: string, options: HandlerOptions, names: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ThreadfoldError("INVALID_ARGUMENT", `The options of ${taker} should be an object.`);
  checkOptions(taker, options, [...OWN, ...names]);
  checkNumbers(taker, Object.fromEntries(Object.entries(options).filter(([name]) => COUNTS.includes(name))));
  const { authenticate, cors, mayUse, runs } = options as HandlerOptions & { readonly runs?: { begin?: unknown } };
  if (runs !== undefined && typeof runs?.begin !== "function")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `${taker}: invalid option runs. Use a RunStore, such as new MemoryRuns() or new RedisRuns({ client }).`,
    );
  checkCors(cors);
  if (authenticate !== undefined && typeof authenticate !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", "authenticate should be a function.");
  if (mayUse !== undefined && typeof mayUse !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", "mayUse should be a function.");
  if (mayUse && !authenticate)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "mayUse needs authenticate, which returns the { identity } that asks.",
    );
}

export const json = (body: string, status = 200): Response =>
  new Response(body, { status, headers: { "content-type": "application/json" } });

/** Reads a part of a path, which is the id of something. */
export function decoded(part: string): string {
  let id: string;
  try {
    id = decodeURIComponent(part);
  } catch {
    throw new Refusal(400, `The path has ${part}, which is not encoded text.`);
  }
  checkId(id);
  return id;
}

/**
 * Checks an id that a client chose.
 *
 * @throws {@link Refusal} 422 for a property of every object, such as `__proto__`: a saver that keeps threads by their ids in
 *   an object, as langgraph.js's MemorySaver does, would write into all of them. The same for what no address can name:
 *   half a character, and `.` and `..`, which every client takes for steps of the path.
 */
export function checkId(id: unknown): void {
  if (typeof id === "string" && id in {})
    throw new Refusal(422, `${id} is a property of every object: choose another id.`);
  if (id === "." || id === ".." || (typeof id === "string" && /\p{Surrogate}/u.test(id)))
    throw new Refusal(422, `No address can name the id ${id}: choose another one.`);
}

/** Proxies treat a longer silence as a broken connection. */
const HEARTBEAT = 15_000;

/**
 * Returns a response that streams parts as they come. A comment at its start and one in each longer silence name the
 * time between them, for clients that watch the connection. Its end, or the caller leaving, closes their source.
 *
 * @param left - Called if the caller leaves before the end.
 */
export function eventStream(
  parts: AsyncGenerator<string>,
  { heartbeat: given = HEARTBEAT }: Pick<HandlerOptions, "heartbeat">,
  headers: Record<string, string>,
  left?: () => void,
): Response {
  const heartbeat = given > LONGEST_TIMER ? 0 : given;
  const encoder = new TextEncoder();
  const beat = encoder.encode(`: heartbeat ${heartbeat}\n\n`);
  let timer: Timer | undefined;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      if (heartbeat === 0) return;
      controller.enqueue(beat);
      timer = timerOf(heartbeat, () => {
        // A caller who has not read the last part needs no comment.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(beat);
        timer?.refresh();
      });
    },
    async pull(controller) {
      let part: IteratorResult<string> | undefined;
      try {
        part = await parts.next();
      } finally {
        if (part?.done === false) timer?.refresh();
        else timer?.clear();
      }
      if (part.done) controller.close();
      else controller.enqueue(encoder.encode(part.value));
    },
    cancel() {
      timer?.clear();
      left?.();
      // Not awaited: a part may be waited for right now.
      void parts.return(undefined);
    },
  };
  // Room for a part beside the comment: the first one is asked for before somebody reads.
  const body = new ReadableStream(source, { highWaterMark: heartbeat > 0 ? 2 : 1 });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}

interface Timer {
  /** Starts the time anew. */
  refresh(): void;
  clear(): void;
}

/** Calls back after so many milliseconds. Node starts a timer anew for a fraction of the price of another one. */
function timerOf(milliseconds: number, call: () => void): Timer {
  let timer: unknown = setTimeout(call, milliseconds);
  const clear = () => clearTimeout(timer as ReturnType<typeof setTimeout>);
  const refresh = () => {
    const own = timer as { refresh?: () => void };
    if (own.refresh) return own.refresh();
    clear();
    timer = setTimeout(call, milliseconds);
  };
  return { refresh, clear };
}

/** Resolves with the value if it comes within so many milliseconds, else with undefined. */
export function sooner<T>(coming: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    coming.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Asks `authenticate`. Returns its answer, or else the user, if it names one. Throws for a request that it refuses.
 */
async function asked(
  authenticate: HandlerOptions["authenticate"],
  request: Request,
): Promise<Response | Asker | undefined> {
  if (!authenticate) return undefined;
  let answer: unknown;
  try {
    answer = await authenticate(request);
  } catch (error) {
    if (error instanceof Response) return error;
    throw uncheckable(error);
  }
  if (answer instanceof Response) return answer;
  if (answer === true) return undefined;
  const { identity } = (answer ?? {}) as { identity?: unknown };
  if (typeof identity !== "string" || identity === "") throw new Refusal(401, "Authentication required.");
  return { identity, request };
}

/** A saver may lack a method, such as a list of threads. */
function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  return error instanceof ThreadfoldError && error.code === "UNSUPPORTED" ? 501 : 500;
}

/** Returns the message for the caller: a refusal's or threadfold's own. Any other error goes only to the server's log. */
function told(error: unknown): string {
  if (error instanceof Refusal || error instanceof ThreadfoldError) return error.message;
  console.error(error);
  return "The server failed. Its log says why.";
}

/**
 * Wraps a handler: who may not ask is refused, what it throws becomes an answer, pages of other origins are let in,
 * their questions answered.
 */
export function answering(
  { cors, authenticate }: HandlerOptions,
  shape: (message: string) => object,
  handle: (request: Request, asker: Asker | undefined) => Promise<Response>,
): FetchHandler {
  return async (request) => {
    const allowed = corsHeaders(cors, request);
    if (request.method === "OPTIONS") {
      // "*" would not let in an Authorization.
      const asked = request.headers.get("access-control-request-headers") ?? "*";
      const headers = cors ? { ...allowed, "access-control-allow-headers": asked } : allowed;
      return new Response(null, { status: 204, headers });
    }
    let response: Response;
    try {
      checkOrigin(request, cors);
      const asker = await asked(authenticate, request);
      response = asker instanceof Response ? asker : await handle(request, asker);
    } catch (error) {
      response = error instanceof Response ? error : json(JSON.stringify(shape(told(error))), statusOf(error));
    }
    if (!cors) return response;
    // A copy: the headers of what others made may not be changed.
    const shown = new Response(response.body, response);
    for (const [name, value] of Object.entries(allowed))
      if (name === "vary") shown.headers.append(name, value);
      else shown.headers.set(name, value);
    return shown;
  };
}
