// The arguments of a tool call while they stream.
import { isObject } from "../state";

/** As much of a JSON object as has come; empty before there is any. */
export function readArguments(text: string): Record<string, unknown> {
  for (const end of [text.length, lastValueEnd(text)]) {
    try {
      const value: unknown = JSON.parse(closed(text.slice(0, end)));
      return isObject(value) ? value : {};
    } catch {
      // A key without its value, or half a number: only the text before it counts.
    }
  }
  return {};
}

/** The text with its open strings, lists and objects closed. */
function closed(text: string): string {
  const { open, inString } = scan(text);
  return `${text}${inString ? '"' : ""}${open.reduceRight((all, end) => all + end, "")}`;
}

const lastValueEnd = (text: string) => scan(text).comma;

function scan(text: string): { open: string[]; inString: boolean; comma: number } {
  const open: string[] = [];
  let inString = false;
  let comma = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      comma = at + 1;
    } else if (char === "}" || char === "]") open.pop();
    else if (char === ",") comma = at;
  }
  return { open, inString, comma };
}
