// The JavaScript that wasm-bindgen writes around the wasm.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Complaint, root } from "../process.mjs";
import { bind } from "../rust.mjs";
import { shortNames } from "./names.mjs";
import { writeKinds } from "./kinds.mjs";
import { writeNumbers } from "./numbers.mjs";
import { uses } from "./tricks.mjs";

export const generated = join(root, "pkg-template", "generated");
/** The name of both wasms in their folders, so that one inline.ts serves both. */
const name = "threadfold_core";

/** The types of the wasm as text, which bundle.mjs writes once it is optimised. */
const TEXT = ["alphabet: string", "text: string", "length: number", "fingerprint: string"]
  .map((one) => `export declare const ${one};\n`)
  .join("");

/** Makes room in pkg-template/generated/ for new files: the glue of both wasms, its types and snippets. */
export function emptyGenerated() {
  rmSync(generated, { recursive: true, force: true });
  for (const folder of [generated, join(generated, "agent")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "wasm-text.d.ts"), TEXT);
  }
}

/** Writes the glue of the core, and returns the path of the wasm that is bound to it. */
export async function writeCore(wasm) {
  await bind("package", wasm, generated, name);
  // The package's code uses some of the crate's own modules, too, which wasm-bindgen has put beside its glue.
  const modules = readdirSync(generated, { recursive: true });
  for (const module of ["slots", "heap", "lists", "sharing"]) {
    const path = modules.find((path) => basename(path) === `${module}.js`);
    if (!path)
      throw new Complaint(
        `wasm-bindgen has put no ${module}.js beside its glue: is crates/core-wasm/src/${module}.js still imported?`,
      );
    writeFileSync(join(generated, `${module}.js`), `export * from "./${path.replaceAll("\\", "/")}";\n`);
    copyFileSync(join(root, "crates", "core-wasm", "src", `${module}.d.ts`), join(generated, `${module}.d.ts`));
  }
  const glue = join(generated, `${name}.js`);
  const bound = join(generated, `${name}_bg.wasm`);
  writeShort(bound, glue, letNothingOut(readFileSync(glue, "utf8")));
  writeNumbers(generated);
  writeKinds(generated);
  return bound;
}

/**
 * The same for the agent half. Its wasm takes numbers and gives numbers: nothing of the core's values, nor of user
 * code's errors.
 */
export async function writeAgent(wasm) {
  const folder = join(generated, "agent");
  await bind("package", wasm, folder, name);
  const glue = join(folder, `${name}.js`);
  const bound = join(folder, `${name}_bg.wasm`);
  writeShort(bound, glue, readFileSync(glue, "utf8"));
  return bound;
}

/** Writes a wasm and the text of its glue again, with short names for their common functions. */
function writeShort(bound, glue, text) {
  const named = uses("names") ? shortNames(readFileSync(bound), text) : undefined;
  if (named) {
    checkImports(named);
    writeFileSync(bound, named.wasm);
  }
  writeFileSync(glue, named?.glue ?? text);
}

/**
 * The code that wasm-bindgen puts between the core and its imports converts text to bytes and back, which may throw.
 * The core gets nothing then, and the error is noted as user code's errors are.
 */
function letNothingOut(glue) {
  const guarded = glue.replace(
    /^( {8}__wbg_(?!__wbindgen)\w+: function\((?:\w+(?:, )?)*\) \{\n)([^]*?)(^ {8}\},)$/gm,
    (_, head, body, end) => {
      // Answers of two words go to where the first argument says: no text, or a list without items.
      const nothing = /arg0 >>> 0/.test(body) ? `answer(arg0, ${/isLikeNone/.test(body) ? 0 : 4}, 0); ` : "";
      return `${head}        try {\n${body}        } catch (error) { ${nothing}note(error); }\n${end}`;
    },
  );
  return `import { answer, note } from "./slots.js";\n${guarded}`;
}

/** These patterns match wasm-bindgen's present output, and another version may write another. */
function checkImports({ glue, imports }) {
  if (!/^ {4}return \{ \w+: import0 \};$/m.test(glue))
    throw new Complaint("The glue has more than one object of imports: scripts/build/names.mjs must change.");
  for (const { path, name, short, isOwn } of imports) {
    const [, after] = glue.split(new RegExp(`^ {8}${short}${isOwn ? ": function\\(" : ",$"}`, "m"));
    if (after === undefined) {
      throw new Complaint(
        `The wasm imports ${name} of ${path}, and the glue does not hand it in: wasm-bindgen writes it differently now, so scripts/build/names.mjs must change.`,
      );
    }
    if (isOwn && !/^(?:__wbg_)?__wbindgen/.test(name) && !/^.*\n {8}try \{\n/.test(after)) {
      throw new Complaint(
        `Errors of the glue's ${name} would get into the core. wasm-bindgen writes its functions differently now: update letNothingOut in scripts/build/glue.mjs.`,
      );
    }
  }
}
