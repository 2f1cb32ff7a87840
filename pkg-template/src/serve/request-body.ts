// A request's body as JSON: no larger and no deeper than the server takes.
import { ThreadfoldError } from "../shared/errors.js";
import { Refusal } from "./refusal.js";

/** How much of a request's body a server takes. */
export interface BodyLimits {
  /**
   * The most bytes of a request's body. The server stops reading at the first byte beyond, and answers 413. Default
   * 10,485,760 (10 MiB).
   */
  maxBodyBytes?: number | undefined;
  /**
   * The most lists and objects within one another in a request's body, or in JSON that a text of it holds. A deeper
   * body is answered by 400. Default 200.
   */
  maxDepth?: number | undefined;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_DEPTH = 200;

/**
 * Reads a request's JSON; an empty body is `{}`.
 *
 * @throws {@link Refusal} 413 for a body that is too large, 400 for one that is too deep or not JSON.
 */
export async function bodyOf(request: Request, { maxBodyBytes, maxDepth = MAX_DEPTH }: BodyLimits): Promise<unknown> {
  const text = await textOf(request, maxBodyBytes ?? MAX_BODY_BYTES);
  if (text.trim() === "") return {};
  // Checked before parsing: deep values break recursive code.
  if (isDeeper(text, maxDepth)) throw tooDeep(maxDepth);
  const body = parsed(text);
  if (body === undefined) throw new Refusal(400, "The body is not JSON.");
  if (holdsDeeperText(body.value, maxDepth)) throw tooDeep(maxDepth);
  return body.value;
}

async function textOf(request: Request, most: number): Promise<string> {
  if (request.bodyUsed)
    throw new ThreadfoldError(
      "INVALID_STATE",
      "The request's body was read before the handler got it. In authenticate, read request.clone() instead.",
    );
  const { body, headers } = request;
  if (Number(headers.get("content-length")) > most) throw tooLarge(most);
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let count = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    count += part.value.byteLength;
    if (count > most) {
      void reader?.cancel().catch(() => {});
      throw tooLarge(most);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

const tooLarge = (most: number) => new Refusal(413, `The body has more than ${most} bytes.`);
const tooDeep = (most: number) => new Refusal(400, `The body is nested more than ${most} deep.`);

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether brackets outside of strings are within one another more often than `most`. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (OPENING.has(code)) {
      if (++depth > most) return true;
    } else if (CLOSING.has(code)) depth--;
  }
  return false;
}

/** Whether a text in a value is JSON that is too deep: arguments of calls and answers come so, and are parsed. */
function holdsDeeperText(value: unknown, most: number): boolean {
  const left = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) left.push(inner);
    else if (typeof one === "string" && /^\s*[[{]/.test(one) && isDeeper(one, most) && parsed(one)) return true;
  }
  return false;
}
