// Examples are run as a user would: each a module of its own, in a Node of its own, with `threadfold` installed.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { root, type Block } from "./blocks.js";

const exec = promisify(execFile);

let folder = "";

/** What a line's `console.log` prints: as the comment after it says, or as it came. */
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
}

export function cleanUp(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** What the comments say: for every `console.log` the one at the end of its statement. */
export function expected({ code }: Block): Printed[] {
  const lines = code.split("\n");
  return lines.flatMap((text, at) => {
    if (!text.includes("console.log(")) return [];
    const end = lines.slice(at).find((line) => /\);?( \/\/.*)?$/.test(line)) ?? "";
    const comment = / \/\/ (.*)$/.exec(end)?.[1];
    return [{ line: at + 1, code: text.trim(), text: comment === undefined ? undefined : squeezed(comment) }];
  });
}

/** Runs a block; what each of its `console.log`s printed, several times as `first, then second`. */
export async function run(block: Block): Promise<Printed[]> {
  const lines = block.code.split("\n").map((line, at) => line.replace(CALL, `print(${at + 1}, `));
  const { code } = await transform(lines.join("\n"), {
    loader: "ts",
    format: /\brequire\(/.test(block.code) ? "cjs" : "esm",
  });
  const print = `const print = (line, ...values) =>
  process.stdout.write(JSON.stringify([line, process.getBuiltinModule("node:util").format(...values)]) + "\\n");\n`;
  const path = join(folder, `${fileOf(block)}.${/\brequire\(/.test(block.code) ? "cjs" : "mjs"}`);
  writeFileSync(path, print + code);
  const { NODE_OPTIONS: _options, NODE_ENV: _mode, ...env } = process.env;
  const { stdout } = await exec(process.execPath, [path], { env: env as NodeJS.ProcessEnv, timeout: 60_000 });
  const output = new Map<number, string[]>();
  for (const text of stdout.split("\n").filter(Boolean)) {
    const [line, printed] = JSON.parse(text) as [number, string];
    output.set(line, [...(output.get(line) ?? []), squeezed(printed)]);
  }
  return expected(block).map(({ line, code }) => ({ line, code, text: output.get(line)?.join(", then ") }));
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
    // What is said of no block is said of all: the compiler itself failed.
    const about = block ? [block] : /^\s/.test(line) ? [] : blocks;
    for (const { name } of about)
      found.set(name, [...(found.get(name) ?? []), block ? `line ${at} of it: ${what}` : line]);
  }
  return found;
}
