// The declarations need no DOM: a Node program that checks them, too, compiles.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../examples/blocks.js";

const program = (url: string) => `
import { Thread, type AgUiState } from "threadfold";
import { init } from "threadfold/slim";
import { AgUiRunner } from "threadfold/ag-ui";
import "threadfold/context";
import "threadfold/langgraph";
import "threadfold/persist";

const headers = new Headers({ a: "b" });
export const runners = [headers, { a: "b" }, [["a", "b"]] as const, async () => headers].map(
  (headers) => new AgUiRunner(new Thread<AgUiState>(), { url: ${url}, headers, credentials: "include" }),
);
init(new Uint8Array());
export const loaded: Promise<void> = init("https://cdn.example/threadfold_bg.wasm");
`;

/** Returns the compiler's errors for a program, with the package's declarations checked. */
function complaints(code: string): string {
  mkdirSync(join(root, "target"), { recursive: true });
  const folder = mkdtempSync(join(root, "target", "without-dom-"));
  try {
    const compilerOptions = {
      target: "es2022",
      lib: ["es2023"],
      module: "nodenext",
      types: ["node"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    writeFileSync(join(folder, "main.ts"), code);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a program without the types of the DOM compiles", () => {
  expect(complaints(program('"/agent"'))).toBe("");
  expect(complaints(program("5"))).toMatch(/^\S*main\.ts\(\d+,\d+\): error TS2322/);
}, 60_000);
