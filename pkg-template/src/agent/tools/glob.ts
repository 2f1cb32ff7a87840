// Which paths a pattern like `src/**/*.{ts,tsx}` names. A model writes it: no pattern may take long.

/** As many patterns `{a,b}` may make of one: as wcmatch has it, which deepagents asks. */
const MOST = 1000;
const LONGEST = 10_000;
/** The characters of these patterns together. */
const LONGEST_ALL = 100_000;

/**
 * Reads a pattern, like ripgrep's `--glob`. A pattern without a slash names files in any folder; `**` stands for any
 * number of folders. Only a pattern that begins with a dot finds names that do. Returns an error for a pattern that
 * leaves its folder or is longer than 10,000 characters. The same holds if it expands to more than a thousand patterns,
 * or to more than 100,000 characters.
 */
export function globOf(pattern: string): ((path: string) => boolean) | string {
  if (pattern.split("\\").join("/").split("/").includes(".."))
    return `Path traversal not allowed in glob pattern '${pattern}'`;
  const bare = pattern.replace(/^\/+/, "");
  if (bare.length > LONGEST) return `Pattern limit exceeded: the glob pattern has more than ${LONGEST} characters.`;
  const expanded = alternatives(bare);
  if (typeof expanded === "string") return `Pattern limit exceeded: the glob pattern ${expanded}.`;
  const all = expanded.map((one) => one.split("/").map(segmentOf));
  const isAnchored = pattern.includes("/");
  return (path) => {
    const parts = isAnchored ? path.split("/") : [path.slice(path.lastIndexOf("/") + 1)];
    return all.some((segments) => isMatch(segments, parts));
  };
}

const TOO_MANY = `stands for more than ${MOST} patterns`;
const TOO_LONG = `stands for more than ${LONGEST_ALL} characters`;

/** A pattern for each choice of `{a,b}`, braces within braces too; or how they exceed a limit. */
function alternatives(pattern: string): string[] | string {
  const pieces = pattern.match(/[{},]|[^{},]+/g) ?? [];
  const choices = choicesIn(pieces);
  /** For each open brace: the complete choices, and the one being read. */
  const open: { done: string[]; current: string[] }[] = [{ done: [], current: [""] }];
  for (const [at, piece] of pieces.entries()) {
    const top = open.at(-1) as (typeof open)[number];
    if (!choices.has(at)) {
      if (lengthOf(top.current) + top.current.length * piece.length > LONGEST_ALL) return TOO_LONG;
      top.current = top.current.map((text) => text + piece);
    } else if (piece === "{") open.push({ done: [], current: [""] });
    else if (piece === ",") {
      top.done.push(...top.current);
      top.current = [""];
    } else {
      open.pop();
      const all = [...top.done, ...top.current];
      const before = open.at(-1) as typeof top;
      if (before.current.length * all.length > MOST) return TOO_MANY;
      if (lengthOf(before.current) * all.length + lengthOf(all) * before.current.length > LONGEST_ALL) return TOO_LONG;
      before.current = before.current.flatMap((text) => all.map((choice) => text + choice));
    }
    if (top.done.length > MOST) return TOO_MANY;
  }
  return open[0]?.current ?? [];
}

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

/** The places of the braces that have a comma, and of their commas: others stand for themselves. */
function choicesIn(pieces: readonly string[]): Set<number> {
  const found = new Set<number>();
  const open: { at: number; commas: number[] }[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (piece === "{") open.push({ at, commas: [] });
    else if (piece === ",") open.at(-1)?.commas.push(at);
    else if (piece === "}") {
      const closed = open.pop();
      if (closed && closed.commas.length > 0) for (const place of [closed.at, ...closed.commas, at]) found.add(place);
    }
  }
  return found;
}

/** One segment of a path: `**` for any number of folders, else the characters, and `*` for any of them. */
type Segment = "**" | { readonly mayBeHidden: boolean; readonly tokens: readonly Token[] };
type Token = "*" | ((character: string) => boolean);

function segmentOf(name: string): Segment {
  if (name === "**") return name;
  // No bracket after the last `]` is closed: to look for its end would take the square of the time.
  const end = name.lastIndexOf("]") + 1;
  const pieces = [
    ...name.slice(0, end).matchAll(/\*+|\[(?:!|\^)?\]?[^\]/]*\]|./gsu),
    ...name.slice(end).matchAll(/\*+|./gsu),
  ];
  const tokens = pieces.map(([piece]) => tokenOf(piece));
  return { mayBeHidden: !/^[*?[]/.test(name), tokens };
}

function tokenOf(piece: string): Token {
  if (piece.startsWith("*")) return "*";
  if (piece === "?") return () => true;
  if (piece.length < 3 || !piece.startsWith("[")) return (character) => character === piece;
  try {
    const set = piece
      .slice(1, -1)
      .replace(/^[!^]/, "^")
      .replace(/[\\[\]]/g, "\\$&");
    const expression = new RegExp(`^[${set}]$`, "su");
    return (character) => expression.test(character);
  } catch {
    return () => false; // [z-a] is no set.
  }
}

/** Follows at once all places of the path that the segments so far may have come to. */
function isMatch(segments: readonly Segment[], parts: readonly string[]): boolean {
  let places = parts.map((_, at) => at === 0).concat(parts.length === 0);
  for (const [at, segment] of segments.entries()) {
    if (segment === "**") {
      places = anyFolders(places, parts);
      if (at < segments.length - 1) continue;
    }
    places = [false, ...parts.map((part, at) => (places[at] as boolean) && isName(part, segment))];
  }
  return places[parts.length] as boolean;
}

/** None whose name begins with a dot. */
function anyFolders(places: readonly boolean[], parts: readonly string[]): boolean[] {
  const next = [...places];
  for (const [at, part] of parts.entries()) next[at + 1] ||= (next[at] as boolean) && isShown(part);
  return next;
}

const isShown = (name: string) => name !== "" && !name.startsWith(".");

/** Goes back to the last star only: an earlier one need not take more than it has. */
function isName(name: string, segment: Segment): boolean {
  if (segment === "**") return isShown(name);
  const { mayBeHidden, tokens } = segment;
  if (!mayBeHidden && !isShown(name)) return false;
  const characters = [...name];
  let [at, token] = [0, 0];
  let star: { at: number; token: number } | undefined;
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted === "*") star = { at, token: token++ };
    else if (wanted?.(characters[at] as string)) [at, token] = [at + 1, token + 1];
    else if (star) [at, token] = [++star.at, star.token + 1];
    else return false;
  }
  while (tokens[token] === "*") token++;
  return token === tokens.length;
}
