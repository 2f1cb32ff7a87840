// Counts what the house style avoids in comments, documentation and messages. `language.json` has the count of each rule;
// lint fails where one rises. `node scripts/lint/language.mjs` prints the counts, `… RULE` the places of a rule,
// `… --write` lowers the recorded counts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Complaint, isMain, main, root } from "../process.mjs";

const RECORDED = join(root, "scripts", "lint", "language.json");
const MOST_WORDS = 25;

const count = (pattern) => (sentence) => sentence.match(pattern)?.length ?? 0;

/** Each rule returns how often a sentence breaks it. */
const RULES = {
  "opens with What or Who": (sentence) =>
    Number(/^(?:What|Whatever|Who|Whoever)\b/.test(sentence) && !sentence.endsWith("?")),
  "opens with Of": count(/^Of (?:an?|the|what|all|one|those|them|it)\b/),
  "is no": count(/(?<!\b[Tt]here )\b(?:is|are|was|were) no(?:ne)?\b(?! longer| more)/g),
  told: count(/\b(?:told|tells? (?!whether|apart)|telling)\b/g),
  said: count(/\b(?:said|hears?|heard)\b/g),
  take: count(/\b(?:takes?|took|taken|taking) (?:\w+ )?(?:along|note|back)\b/g),
  behind: count(/\bbehind\b/g),
  "of which": count(/\bof (?:which|whom|whose)\b/g),
  "more than 25 words": (sentence) =>
    Number(sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > MOST_WORDS),
};

/** Recorded answers and texts of others. */
const FOREIGN = /(^|\/)(CHANGELOG\.md|LICENSE|SECURITY\.md|language\.mjs)$|\/(fixtures|records|recorded|corpus)\//;

const CODE = /\.(?:ts|tsx|mjs|js|rs)$/;

/** A message that a user reads: a quoted sentence that begins with a capital letter. */
const MESSAGE = /(["`])([A-Z'][^"`\n]*? [^"`\n]*?[.!])\1/g;

/** The lines of scripted models and users, which are test data. */
const DIALOGUE = /^(?:You|They|The user) said\b|^I would rather not have said that/;

/** Returns the paragraphs of prose in a file, each with its first line's number. */
function paragraphs(path, text) {
  const found = [];
  let open;
  const add = (line, prose) => {
    if (!open) found.push((open = { line, text: "" }));
    open.text += ` ${prose}`;
  };
  let isFenced = false;
  text.split("\n").forEach((line, at) => {
    const isIndentedCode = !open && /^ {4}/.test(line);
    const prose = CODE.test(path) ? comment(line) : isIndentedCode ? undefined : line;
    if (/^\s*```/.test(prose ?? "")) {
      isFenced = !isFenced;
      open = undefined;
    } else if (prose === undefined || isFenced || /^\s*(?:$|[#|<]|@\w)/.test(prose)) open = undefined;
    else {
      const isTrailing = CODE.test(path) && !/^\s*[/*]/.test(line);
      if (isTrailing || /^\s*(?:[-*]|\d+\.) /.test(prose)) open = undefined;
      add(at + 1, prose.replace(/^\s*(?:[-*]|\d+\.) /, ""));
      if (isTrailing) open = undefined;
    }
    if (!CODE.test(path) || prose !== undefined) return;
    for (const [, , message] of line.matchAll(MESSAGE))
      if (!DIALOGUE.test(message)) found.push({ line: at + 1, text: message });
  });
  return found;
}

/** Returns the text of a line that is a comment, or of the comment at its end. */
function comment(line) {
  const [, whole] = /^\s*(?:\/\/[/!]?|\/\*\*?|\*(?=\s|$))\s?(.*?)(?:\s*\*\/)?$/.exec(line) ?? [];
  return whole ?? /\s\/\/ ([A-Z].*)$/.exec(line)?.[1];
}

/** Code in prose is one word; a link is its text. */
const plain = (text) =>
  text
    .replace(/`[^`]*`/g, "X")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\{@link [^}]*\}/g, "X")
    .replace(/[*_]{1,2}(\S[^*_]*)[*_]{1,2}/g, "$1");

const sentences = (text) =>
  plain(text)
    .trim()
    .split(/(?<=[.!?:;])\s+(?=[A-Z])|(?<=[.!?])\s+/);

/** Returns every breach as `{ rule, place, sentence, times }`. */
function breaches() {
  const files = ask("git", ["ls-files"]).split("\n");
  const read = files.filter((path) => (CODE.test(path) || path.endsWith(".md")) && !FOREIGN.test(path));
  return read.flatMap((path) =>
    paragraphs(path, readFileSync(join(root, path), "utf8")).flatMap(({ line, text }) =>
      sentences(text).flatMap((sentence) =>
        Object.entries(RULES).flatMap(([rule, times]) => {
          const n = times(sentence);
          return n > 0 ? [{ rule, place: `${path}:${line}`, sentence, times: n }] : [];
        }),
      ),
    ),
  );
}

const totals = (all) =>
  Object.fromEntries(
    Object.keys(RULES).map((rule) => [rule, all.reduce((sum, one) => sum + (one.rule === rule ? one.times : 0), 0)]),
  );

/** Throws a Complaint if a rule is broken more often than recorded. */
export function checkLanguage() {
  const recorded = JSON.parse(readFileSync(RECORDED, "utf8"));
  const now = totals(breaches());
  for (const [rule, n] of Object.entries(now)) {
    console.log(`  ${rule}: ${n} (recorded: ${recorded[rule]})`);
    if (n > (recorded[rule] ?? 0))
      throw new Complaint(
        `The house style's rule "${rule}" is broken ${n} times, recorded are ${recorded[rule]}: see \`node scripts/lint/language.mjs "${rule}"\`.`,
      );
  }
}

if (isMain(import.meta.url)) {
  await main(() => {
    const [wanted, folder = ""] = process.argv.slice(2);
    const all = breaches();
    if (wanted === "--write") writeFileSync(RECORDED, `${JSON.stringify(totals(all), undefined, 2)}\n`);
    for (const { rule, place, sentence } of all)
      if ((rule === wanted || wanted === "all") && place.startsWith(folder))
        console.log(`${place}  [${rule}] ${sentence}`);
    if (!wanted || wanted === "--write") console.log(totals(all));
  });
}
