// Examples are run as a user would: each a module of its own, with `threadfold` installed. In CI each has a Node of its
// own. Elsewhere only an example whose output was wrong in a shared Node gets one.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { root, type Block } from "./blocks.js";

const exec = promisify(execFile);

let folder = "";

/** The output of a line's `console.log`: as the comment after it says, or as it was printed. */
export interface Printed {
  line: number;
  code: string;
  text: string | undefined;
}

const CALL = /\bconsole\.log\(/g;
const squeezed = (text: string) => text.replace(/\s+/g, " ").trim();
const fileOf = ({ name }: Block) => name.replace(/\W+/g, "-");

/** A folder for the programs, within the project, so that `threadfold` resolves to the built package. */
export function prepare(): void {
  mkdirSync(join(root, "target"), { recursive: true });
  folder = mkdtempSync(join(root, "target", "examples-"));
  // The state of docs/rust-page.md, without its wasm.
  cpSync(join(root, "js-tests", "support", "shop"), join(folder, "pkg"), { recursive: true });
}

export function cleanUp(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the outputs that the comments promise: for every `console.log` the comment at the end of its statement. */
export function expected({ code }: Block): Printed[] {
  const lines = code.split("\n");
  return lines.flatMap((text, at) => {
    if (!text.includes("console.log(")) return [];
    const end = lines.slice(at).find((line) => /\);?( \/\/.*)?$/.test(line)) ?? "";
    const comment = / \/\/ (.*)$/.exec(end)?.[1];
    return [{ line: at + 1, code: text.trim(), text: comment === undefined ? undefined : squeezed(comment) }];
  });
}

/**
 * One line from the program that runs the examples: a block's name, a line in it, and the text that its `console.log`
 * printed.
 */
type Line = [name: string, line: number, text: string];

/** Writes a block as a program that prints its promised output. Returns its path. */
async function write(block: Block): Promise<string> {
  const lines = block.code.split("\n").map((line, at) => line.replace(CALL, `print(${at + 1}, `));
  const format = /\brequire\(/.test(block.code) ? "cjs" : "esm";
  const { code } = await transform(lines.join("\n"), { loader: "ts", format });
  const print = `const print = (line, ...values) =>
  process.stdout.write(JSON.stringify([${JSON.stringify(block.name)}, line, process.getBuiltinModule("node:util").format(...values)]) + "\\n");\n`;
  const path = join(folder, `${fileOf(block)}.${format === "cjs" ? "cjs" : "mjs"}`);
  writeFileSync(path, print + code);
  return path;
}

/** Runs programs, one after the other, in a Node of their own. */
async function printed(programs: string[]): Promise<Line[]> {
  const { NODE_OPTIONS: _options, NODE_ENV: _mode, ...env } = process.env;
  const args = programs.length === 1 ? programs : [join(folder, "in-turn.mjs"), ...programs];
  const options = { env: env as NodeJS.ProcessEnv, timeout: 60_000, maxBuffer: 1 << 26 };
  const { stdout } = await exec(process.execPath, args, options);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Line);
}

/** Returns the output of each `console.log` of a block, out of all lines; repeated ones as `first, then second`. */
function printedBy(block: Block, lines: Line[]): Printed[] {
  const output = new Map<number, string[]>();
  for (const [name, line, text] of lines)
    if (name === block.name) output.set(line, [...(output.get(line) ?? []), squeezed(text)]);
  return expected(block).map(({ line, code }) => ({ line, code, text: output.get(line)?.join(", then ") }));
}

/** Runs a block in a Node of its own; returns the output of each `console.log`. */
export async function run(block: Block): Promise<Printed[]> {
  return printedBy(block, await printed([await write(block)]));
}

/** Imports the programs that it is called with, and reports the end of each: as of line 0. */
const IN_TURN = `import { pathToFileURL } from "node:url";
for (const path of process.argv.slice(2)) {
  const ended = await import(pathToFileURL(path)).then(() => true, () => false);
  if (ended) process.stdout.write(JSON.stringify([path, 0, ""]) + "\\n");
}`;

/**
 * Runs blocks in a few Nodes, one after the other: starting one and importing the package takes longer than an example.
 * Returns the results of blocks that printed the promised output: the others must run by themselves.
 */
export async function runTogether(blocks: Block[]): Promise<Map<string, Printed[]>> {
  writeFileSync(join(folder, "in-turn.mjs"), IN_TURN);
  const programs = await Promise.all(blocks.map(write));
  const halves = [0, 1].map((half) => programs.filter((_, at) => at % 2 === half));
  const lines = (await Promise.all(halves.map((half) => printed(half).catch(() => [])))).flat();
  const right = new Map<string, Printed[]>();
  for (const [at, block] of blocks.entries()) {
    if (!lines.some(([path]) => path === programs[at])) continue;
    const seen = printedBy(block, lines);
    if (JSON.stringify(seen) === JSON.stringify(expected(block))) right.set(block.name, seen);
  }
  return right;
}

/** Type-checks blocks of TypeScript, strictly, as modules of a user's; the complaints about each by its name. */
export async function complaints(blocks: Block[]): Promise<Map<string, string[]>> {
  const files = new Map(blocks.map((block) => [`${fileOf(block)}.${block.language}`, block]));
  for (const [file, { code }] of files) writeFileSync(join(folder, file), `${code}\nexport {};\n`);
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...files.keys()] }));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const output = await exec(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    maxBuffer: 1 << 26,
  }).then(
    () => "",
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );
  const found = new Map<string, string[]>();
  for (const line of output.split("\n").filter(Boolean)) {
    const [, file = "", at, what] = /^([^(\s]+)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const block = files.get(file);
    // An error without a block concerns all of them: the compiler itself failed.
    const about = block ? [block] : /^\s/.test(line) ? [] : blocks;
    for (const { name } of about)
      found.set(name, [...(found.get(name) ?? []), block ? `line ${at} of it: ${what}` : line]);
  }
  return found;
}
