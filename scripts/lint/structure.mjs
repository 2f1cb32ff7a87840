// Holds the structure: files import each other one way, types included, and so do the folders in a folder. `npm run lint`
// fails on any circle. `node scripts/lint/structure.mjs` prints each, with the imports that close it.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ask, Complaint, isMain, main, root } from "../process.mjs";

const PACKAGE = "pkg-template/src";
const ENTRIES = `${PACKAGE}/entries/`;
const CRATE = "src";

/** The folders of TypeScript. */
const TYPESCRIPT = [PACKAGE, "pkg-template/cli", "www/src"];

/** The package's own names for its files. */
const NAMED = { "#core": `${PACKAGE}/core/inline.ts`, "#agent-core": `${PACKAGE}/core/agent-core.ts` };

const filesIn = (folder, ending) =>
  ask("git", ["ls-files", "--cached", "--others", "--exclude-standard", folder])
    .split("\n")
    .filter((path) => ending.test(path) && existsSync(join(root, path)));

/** Returns a file's text without its comments. */
const codeOf = (path) =>
  readFileSync(join(root, path), "utf8").replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'|`(?:[^`\\]|\\.)*`)|\/\/.*|\/\*[^]*?\*\//g,
    (_, text) => text ?? "",
  );

// ── TypeScript ──

/** Returns the imports between these files as pairs of paths: of values, of types, and those made late. */
function typescriptImports(paths) {
  const known = new Set(paths);
  return paths.flatMap((path) =>
    [...codeOf(path).matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].flatMap(([, name]) => {
      const stem = name.startsWith(".") ? posix.join(dirname(path), name) : (NAMED[name] ?? entryNamed(path, name));
      const candidates = [stem, `${stem}.ts`, `${stem}.tsx`, stem.replace(/js$/, "ts"), stem.replace(/js$/, "tsx")];
      const target = candidates.find((candidate) => known.has(candidate));
      return target && target !== path ? [[path, target]] : [];
    }),
  );
}

/** Returns the entry that a file of the package imports by its public name. */
function entryNamed(path, name) {
  const named = path.startsWith(PACKAGE) ? /^threadfold(?:\/(.+))?$/.exec(name) : undefined;
  return named ? ENTRIES + (named[1] ?? "index") : "";
}

// ── Rust ──

/** Returns the uses between the crate's modules as pairs of paths. A name that a module re-exports is the other's. */
function rustImports(paths) {
  const modules = new Map(
    paths.map((path) => {
      const code = codeOf(path).replace(/#\[cfg\(test\)\]\s*mod tests(?:;| \{[^]*?^\})/gm, "");
      const uses = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => branchesOf(tree));
      const inline = [...code.matchAll(/\b(?:crate|super|self)(?:::\w+)+/g)].map(([name]) => name);
      return [moduleIn(path), { path, uses, inline }];
    }),
  );
  return [...modules].flatMap(([own, { path, uses, inline }]) =>
    [...uses, ...inline].flatMap((name) => {
      const target = modules.get(moduleNamed(modules, own, name.split("::")))?.path;
      return target && target !== path ? [[path, target]] : [];
    }),
  );
}

/** Returns the name of a file's module, such as `thread::view`; that of `lib.rs` is empty. */
const moduleIn = (path) =>
  path
    .slice(CRATE.length + 1)
    .replace(/\.rs$/, "")
    .replace(/^lib$/, "")
    .replaceAll("/", "::");

/** Splits `a::{b, c::d as e}` into `a::b` and `a::c::d`. */
function branchesOf(tree) {
  const [, stem, inner] = /^([^{]*)\{([^]*)\}$/.exec(tree.trim()) ?? [];
  if (inner === undefined) return [tree.trim().replace(/(?:::self|::\*)?(?:\s+as\s+\w+)?$/, "")];
  const parts = [""];
  let depth = 0;
  for (const sign of inner) {
    depth += Number(sign === "{") - Number(sign === "}");
    if (sign === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts.filter((part) => part.trim()).flatMap((part) => branchesOf(stem.trim() + part.trim()));
}

/** Returns the module that defines a path used in `own`; undefined for other crates. */
function moduleNamed(modules, own, path, depth = 0) {
  const inner = (at, name) => [at, name].filter(Boolean).join("::");
  const parent = (at) => at.replace(/(?:^|::)\w+$/, "");
  let [first, ...rest] = path;
  let at = own;
  if (first === "crate") at = "";
  else if (first === "super") at = parent(own);
  else if (first !== "self" && modules.has(inner(own, first))) at = inner(own, first);
  else if (first !== "self") return undefined;
  for (; rest[0] === "super"; rest = rest.slice(1)) at = parent(at);
  for (; rest.length > 0 && modules.has(inner(at, rest[0])); rest = rest.slice(1)) at = inner(at, rest[0]);
  const used = modules.get(at)?.uses.find((use) => rest.length > 0 && use.split("::").at(-1) === rest[0]);
  const there = used && depth < 9 ? moduleNamed(modules, at, used.split("::"), depth + 1) : undefined;
  return there ?? at;
}

// ── circles ──

/** Returns the groups of nodes that reach each other. */
function circlesOf(edges) {
  const next = new Map();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const reach = new Map(
    [...next.keys()].map((node) => {
      const reached = new Set();
      const open = [node];
      while (open.length > 0)
        for (const to of next.get(open.pop()) ?? []) {
          if (!reached.has(to)) open.push(to);
          reached.add(to);
        }
      return [node, reached];
    }),
  );
  const inCircle = [...reach.keys()].filter((node) => reach.get(node).has(node));
  const groups = inCircle.map((node) => inCircle.filter((to) => reach.get(node).has(to) && reach.get(to).has(node)));
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

/** Returns the file or folder of a folder that a path is in. The file of a Rust module counts as the module's folder. */
function childOf(folder, path) {
  if (!path.startsWith(`${folder}/`)) return undefined;
  return path
    .slice(folder.length + 1)
    .split("/", 1)[0]
    .replace(/\.rs$/, "");
}

/** Returns each circle among the files and folders of a folder as a text: who imports whom, the rarest first. */
function circlesIn(folder, imports) {
  const between = new Map();
  for (const [from, to] of imports) {
    const edge = [childOf(folder, from), childOf(folder, to)];
    if (edge.includes(undefined) || edge[0] === edge[1]) continue;
    const one = between.get(edge.join()) ?? { edge, lines: [] };
    between.set(edge.join(), one);
    one.lines.push(`  ${from} → ${to}`);
  }
  const pairs = [...between.values()].sort((one, other) => one.lines.length - other.lines.length);
  return circlesOf(pairs.map(({ edge }) => edge)).map((group) => {
    const closing = pairs.filter(({ edge }) => edge.every((node) => group.includes(node)));
    const shown = closing.map(({ lines: [line, ...more] }) =>
      more.length > 0 ? `${line}, and ${more.length} more` : line,
    );
    return [`In ${folder} these import each other in a circle: ${group.join(", ")}`, ...shown].join("\n");
  });
}

/** Returns every breach as a text. */
function breaches() {
  const rust = filesIn(CRATE, /\.rs$/).filter((path) => !/(?:^|\/)tests(?:\/|\.rs$)/.test(path));
  const found = [
    ...TYPESCRIPT.flatMap((folder) => typescriptImports(filesIn(folder, /(?<!\.d)\.tsx?$/))),
    ...rustImports(rust),
  ];
  const imports = [...new Map(found.map((pair) => [pair.join(), pair])).values()];
  const parents = imports.flat().flatMap((path) => path.split("/").map((_, at, all) => all.slice(0, at).join("/")));
  const folders = [...new Set(parents)].filter((folder) => folder !== "").sort();
  const inward = imports.filter(([from, to]) => to.startsWith(ENTRIES) && !from.startsWith(ENTRIES));
  return [
    ...folders.flatMap((folder) => circlesIn(folder, imports)),
    ...inward.map(([from, to]) => `${from} imports an entry, ${to}: import the module that has it.`),
  ];
}

/** Throws a Complaint if files or folders import each other in a circle, or a file of the package imports an entry. */
export function checkStructure() {
  const found = breaches();
  if (found.length > 0) throw new Complaint(found.join("\n"));
}

if (isMain(import.meta.url)) {
  await main(() => {
    checkStructure();
    console.log("No circle, and no import of an entry.");
  });
}
