// Programs as a user's compiler checks them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../examples/blocks.js";

/** The libraries of a program in a page. */
export const IN_A_PAGE = ["es2023", "esnext.disposable", "dom", "dom.iterable"];
/** Writes the declarations of a library's module; those of the package are not checked themselves. */
export const DECLARING = { declaration: true, emitDeclarationOnly: true, outDir: "out", skipLibCheck: true };
/** Checks the package's declarations, too: TypeScript's default. */
export const CHECKING = { noEmit: true, skipLibCheck: false };

/** Returns the compiler's errors for modules by their names, in a folder of a package with the type `module`. */
export function complaints(modules: Record<string, string>, options: object): string {
  mkdirSync(join(root, "target"), { recursive: true });
  const folder = mkdtempSync(join(root, "target", "compiled-"));
  try {
    const compilerOptions = { target: "es2022", module: "nodenext", types: ["node"], strict: true, ...options };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(modules) }));
    for (const [name, code] of Object.entries(modules)) writeFileSync(join(folder, name), code);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
