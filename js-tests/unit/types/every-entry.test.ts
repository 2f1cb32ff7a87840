// The declarations of every entry compile where they are checked, too: TypeScript's default.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../examples/blocks.js";

const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8")) as { exports: object };
const entries = Object.entries(exports).filter(([, conditions]) => typeof conditions === "object");

/** Returns the compiler's errors for modules that import every entry. */
function complaints(files: string[]): string {
  mkdirSync(join(root, "target"), { recursive: true });
  const folder = mkdtempSync(join(root, "target", "every-entry-"));
  try {
    const compilerOptions = {
      target: "es2022",
      lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
      module: "nodenext",
      types: ["node"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    };
    const code = entries
      .map(([path], at) => `import * as e${at} from "threadfold${path.slice(1)}";\nvoid e${at};`)
      .join("\n");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    for (const file of files) writeFileSync(join(folder, file), code);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Keeps the errors in the package's own declarations; those inside other libraries are theirs. */
const own = (told: string): string[] => told.split("\n").filter((line) => /(^|[/\\])pkg[/\\]|every-entry/.test(line));

// In one program: the compiler reads the declarations that the entries share once.
test("as an ES module and a CommonJS module import them", () => {
  expect(own(complaints(["main.ts", "main.cts"]))).toEqual([]);
}, 120_000);
