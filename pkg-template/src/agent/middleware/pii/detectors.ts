// Finds e-mail addresses, card numbers, IP and MAC addresses and URLs: the rules are those of Python's langchain.

/** A text that a detector found. */
export interface PiiMatch {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Finds texts. Of two that overlap, the one that begins first counts. */
export type PiiDetector = (text: string) => readonly PiiMatch[];

// Python's letters of a word are not only ASCII's, nor are its spaces.
const WORD = "[\\p{L}\\p{N}_]";
const EDGE = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
const SPACE = "\\s\\x1c-\\x1f\\x85";

/** A detector of what a pattern matches and a check accepts. */
export function matching(pattern: RegExp, isOne: (value: string) => boolean = () => true): PiiDetector {
  const { source, flags } = pattern;
  const all = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  return (text) => [...text.matchAll(all)].filter(([value]) => value !== "" && isOne(value)).map(matchOf);
}

const matchOf = ({ 0: value, index }: RegExpExecArray): PiiMatch => ({
  value,
  start: index,
  end: index + value.length,
});

const unicode = (pattern: string, flags = "gu") => new RegExp(pattern, flags);

const LOCAL = /[A-Za-z0-9._%+-]+/g;
const FIRST_EDGE = unicode(EDGE);
const DOMAIN = unicode(`@[A-Za-z0-9.-]+\\.[A-Z|a-z]{2,}${EDGE}`, "uy");

/** The first edge of a word in a run of characters. The character before the run may be two units long. */
function firstEdge(text: string, from: number, to: number): number | undefined {
  const start = Math.max(0, from - 2);
  FIRST_EDGE.lastIndex = from - start;
  const edge = FIRST_EDGE.exec(text.slice(start, to))?.index;
  return edge !== undefined && start + edge < to ? start + edge : undefined;
}

/** Looks at each run of the characters of a name once: one pattern for all would read a long run from each of its edges. */
function emails(text: string): PiiMatch[] {
  const found: PiiMatch[] = [];
  LOCAL.lastIndex = 0;
  for (let run = LOCAL.exec(text); run; run = LOCAL.exec(text)) {
    const at = run.index + run[0].length;
    DOMAIN.lastIndex = at;
    const start = text[at] === "@" ? firstEdge(text, run.index, at) : undefined;
    const domain = start !== undefined ? DOMAIN.exec(text) : null;
    if (start === undefined || !domain) continue;
    const end = at + domain[0].length;
    found.push({ value: text.slice(start, end), start, end });
    LOCAL.lastIndex = end;
  }
  return found;
}

/** Luhn's checksum. */
function isCard(value: string): boolean {
  const digits = value.replace(/\D/g, "");
  let sum = 0;
  for (let at = 1; at <= digits.length; at++) {
    const digit = Number(digits.at(-at));
    const weighed = at % 2 === 0 ? 2 * digit : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

const isIp = (value: string) => value.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part);

const withScheme = matching(unicode(`https?://[^${SPACE}<>"{}|\\\\^\`\\[\\]]+`), (url) =>
  /^https?:\/\/[^/?#]/.test(url),
);
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const bare = matching(unicode(`${EDGE}(?:www\\.)?${LABEL}(?:\\.${LABEL})+(?:/[^${SPACE}]*)?`));

function urls(text: string): PiiMatch[] {
  const whole = withScheme(text);
  let [first, last] = [0, -1];
  const others = bare(text).filter(({ value, start, end }) => {
    while (first < whole.length && (whole[first] as PiiMatch).end <= start) first++;
    while (last + 1 < whole.length && (whole[last + 1] as PiiMatch).start < end) last++;
    const [before, after] = [whole[first], whole[last]];
    const isPart = (before && before.start <= start) || (after && end <= after.end);
    return !isPart && (value.includes("/") || value.startsWith("www."));
  });
  return [...whole, ...others];
}

const HEX = "[0-9A-Fa-f]{2}";

/** The detectors by the names of what they find. */
export const DETECTORS: Readonly<Record<string, PiiDetector>> = {
  email: emails,
  credit_card: matching(unicode(`${EDGE}\\d{4}(?:[${SPACE}-]?\\d{4}){3}${EDGE}`), isCard),
  ip: matching(unicode(`${EDGE}(?:[0-9]{1,3}\\.){3}[0-9]{1,3}${EDGE}`), isIp),
  mac_address: matching(unicode(`${EDGE}(?:${HEX}[:-]){5}${HEX}${EDGE}`)),
  url: urls,
};
