// The examples that users read: every fenced block of ts, tsx or js in the package's doc comments, in
// the README and in docs/.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));

export type Language = "ts" | "tsx" | "js";

export interface Block {
  /** `README.md:12`: the file and the line of the fence. */
  name: string;
  language: Language;
  code: string;
}

const FENCE = /^```(ts|tsx|js)$/;
const source = join(root, "pkg-template", "src");

/** The package's modules that users can read. */
export function sources(): string[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  return files
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => join(source, path));
}

/** The README, and the pages of docs/. */
export const documents = (): string[] => [
  join(root, "README.md"),
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, "docs", name)),
];

/** The lines of a module that are in doc comments, without the star before each; all others empty. */
function commented(text: string): string[] {
  let inside = false;
  return text.split("\n").map((line) => {
    if (/^\s*\/\*\*/.test(line)) inside = true;
    const comment = inside ? line.replace(/^\s*(\/\*\*|\*\/|\*) ?/, "") : "";
    if (line.includes("*/")) inside = false;
    return comment;
  });
}

/** The blocks of one file, in order. */
export function blocksOf(path: string): Block[] {
  const text = readFileSync(path, "utf8");
  const lines = path.endsWith(".md") ? text.split("\n") : commented(text);
  const blocks: Block[] = [];
  for (const [at, line] of lines.entries()) {
    const language = FENCE.exec(line)?.[1];
    if (!language) continue;
    const end = lines.indexOf("```", at + 1);
    const code = lines.slice(at + 1, end).join("\n");
    blocks.push({ name: `${relative(root, path)}:${at + 1}`, language: language as Language, code });
  }
  return blocks;
}

/** Why a block can only be type-checked; undefined for one that runs in Node as it is. */
export function outside({ code, language }: Block): string | undefined {
  if (language === "tsx" || /from "(react|react-dom|threadfold\/react)\b/.test(code)) return "it needs React";
  if (/\b(document|window)\./.test(code)) return "it needs a page";
  if (/\bhttps?:\/\//.test(code)) return "it needs a server";
  if (/^declare /m.test(code)) return "it needs what it only declares";
  return undefined;
}
