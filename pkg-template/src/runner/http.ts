import { refusal } from "../stream/response.js";
import type { HttpOptions } from "./runner-types.js";

/** Sends a request with the options' headers and these. Returns the response; throws an error with its HTTP status. */
export async function request(
  { headers, credentials, fetch = globalThis.fetch }: HttpOptions,
  url: string | URL,
  own: Record<string, string>,
  init: RequestInit,
): Promise<Response> {
  const all = new Headers(typeof headers === "function" ? await headers() : headers);
  for (const [name, value] of Object.entries(own)) all.set(name, value);
  const response = await fetch(url, { ...init, headers: all, ...(credentials && { credentials }) });
  if (response.ok) return response;
  throw await refusal(response);
}

/** Whether the server would answer the same on every retry. */
export function isFinal(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

/** Waits this many milliseconds, or until the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : milliseconds);
    signal.addEventListener("abort", end);
  });
}
