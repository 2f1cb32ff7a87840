// The front matter of a SKILL.md, by the rules of https://agentskills.io/specification as deepagents reads them.
import { isDict } from "../../shared/dict.js";
import { parse } from "yaml";

/** The part of a skill that the model sees before it reads the file. */
export interface Skill {
  /** The path of its `SKILL.md`. */
  readonly path: string;
  readonly name: string;
  /** Says what the skill does and when to use it: the first 1,024 characters. */
  readonly description: string;
  readonly license: string | null;
  /** The requirements: the first 500 characters. */
  readonly compatibility: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The tools that it recommends. */
  readonly allowedTools: readonly string[];
}

/** Characters, the front matter and the text after it. */
const MAX_FILE = 10 * 1024 * 1024;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/** Reads a `SKILL.md`; returns a sentence about one that is not a skill. */
export function readSkill(path: string, content: string): Skill | string {
  if (content.length > MAX_FILE) return `longer than ${MAX_FILE.toLocaleString("en")} characters`;
  const yaml = frontMatter(content);
  if (yaml === undefined) return "no YAML between two lines of ---";
  let fields: unknown;
  try {
    // Scalars are text, as they are written. A name such as `on` or `1.0` stays one.
    fields = parse(yaml, { schema: "failsafe", uniqueKeys: false, logLevel: "error" });
  } catch (error) {
    return `invalid YAML: ${(error as Error).message.split("\n")[0]}`;
  }
  if (!isDict(fields)) return "front matter that is not a mapping";
  const [name, description, license, compatibility] = ["name", "description", "license", "compatibility"].map((key) =>
    textOf(fields[key]).trim(),
  ) as [string, string, string, string];
  if (!name || !description) return "no `name` or no `description`";
  return {
    path,
    name,
    description: first(MAX_DESCRIPTION, description),
    license: license || null,
    compatibility: first(MAX_COMPATIBILITY, compatibility) || null,
    metadata: textsIn(fields["metadata"]),
    allowedTools: toolsIn(fields["allowed-tools"]),
  };
}

/** The text between a first line of `---` and the next one; undefined without them. */
function frontMatter(content: string): string | undefined {
  const [open] = /^---\s*\n/.exec(content) ?? [];
  if (open === undefined) return undefined;
  const isLine = /\s*\n/y;
  for (let at = content.indexOf("\n---", open.length); at >= 0; at = content.indexOf("\n---", at + 1)) {
    isLine.lastIndex = at + 4;
    if (isLine.test(content)) return content.slice(open.length, at).replace(/\r$/, "");
  }
  return undefined;
}

function toolsIn(value: unknown): string[] {
  const names = Array.isArray(value) ? value.filter((one) => typeof one === "string") : textOf(value).split(/[\s,]+/);
  return names.map((name) => name.trim()).filter(Boolean);
}

/** The entries of a mapping that are text. */
const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isDict(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );

/** A list or a mapping may be huge, by aliases of aliases, or contain itself: it is not written out. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The first so many characters: no half of one. */
const first = (length: number, text: string): string =>
  text.length > length
    ? Array.from(text.slice(0, 2 * length))
        .slice(0, length)
        .join("")
    : text;
