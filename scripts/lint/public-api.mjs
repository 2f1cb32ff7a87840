// Lists the public names of the crates, and compares them with the recorded lists: nobody changes one unnoticed.
// `node scripts/lint/public-api.mjs` writes the lists anew, which accepts a change.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, isMain, main, root, run } from "../process.mjs";

/** The crates with a library that programs name. */
const CRATES = ["threadfold", "threadfold-page"];

/** rustdoc's JSON is for nightly compilers; this has a stable one write it, too, in a folder of its own. */
const FOLDER = join(root, "target", "public-api");

const recorded = (crate) => join(root, "scripts", "lint", `public-api-${crate}.txt`);

async function rustdoc(crate) {
  const json = ["--", "-Z", "unstable-options", "--output-format", "json"];
  await run("cargo", ["rustdoc", "--quiet", "-p", crate, "--lib", "--target-dir", FOLDER, ...json], {
    env: { RUSTC_BOOTSTRAP: "1" },
  });
  return JSON.parse(readFileSync(join(FOLDER, "doc", `${crate.replaceAll("-", "_")}.json`), "utf8"));
}

const sources = new Map();

/** Returns an item as it is declared, up to its body, in one line; "" if a macro made it. */
function declaration({ span, name }) {
  if (!span || !existsSync(join(root, span.filename))) return "";
  const file = join(root, span.filename);
  if (!sources.has(file)) sources.set(file, readFileSync(file, "utf8").split("\n"));
  const [[first, from], [last, to]] = [span.begin, span.end];
  const lines = sources.get(file).slice(first - 1, last);
  lines[lines.length - 1] = lines.at(-1).slice(0, to - 1);
  lines[0] = lines[0].slice(from - 1);
  const text = lines
    .join("\n")
    .replace(/\/\/.*$/gm, "")
    .replace(/\s+/g, " ");
  const line = text
    .slice(0, end(text))
    .replace(/^pub (const|static) (\w+): (.*?) = .*/, "pub $1 $2: $3")
    .trim();
  return line.includes(name) ? line : "";
}

/** Returns where the head of a declaration ends: at its body, its value, or its semicolon. */
function end(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("([".includes(text[at])) depth++;
    else if (")]".includes(text[at])) depth--;
    else if (depth === 0 && "{;".includes(text[at])) return at;
  }
  return text.length;
}

/** Walks the modules of a crate and returns its lines. */
class Listing {
  #lines = [];
  #seen = new Map();
  #doc;

  constructor(doc) {
    this.#doc = doc;
  }

  lines(crate) {
    this.#item(this.#doc.index[this.#doc.root], crate.replaceAll("-", "_"));
    return this.#lines.sort();
  }

  #add(kind, path, text = "") {
    this.#lines.push([kind, path, text && `= ${text}`].filter(Boolean).join(" "));
  }

  /** Follows the names that a module declares or exports again. */
  #child(id, path) {
    const item = this.#doc.index[id];
    if (!item) return;
    const { use } = item.inner;
    if (!use) return this.#item(item, `${path}::${item.name}`);
    const found = this.#doc.index[use.id];
    if (found) return this.#item(found, `${path}::${use.name}`);
    this.#add("use", `${path}::${use.name}`, use.source);
  }

  #item(item, path) {
    const [[kind, inner]] = Object.entries(item.inner);
    if (this.#seen.has(item.id)) return this.#add("use", path, this.#seen.get(item.id));
    this.#seen.set(item.id, path);
    const open = JSON.stringify(item.attrs).includes("non_exhaustive") ? "non_exhaustive " : "";
    const body = ["struct", "enum"].includes(kind) ? "" : declaration(item);
    this.#add(open + kind, path, kind === "module" ? "" : body);
    if (kind === "module") for (const id of inner.items) this.#child(id, path);
    const fields = inner.kind?.plain?.fields ?? inner.kind?.tuple ?? [];
    for (const id of [...fields, ...(inner.variants ?? [])]) this.#part(id, path);
    if (kind === "trait") for (const id of inner.items) this.#part(id, path);
    this.#impls(inner.impls ?? [], path);
  }

  #part(id, path) {
    const item = id === null ? undefined : this.#doc.index[id];
    if (!item) return;
    const [[kind, inner]] = Object.entries(item.inner);
    const name = `${path}::${item.name}`;
    this.#add(kind.replace("struct_field", "field"), name, declaration(item));
    for (const field of inner.kind?.struct?.fields ?? []) this.#part(field, name);
  }

  /** Adds a type's own functions, and the traits that it has but for those that each type has by its parts. */
  #impls(ids, path) {
    const traits = new Set();
    for (const id of ids) {
      const { impl } = this.#doc.index[id]?.inner ?? {};
      if (!impl || impl.is_synthetic || impl.blanket_impl) continue;
      if (impl.trait) traits.add(impl.trait.path.replace(/^(\$?crate|std|core)::.*::/, ""));
      else for (const item of impl.items) this.#part(item, path);
    }
    if (traits.size > 0) this.#add("traits", path, [...traits].sort().join(" + "));
  }
}

/** Counts the lines that a program names: all but traits, and other paths of what has one. */
const names = (lines) => lines.filter((line) => !/^(traits|use|module) /.test(line));

async function list(crate) {
  const lines = new Listing(await rustdoc(crate)).lines(crate);
  const all = names(lines);
  const parts = all.filter((line) => /^(field|variant) /.test(line)).length;
  const head = `${all.length - parts} names, and ${parts} fields and variants`;
  return `# ${crate}: ${head}. Written by \`node scripts/lint/public-api.mjs\`.\n${lines.join("\n")}\n`;
}

/** Checks that the public names are the recorded ones. */
export async function checkPublicApi() {
  for (const crate of CRATES) {
    const [before, now] = [readFileSync(recorded(crate), "utf8"), await list(crate)].map((text) => text.split("\n"));
    const gone = before.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
    const added = now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
    if (gone.length + added.length === 0) continue;
    throw new Complaint(
      `The public names of ${crate} changed:\n${[...gone, ...added].join("\n")}\n` +
        "To accept that, run `node scripts/lint/public-api.mjs` and commit what it writes.",
    );
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    for (const crate of CRATES) {
      const text = await list(crate);
      writeFileSync(recorded(crate), text);
      console.log(text.slice(0, text.indexOf("\n")));
    }
  });
}
