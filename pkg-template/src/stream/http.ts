import { ThreadfoldError } from "../shared/errors.js";
import type { NamesOf } from "../shared/options.js";
import { LONGEST_TIMER } from "../shared/timer.js";
import { connectionError, UNREACHABLE } from "./connection.js";
import { refusal } from "./response.js";

/** The argument of `new Headers(…)`, with or without the types of the DOM. */
export type RequestHeaders = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** How a runner sends requests. */
export interface HttpOptions {
  /** Sent with every request. A function is called before each. */
  headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined;
  credentials?: "include" | "omit" | "same-origin" | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

const NAMES: NamesOf<HttpOptions> = { headers: true, credentials: true, fetch: true };

export const HTTP_OPTIONS: readonly string[] = Object.keys(NAMES);

/**
 * Sends a request with the options' headers and these. Returns the response; throws an error with its HTTP status, or
 * `NO_CONNECTION`.
 */
export async function request(
  { headers, credentials, fetch = globalThis.fetch }: HttpOptions,
  url: string | URL,
  own: Record<string, string>,
  init: RequestInit,
): Promise<Response> {
  const all = new Headers((typeof headers === "function" ? await headers() : headers) as HeadersInit | undefined);
  for (const [name, value] of Object.entries(own)) all.set(name, value);
  const response = await answerOf(fetch, url, { ...init, headers: all, ...(credentials && { credentials }) });
  if (response.ok) return response;
  throw await refusal(response);
}

/** Adds a path to an address, before its query. The path may have a query, too. A hash is dropped. */
export function under(address: string | URL, path: string): string {
  const [, base = "", query = ""] = /^([^?#]*?)\/?(?:\?([^#]*))?(?:#.*)?$/s.exec(String(address)) ?? [];
  return base + path + (query && (path.includes("?") ? "&" : "?") + query);
}

/** Returns an id as a part of a path. A page may take a thread's id from its own address. */
export function segment(id = ""): string {
  if (id === "." || id === "..")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Invalid id of a thread or run: '${id}'. Use another one: it would change the address.`,
    );
  return encodeURIComponent(id);
}

/** Returns the header that joins a stream after this part. An `EventSource` also sends the bytes of UTF-8. */
export const after = (id: string): Record<string, string> => ({
  "last-event-id": Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join(""),
});

/** Calls `fetch`, which may be the user's own: whatever it throws, unless the runner aborted it, no answer came. */
async function answerOf(fetch: typeof globalThis.fetch, url: string | URL, init: RequestInit): Promise<Response> {
  let answer: unknown;
  try {
    answer = await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted || cause instanceof ThreadfoldError) throw cause;
    if (typeof globalThis.location === "undefined" && !URL.canParse(String(url)))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `Outside a page an address must be absolute: '${String(url)}' is not.`,
        {
          cause,
        },
      );
    throw new ThreadfoldError("NO_CONNECTION", UNREACHABLE, { cause });
  }
  if (typeof answer === "object" && answer !== null && "headers" in answer && "text" in answer)
    return answer as Response;
  throw new ThreadfoldError("BAD_RESPONSE", "The option fetch should return a promise of a Response.");
}

/** Waits for an answer; throws `NO_CONNECTION` if none comes. */
export async function reached<T>(answer: PromiseLike<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw connectionError(error, UNREACHABLE);
  }
}

/** Reads a response's JSON; throws `BAD_RESPONSE` for anything else. */
export async function jsonOf(response: Response): Promise<unknown> {
  const said = await reached(response.text());
  try {
    return JSON.parse(said);
  } catch (cause) {
    const { status, headers } = response;
    const sentence = `The server answered ${status} with ${headers.get("content-type")}, not with JSON: ${said.slice(0, 500)}`;
    throw new ThreadfoldError("BAD_RESPONSE", sentence, { status, cause });
  }
}

/** The HTTP status of an error, if it has one. */
export const httpStatusOf = (error: unknown): unknown => ((error ?? {}) as { status?: unknown }).status;

/** Whether the server asks who this is, as when a token has expired. */
export const isNotLetIn = (error: unknown): boolean => [401, 403].includes(httpStatusOf(error) as number);

/** Whether the server does not know the requested thread or run. */
export const isGone = (error: unknown): boolean => [404, 410].includes(httpStatusOf(error) as number);

/** Whether a run failed though its server did not say so: it may have begun it, and ended it well. */
export function isLost({ error }: { readonly error?: unknown }): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return (
    code === "NO_CONNECTION" ||
    (code === "BAD_RESPONSE" && [undefined, 502, 504].includes(httpStatusOf(error) as undefined))
  );
}

/** Whether the server would answer the same on every retry. */
export function isFinal(error: unknown): boolean {
  const status = httpStatusOf(error);
  return typeof status === "number" && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

/** Waits this many milliseconds, or until the signal aborts, or something is `back`: a page's network, say. */
export function pause(milliseconds: number, signal: AbortSignal, back?: Partial<EventTarget>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      back?.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : Math.min(milliseconds, LONGEST_TIMER));
    signal.addEventListener("abort", end);
    back?.addEventListener?.("online", end);
  });
}
