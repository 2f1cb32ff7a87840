// The JavaScript that wasm-bindgen writes around the wasm.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root, run } from "../process.mjs";
import { wasmBindgen } from "../rust.mjs";
import { shortNames } from "./names.mjs";

export const generated = join(root, "pkg-template", "generated");
const name = "threadfold_core";

/** Writes glue, its types and snippets to pkg-template/generated/; returns the path of the bound .wasm. */
export async function writeGlue(wasm) {
  rmSync(generated, { recursive: true, force: true });
  // Without a default path to the wasm there is no `import.meta.url`, which bundlers would follow and CJS has not.
  await run(wasmBindgen, [
    "--target",
    "web",
    "--omit-default-module-path",
    "--keep-debug",
    "--out-dir",
    generated,
    "--out-name",
    name,
    wasm,
  ]);
  // The package's code uses one of the crate's own modules, too, which wasm-bindgen has put beside its glue.
  const [slots] = readdirSync(generated, { recursive: true }).filter((path) => basename(path) === "slots.js");
  writeFileSync(join(generated, "slots.js"), `export * from "./${slots.replaceAll("\\", "/")}";\n`);
  const glue = join(generated, `${name}.js`);
  const bound = join(generated, `${name}_bg.wasm`);
  const named = shortNames(readFileSync(bound), letNothingOut(readFileSync(glue, "utf8")));
  writeFileSync(bound, named.wasm);
  writeFileSync(glue, named.glue);
  copyFileSync(join(root, "src", "wasm", "slots.d.ts"), join(generated, "slots.d.ts"));
  return bound;
}

/**
 * What wasm-bindgen puts between the core and its imports turns text into bytes and back, which may throw. The core gets
 * nothing then: what was thrown is noted as what user code throws is.
 */
function letNothingOut(glue) {
  const guarded = glue.replace(
    /^( {8}__wbg_(?!__wbindgen)\w+: function\((?:\w+(?:, )?)*\) \{\n)([^]*?)(^ {8}\},)$/gm,
    (_, head, body, end) => {
      // Answers of two words go to where the first argument says: no text, or a list without items.
      const nothing = /arg0 >>> 0/.test(body) ? `nothing(arg0, ${/isLikeNone/.test(body) ? 0 : 4}); ` : "";
      return `${head}        try {\n${body}        } catch (error) { ${nothing}note(error); }\n${end}`;
    },
  );
  return `import { note, nothing } from "./slots.js";\n${guarded}`;
}
