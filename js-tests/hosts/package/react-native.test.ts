// React Native's engine has no WebAssembly, and lacks more: the import says which counts.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const pkg = fileURLToPath(new URL("../../../pkg/", import.meta.url));
const SENTENCE = "Error: threadfold needs WebAssembly: React Native has none";

/** Returns what an import says in an engine without these globals. */
function importing(file: string): string {
  const load = file.endsWith(".cjs") ? "require" : "import";
  const program = `
    for (const name of ["WebAssembly", "TextDecoder", "FinalizationRegistry"]) delete globalThis[name];
    (async () => ${load}(${JSON.stringify(`${pkg}${file}`)}))().then(() => console.log("imported"), (error) => console.log(String(error)));`;
  return execFileSync(process.execPath, ["--input-type=commonjs", "--eval", program], { encoding: "utf8" }).trim();
}

test.each(["index", "slim", "agent-core"])("%s fails with a sentence", (entry) => {
  for (const extension of ["js", "cjs"]) expect(importing(`${entry}.${extension}`)).toBe(SENTENCE);
});
