// Writes the declarations of the public modules, for ESM, and for CommonJS in a folder of that type. Twins of one name and text
// stand beside each other in the tarball, where the second costs next to nothing.
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Complaint, root, run } from "../process.mjs";
import { target } from "../rust.mjs";
import { entries } from "./bundle.mjs";

export const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"']+)\2/g;

/** Returns `{ path: text }` of the declarations that the entries reach, both twins of each. */
export async function declareTypes() {
  mkdirSync(target, { recursive: true });
  const out = mkdtempSync(join(target, "types-"));
  try {
    await run(process.execPath, [tsc, "-p", join("pkg-template", "tsconfig.build.json"), "--outDir", out]);
    return collect(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function collect(out) {
  const files = { "cjs/package.json": '{ "type": "commonjs" }\n' };
  const queue = entries.map((entry) => join("entries", `${entry}.d.ts`));
  for (const path of queue) {
    if (files[path]) continue;
    const declared = readFileSync(join(out, path), "utf8");
    // Code that targets ES2022 has no Symbol.dispose without this library.
    const text = declared.includes("[Symbol.dispose]")
      ? `/// <reference lib="esnext.disposable" />\n${declared}`
      : declared;
    files[path] = text;
    files[join("cjs", path)] = text;
    for (const [, , , specifier] of text.matchAll(IMPORT)) {
      if (specifier.startsWith("#") || specifier.includes("generated/")) {
        throw new Complaint(
          `The declarations of ${path} import "${specifier}", which is not in the package: hide it in a #private field.`,
        );
      }
      if (specifier.startsWith(".")) queue.push(normalize(join(dirname(path), specifier.replace(/\.js$/, ".d.ts"))));
    }
  }
  return files;
}
