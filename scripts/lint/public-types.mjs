// Lists the npm package's public types, and compares them with the recorded list: nobody changes one unnoticed.
// `node scripts/lint/public-types.mjs` writes the list anew, after a build, which accepts a change. The names of each entry
// are in js-tests/unit/types/exports.json.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Complaint, isMain, main, root } from "../process.mjs";

// The compiler that reads TypeScript for the docs: the one that builds the package has no API for programs.
const ts = createRequire(join(root, "docs", "package.json"))("typescript");

const RECORDED = join(root, "scripts", "lint", "public-types.txt");
const TYPES = join(root, "pkg", "types");

const files = new Map();

/** Reads a file of declarations: its statements by name, and where its imports and exports come from. */
function open(path) {
  if (files.has(path)) return files.get(path);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
  const file = { source, declared: new Map(), imported: new Map(), exported: new Map(), all: [] };
  files.set(path, file);
  for (const statement of source.statements) read(file, statement, (specifier) => target(path, specifier));
  return file;
}

/** Returns the file that a relative import leads to; undefined for a package. */
function target(path, specifier) {
  if (!specifier.startsWith(".")) return undefined;
  const file = join(dirname(path), specifier.replace(/\.js$/, ".d.ts"));
  if (!existsSync(file)) throw new Complaint(`${path} imports ${specifier}, which pkg/types does not have.`);
  return file;
}

function read(file, statement, resolve) {
  const from = statement.moduleSpecifier && resolve(statement.moduleSpecifier.text);
  if (ts.isImportDeclaration(statement)) {
    for (const { name, propertyName } of statement.importClause?.namedBindings?.elements ?? [])
      file.imported.set(name.text, { from, name: (propertyName ?? name).text });
  } else if (ts.isExportDeclaration(statement)) {
    if (!statement.exportClause) file.all.push(from);
    for (const { name, propertyName } of statement.exportClause?.elements ?? [])
      file.exported.set(name.text, { from: from ?? file.source.fileName, name: (propertyName ?? name).text });
  } else {
    const names = statement.declarationList?.declarations.map(({ name }) => name) ?? [statement.name];
    for (const name of names.filter(Boolean)) {
      const known = file.declared.get(name.text) ?? [];
      file.declared.set(name.text, [...known, statement]);
    }
  }
}

/** Follows the types that the entries export, and those that these name, and returns a line for each part of each. */
class Listing {
  #lines = [];
  #seen = new Set();
  #printer = ts.createPrinter({ removeComments: true });

  lines(entries) {
    for (const entry of entries) this.#entry(entry);
    return this.#lines.sort();
  }

  #entry(path) {
    const file = open(path);
    for (const { from, name } of file.exported.values()) if (from) this.#name(from, name);
    for (const from of file.all) if (from) this.#entry(from);
  }

  #name(path, name) {
    const key = `${path} ${name}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const file = open(path);
    const statements = file.declared.get(name);
    const other = file.imported.get(name) ?? file.exported.get(name);
    if (statements) for (const statement of statements) this.#statement(file, statement, name);
    else if (other?.from) this.#name(other.from, other.name);
    else for (const from of file.all) if (from) this.#name(from, name);
  }

  #statement(file, statement, name) {
    const print = (node) => this.#printer.printNode(ts.EmitHint.Unspecified, node, file.source).replace(/\s+/g, " ");
    if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) {
      const text = print(statement).replace(/^(?:export |declare )*/, "");
      this.#lines.push(text.slice(0, text.indexOf(" {")));
      for (const member of statement.members) this.#member(name, print(member));
    } else
      this.#lines.push(
        print(statement)
          .replace(/^(?:export |declare )*/, "")
          .replace(/;$/, ""),
      );
    this.#references(file, statement);
  }

  #member(name, text) {
    if (!text.startsWith("#") && !text.startsWith("private ")) this.#lines.push(`${name}: ${text.replace(/;$/, "")}`);
  }

  #references(file, node) {
    const visit = (child) => {
      if (ts.isIdentifier(child) && (file.declared.has(child.text) || file.imported.has(child.text)))
        this.#name(file.source.fileName, child.text);
      if (ts.isImportTypeNode(child) && child.qualifier) {
        const from = target(file.source.fileName, child.argument.literal.text);
        if (from) this.#name(from, child.qualifier.getText(file.source).split(".")[0]);
      }
      ts.forEachChild(child, visit);
    };
    visit(node);
  }
}

/** Returns the list as text. */
function list() {
  if (!existsSync(TYPES)) throw new Complaint("There is no pkg/types to list: run `npm run build` first.");
  const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap(({ import: imported }) =>
    imported ? [join(root, "pkg", imported.types)] : [],
  );
  const lines = new Listing().lines(entries);
  return `# threadfold on npm: ${lines.length} lines. Written by \`node scripts/lint/public-types.mjs\`.\n${lines.join("\n")}\n`;
}

/** Checks that the public types are the recorded ones. */
export function checkPublicTypes() {
  const texts = [readFileSync(RECORDED, "utf8"), list()];
  if (texts[0] === texts[1]) return;
  const [before, now] = texts.map((text) => text.split("\n"));
  const gone = before.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const added = now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  throw new Complaint(
    `The public types of the npm package changed:\n${[...gone, ...added].join("\n")}\n` +
      "To accept that, run `node scripts/lint/public-types.mjs` and commit what it writes.",
  );
}

if (isMain(import.meta.url)) {
  await main(() => {
    const text = list();
    writeFileSync(RECORDED, text);
    console.log(text.slice(0, text.indexOf("\n")));
  });
}
