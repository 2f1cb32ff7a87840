// The lines of a long text that stay in the context. src/context/offload/preview.rs is the same in Rust.
import { firstChars } from "./edited.js";

/** Lines from the start, and from the end. */
const LINES = 5;
/** The most characters of a line. */
const LONGEST = 1000;

/** The ends of lines, as Python's `splitlines` has them. */
// oxlint-disable-next-line no-control-regex -- These are what they are.
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** Returns a sentence about the preview, and the preview: the numbered first and last lines of a text. */
export function preview(text: string, subject: string): string {
  const lines = text.split(LINE_END);
  if (lines.at(-1) === "") lines.pop();
  const omitted = lines.length - 2 * LINES;
  const [head, tail] = omitted > 0 ? [lines.slice(0, LINES), lines.slice(-LINES)] : [lines, []];
  const caveats = [
    omitted > 0 &&
      "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content",
    [...head, ...tail].some((line) => firstChars(line, LONGEST) !== line) &&
      `the output contains lines longer than ${LONGEST} characters; this preview shows only their first ${LONGEST} characters`,
  ].filter(Boolean);
  const what = omitted > 0 ? " showing the head and tail" : "";
  const about = caveats.length > 0 ? ` (${caveats.join("; ")})` : "";
  const middle =
    omitted > 0 ? `\n... [${omitted} lines truncated] ...\n${numbered(tail, lines.length - LINES + 1)}` : "";
  return `Here is a preview${what} of the ${subject}${about}:\n\n${numbered(head, 1)}${middle}`;
}

function numbered(lines: readonly string[], first: number): string {
  const width = String(first + lines.length - 1).length;
  return lines.map((line, at) => `${String(first + at).padStart(width)}  ${firstChars(line, LONGEST)}`).join("\n");
}
