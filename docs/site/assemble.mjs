// The site's pages, made of the project's Markdown: links lead to pages of the site, and to copies of other files.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import GithubSlugger from "github-slugger";
import { addressOf, FURTHER, KINDS } from "./pages.mjs";

const docs = fileURLToPath(new URL("..", import.meta.url));
export const source = join(docs, "site", "src");

/** A link in Markdown: its text, and where it leads. */
const LINK = /(\[(?:[^\][]|\[[^\]]*\])*\])\(([^)\s]+)\)/g;
const FENCE = /^(`{3,}).*?^\1 *$/gms;

const headingOf = (text, path) => /^# (.*)$/m.exec(text)?.[1] ?? path;
const plain = (markdown) => markdown.replace(LINK, (_, text) => text.slice(1, -1)).replace(/[`*]/g, "");

/** The names that a page's headings are linked by, as GitHub makes them. */
function anchorsIn(text) {
  const slugger = new GithubSlugger();
  return new Set(
    [...text.replace(FENCE, "").matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slugger.slug(plain(heading))),
  );
}

/** The Markdown files that are pages, by their paths from docs/. */
function pagesIn() {
  const examples = readdirSync(join(docs, "..", "examples")).map((name) => `../examples/${name}/README.md`);
  const theirs = examples.filter((path) => existsSync(join(docs, path)));
  return [...FURTHER, ...KINDS.flatMap(({ pages }) => pages), ...theirs.sort()];
}

/** Reads the pages. Throws if a link of theirs leads nowhere. */
export function read() {
  const pages = new Map(pagesIn().map((path) => [path, readFileSync(join(docs, path), "utf8")]));
  const missing = readdirSync(docs).filter((name) => name.endsWith(".md") && !pages.has(name));
  const wrong = missing.map((path) => `docs/${path} has no place in docs/site/pages.mjs.`);
  const files = new Set();
  const texts = new Map();
  for (const [path, text] of pages) {
    const linked = (whole, label, to) => {
      if (/^(?:[a-z]+:|\/)/.test(to)) return whole;
      const [file, anchor] = to.split("#");
      const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
      const page = pages.get(target);
      if (page === undefined ? !existsSync(join(docs, target)) : anchor && !anchorsIn(page).has(anchor)) {
        wrong.push(
          `${relative(resolve(docs, ".."), join(docs, path))} links to ${to}: there is no such ${page === undefined ? "file" : "heading"}.`,
        );
        return whole;
      }
      if (page !== undefined) return `${label}(/${addressOf(target)}.md${anchor ? `#${anchor}` : ""})`;
      if (statSync(join(docs, target)).isDirectory()) return label.slice(1, -1);
      files.add(target);
      return `${label}(/files/${target.replace(/^\.\.\//, "")}${/\.(?:webp|png)$/.test(target) ? "" : ".txt"})`;
    };
    texts.set(
      path,
      outsideFences(text, (prose) => prose.replace(LINK, linked)),
    );
  }
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return { texts, files };
}

function outsideFences(text, change) {
  const parts = [];
  let from = 0;
  for (const { 0: fence, index } of text.matchAll(FENCE)) {
    parts.push(change(text.slice(from, index)), fence);
    from = index + fence.length;
  }
  return [...parts, change(text.slice(from))].join("");
}

/** Writes the pages into the site's source, the files that they link to, and `llms.txt`. */
export function assemble() {
  const { texts, files } = read();
  rmSync(source, { recursive: true, force: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  };
  for (const [path, text] of texts) {
    const edited = relative(resolve(docs, ".."), join(docs, path)).replaceAll("\\", "/");
    write(`${addressOf(path)}.md`, `---\nfile: ${edited}\n---\n\n${text}`);
  }
  for (const file of files) {
    const isPicture = /\.(?:webp|png)$/.test(file);
    const copy = join(source, "public", "files", `${file.replace(/^\.\.\//, "")}${isPicture ? "" : ".txt"}`);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(docs, file), copy);
  }
  write("public/llms.txt", overview(texts));
}

/** The site for a model: each page with its heading and first sentence, as llmstxt.org has it. */
function overview(texts) {
  const [, first = ""] = /^# .*\n+((?:.+\n)+)/m.exec(texts.get("../README.md")) ?? [];
  const sections = KINDS.map(({ text, pages }) => {
    const lines = pages.map((path) => {
      const page = texts.get(path);
      const said = /^# .*\n+((?:[^#|`<\n].*\n)+)/m.exec(page)?.[1] ?? "";
      const sentence = /^.*?[.:](?=\s|$)/s.exec(plain(said).replaceAll("\n", " "))?.[0] ?? "";
      return `- [${plain(headingOf(page, path))}](${addressOf(path)}.md)${sentence && `: ${sentence}`}`;
    });
    return `## ${text}\n\n${lines.join("\n")}\n`;
  });
  return `# threadfold\n\n> ${plain(first).replaceAll("\n", " ").trim()}\n\n${sections.join("\n")}`;
}

/** The sidebar: the pages' headings by kind, and the API's pages. */
export function sidebar() {
  const folder = join(source, "api");
  const files = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll("\\", "/"));
  const modules = files
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({
      text: headingOf(readFileSync(join(folder, file), "utf8"), file).replaceAll("\\", ""),
      link: `/api/${file.slice(0, -3)}`,
    }));
  const item = (path) => ({
    text: plain(headingOf(readFileSync(join(docs, path), "utf8"), path)),
    link: `/${addressOf(path)}`,
  });
  return [
    ...KINDS.map(({ text, pages }) => ({ text, items: pages.map(item) })),
    { text: "API", collapsed: false, items: modules },
  ];
}
