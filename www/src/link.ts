// The contents of the "try it" panel, as the address's hash.
import { FUNCTIONS, type Try } from "./tries";

const PREFIX = "#try=";

export function writeLink(shown: Try): void {
  const bytes = new TextEncoder().encode(JSON.stringify([shown.name, shown.option ?? "", ...shown.args]));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const hash = PREFIX + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  history.replaceState(history.state, "", hash);
}

/** Returns the request in the address; undefined if there is none, or it cannot be read. */
export function readLink(): Try | undefined {
  if (!location.hash.startsWith(PREFIX)) return undefined;
  try {
    const text = atob(location.hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const parts: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === "string")) return undefined;
    const [name = "", option = "", ...args] = parts;
    return Object.hasOwn(FUNCTIONS, name) ? { name, option, args } : undefined;
  } catch {
    return undefined;
  }
}
