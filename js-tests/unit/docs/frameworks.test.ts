// The code in these pages is in the examples, which run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../examples/blocks.js";

const docs = join(root, "docs");
const [page = "", copilotKit = ""] = ["frameworks.md", "start-copilotkit.md"].map((name) =>
  readFileSync(join(docs, name), "utf8"),
);
const pages = page + copilotKit;

/**
 * Each block below a link to a file: the file's path, and the block. Blocks of `ts` run as tests; those of `mts` import
 * modules that only the examples have.
 */
const BLOCKS = [...pages.matchAll(/\]\(([^)]+\.\w+)\)[^]{0,60}?:\n\n```(mts|svelte|html)\n([^]*?)```/g)].map(
  ([, path = "", , code = ""]) => [path, code] as const,
);

/** Without indentation: a block may be a part of something. */
const lines = (code: string) =>
  code
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();

test("every block is below a link", () => {
  expect(BLOCKS).toHaveLength(pages.match(/^```(?!ts\n)\w/gm)?.length ?? 0);
});

test.each(BLOCKS)("%s", (path, code) => {
  expect(lines(readFileSync(join(docs, path), "utf8"))).toContain(lines(code));
});

test("the files of the import map are those of the package", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8")) as {
    exports: Record<string, { import: { default: string } }>;
  };
  const rows = [...page.matchAll(/`threadfold(\/[\w/-]+)?`\s(?:\| |\()`([\w-]+\.js)`/g)];
  expect(rows).toHaveLength(7);
  for (const [, entry = "", file] of rows) expect(exports[`.${entry}`]?.import.default).toBe(`./${file}`);
});
