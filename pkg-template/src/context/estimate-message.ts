// Estimates the tokens of a message. src/context/estimate_message.rs is the same in Rust.
import type { MessageLike } from "../state/messages.js";
import { scanTokens, type TokenScan } from "./estimate.js";
import { answeredId, callsOf, type CallParts, readParts } from "./message-parts.js";
import { checkOptions } from "../shared/options.js";
import { optionsOf, reading, wrong } from "./options.js";
import { isDict } from "../shared/dict.js";
import { jsonText } from "./python-text.js";

/** How a message's tokens are estimated. */
export interface EstimateOptions {
  /** The cost of an image or other media: 85, OpenAI's price of an image in low resolution. */
  readonly tokensPerImage?: number | undefined;
}

/** The fixed cost of a message, and of a tool call: the marks around it and its role. In hundredths. */
const OVERHEAD = 400;
const PER_IMAGE = 85;

const MEDIA = new Set([
  "image",
  "image_url",
  "input_image",
  "audio",
  "input_audio",
  "video",
  "file",
  "input_file",
  "document",
  "media",
]);
/** The blocks that say a tool call once more. */
const CALLS = new Set(["tool_use", "tool_call", "function_call"]);

/**
 * Scans a message, for an estimate that is kept while it is streamed: `sum` is the whole message in hundredths of a
 * token, `state` is where its text stops. Text that is appended to it adds `scanTokens(text, state)`.
 *
 * @throws {@link ThreadfoldError} The errors of {@link estimateMessageTokens}.
 *
 * @example
 * ```ts
 * import { scanMessage, scanTokens } from "threadfold/context";
 *
 * const start = scanMessage({ type: "ai", content: "Hel" });
 * const more = scanTokens("lo", start.state);
 * console.log(start.sum + more.sum === scanMessage({ type: "ai", content: "Hello" }).sum); // true
 * ```
 */
export function scanMessage(message: MessageLike, options?: EstimateOptions): TokenScan {
  return scan("scanMessage", message, options);
}

function scan(call: string, message: MessageLike, options: EstimateOptions | undefined): TokenScan {
  return reading(() => {
    const perImage = options === undefined ? PER_IMAGE : imageOf(call, options);
    const parts = readParts(message);
    if (!parts) return { sum: 0, state: 0 };
    const { kind, content, fields } = parts;
    const calls = callsOf(parts);
    const { sum, state } = scanContent(content, perImage, calls.length > 0);
    const name = typeof fields["name"] === "string" ? fields["name"] : "";
    const answered = kind === "tool" ? answeredId(parts) : "";
    const rest = OVERHEAD + scanTokens(name).sum + scanTokens(answered).sum;
    return { sum: calls.reduce((all, call) => all + callSum(call), sum + rest), state };
  });
}

/**
 * Estimates the tokens of a message, like {@link estimateTokens} for a text. It counts the text, the tool calls with
 * their arguments as JSON, the id of the call that it answers, and its name. It adds 4 for the message itself and for
 * each call. All media cost the same, whatever their size; other blocks count as JSON. AG-UI's activities and reasoning
 * are not sent to a model and cost nothing.
 *
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for a value that is not a message for a model; `INVALID_ARGUMENT`,
 *   `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { estimateMessageTokens } from "threadfold/context";
 *
 * console.log(estimateMessageTokens({ type: "human", content: "What is 6 × 7?" })); // 12
 * console.log(estimateMessageTokens({ role: "assistant", content: "42" })); // 6
 * ```
 */
export function estimateMessageTokens(message: MessageLike, options?: EstimateOptions): number {
  return Math.ceil(scan("estimateMessageTokens", message, options).sum / 100);
}

function imageOf(call: string, options: EstimateOptions): number {
  const { tokensPerImage = PER_IMAGE } = optionsOf(options);
  checkOptions(call, optionsOf(options), ["tokensPerImage"]);
  if (!Number.isFinite(tokensPerImage)) throw wrong("tokensPerImage", "a number");
  return tokensPerImage;
}

function scanContent(content: unknown, perImage: number, called: boolean): TokenScan {
  if (!Array.isArray(content)) return scanTokens(typeof content === "string" ? content : jsonText(content));
  let sum = 0;
  let state = 0;
  for (const block of content as unknown[]) {
    const type = isDict(block) ? block["type"] : undefined;
    const text = isDict(block) && type === "text" ? block["text"] : block;
    if (typeof text === "string") {
      const scan = scanTokens(text);
      sum += scan.sum;
      state = scan.state;
    } else {
      state = 0;
      if (MEDIA.has(type as string)) sum += perImage * 100;
      else if (!called || !CALLS.has(type as string)) sum += scanTokens(jsonText(block)).sum;
    }
  }
  return { sum, state };
}

function callSum({ name, args }: CallParts): number {
  return OVERHEAD + scanTokens(name).sum + scanTokens(typeof args === "string" ? args : jsonText(args)).sum;
}
