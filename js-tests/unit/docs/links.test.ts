// Every link of a document that is not to the web leads to a file, and to a heading of it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { FURTHER, KINDS } from "../../../docs/site/pages.mjs";
import { documents, root } from "../examples/blocks.js";

const examples = join(root, "examples");
const files = [
  ...documents(),
  ...["DESIGN.md", "CHANGELOG.md"].map((name) => join(root, name)),
  ...readdirSync(examples, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("README.md") && !path.includes("node_modules"))
    .map((path) => join(examples, path)),
];

/** The targets of a document's links, those in code left out. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```[^]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[^]*?^```/gm, "").match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(files.map((file) => relative(root, file)))("the links of %s", (name) => {
  const file = join(root, name);
  for (const target of linksOf(readFileSync(file, "utf8"))) {
    if (/^[a-z]+:/.test(target)) {
      expect(() => new URL(target), target).not.toThrow();
      continue;
    }
    const [path = "", anchor] = target.split("#");
    const destination = path === "" ? file : join(dirname(file), path);
    expect(existsSync(destination), `${name} links to ${target}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(readFileSync(destination, "utf8")), target).toContain(anchor);
  }
});

test("the documentation's site has every page and every entry", () => {
  const { entryPoints } = JSON.parse(readFileSync(join(root, "docs", "typedoc.json"), "utf8")) as {
    entryPoints: string[];
  };
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const placed = [...FURTHER, ...KINDS.flatMap(({ pages }) => pages)];
  expect(pages.filter((name) => !placed.includes(name))).toEqual([]);
  const entries = join(root, "pkg-template", "src", "entries");
  const modules = readdirSync(entries, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const missing = modules.filter((name) => !entryPoints.includes(`../pkg-template/src/entries/${name}`));
  expect(missing).toEqual([]);
});

test("the package has the targets of its pages' links", () => {
  const pkg = join(root, "pkg");
  const pages = ["README.md", "DESIGN.md", ...readdirSync(join(pkg, "docs")).map((name) => join("docs", name))];
  const missing = pages.flatMap((page) =>
    linksOf(readFileSync(join(pkg, page), "utf8"))
      // The picture is left out of the tarball, which it would make larger by a fifth.
      .filter((target) => !/^([a-z]+:|#)|\.webp$/.test(target))
      .map((target) => join(pkg, dirname(page), target.replace(/#.*/, "")))
      .filter((target) => !existsSync(target)),
  );
  expect(pages.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

test("a link in code does not count, and a heading has the anchor that it has on GitHub", () => {
  expect(linksOf("[a](b.md#c) `[d](e)`\n```md\n[f](g)\n```\n")).toEqual(["b.md#c"]);
  expect(anchorsOf("# The `values` of langgraph.js, a Test!\n```sh\n# no heading\n```\n")).toEqual([
    "the-values-of-langgraphjs-a-test",
  ]);
});
