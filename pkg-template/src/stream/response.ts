// A server's answer: a stream of events, or the error BAD_RESPONSE.
import { ThreadfoldError } from "../shared/errors.js";
import type { Wait } from "../shared/abort.js";
import { BROKEN } from "../shared/run-error.js";
import { connectionError } from "./connection.js";

export function isResponse(source: object): source is Response {
  return "body" in source && "headers" in source && "status" in source;
}

/** How much of an answer its error quotes: enough to recognise it. */
const QUOTED = 500;

/**
 * Makes the error of an answer that is not a stream of events: `BAD_RESPONSE`, with its HTTP status and the beginning of
 * its body.
 */
function badResponse({ ok, status, statusText, headers, body }: Response, said: string): ThreadfoldError {
  const what = body ? headers.get("content-type") : "no body";
  const instead = ok ? ` with ${what}, not with text/event-stream` : "";
  const sentence = `The server answered ${`${status} ${statusText}`.trim()}${instead}`;
  return new ThreadfoldError("BAD_RESPONSE", said === "" ? `${sentence}.` : `${sentence}: ${wordsOf(said)}`, {
    status,
  });
}

/** The sentence in a body of JSON, under one of the names that servers give it; any other body as it is. */
function wordsOf(said: string): string {
  try {
    const { detail, message, error } = JSON.parse(said) as Record<string, unknown>;
    const words = [detail, message, error, (error as { message?: unknown } | undefined)?.message];
    return words.find((one): one is string => typeof one === "string" && one !== "") ?? said;
  } catch {
    return said;
  }
}

/** How many milliseconds to wait for the rest of it: its body may never end. */
const PATIENCE = 1_000;

/** Reads why a server refused a request. Returns the error. */
export async function refusal(response: Response): Promise<ThreadfoldError> {
  const reader = response.body?.getReader?.();
  // React Native's responses have no body.
  const said = reader ? await beginning(reader) : await response.text().catch(() => "");
  return badResponse(response, said.slice(0, QUOTED));
}

/** Opens the body of a response. `check` throws if it is not a stream of events. */
export function bodyOf(response: Response) {
  const { body, bodyUsed, headers, ok } = response;
  if (bodyUsed || body?.locked)
    throw new ThreadfoldError("INVALID_ARGUMENT", "The response's body has been read already.");
  const reader = body?.getReader();
  return {
    async check(wait: Wait): Promise<void> {
      const type = headers.get("content-type") ?? "";
      if (ok && reader && (type === "" || /^text\/event-stream\b/i.test(type))) return;
      throw badResponse(response, reader ? await wait.for(beginning(reader)) : "");
    },
    next: async () => {
      try {
        return reader ? await reader.read() : { done: true };
      } catch (error) {
        throw connectionError(error, BROKEN);
      }
    },
    close: () => reader?.cancel(),
  };
}

/** Reads the beginning of a body, and closes it. */
async function beginning(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const close = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(close, PATIENCE);
  let text = "";
  try {
    while (text.length < QUOTED) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The beginning is enough.
  }
  clearTimeout(timer);
  close();
  return text.slice(0, QUOTED);
}
