// Estimates messages, and of one that has grown at its end only what is new.
import { scanMessage } from "./estimate-message.js";
import { scanTokens, type TokenScan } from "./estimate.js";

type Fields = Readonly<Record<string, unknown>>;

/** Makes a counter that keeps the estimate of each message, and where the last one stopped. */
export function growing(): (message: object) => number {
  const counts = new WeakMap<object, number>();
  let last: { readonly message: Fields; readonly scan: TokenScan } | undefined;
  return (message) => {
    // A message may be a text.
    const isObject = typeof message === "object" && message !== null;
    const known = isObject ? counts.get(message) : undefined;
    if (known !== undefined) return known;
    const more = last && isObject ? added(last.message, message as Fields) : undefined;
    let scan: TokenScan;
    if (last && more !== undefined) {
      const { sum, state } = scanTokens(more, last.scan.state);
      scan = { sum: last.scan.sum + sum, state };
    } else {
      scan = scanMessage(message as never);
    }
    const tokens = Math.ceil(scan.sum / 100);
    if (isObject) {
      counts.set(message, tokens);
      last = { message: message as Fields, scan };
    }
    return tokens;
  };
}

/** The text that a message has behind that of another, if all else of the two is the same. */
function added(before: Fields, message: Fields): string | undefined {
  const [old, text] = [before["content"], message["content"]];
  // Not `startsWith`, which takes V8 fifty times as long.
  if (typeof old !== "string" || typeof text !== "string" || text.slice(0, old.length) !== old) return undefined;
  const keys = Object.keys(message);
  if (keys.length !== Object.keys(before).length || Object.getPrototypeOf(message) !== Object.getPrototypeOf(before))
    return undefined;
  return keys.every((key) => key === "content" || message[key] === before[key]) ? text.slice(old.length) : undefined;
}
