// The JavaScript that wasm-bindgen writes around the wasm.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Complaint, root } from "../process.mjs";
import { bind } from "../rust.mjs";
import { shortNames } from "./names.mjs";
import { writeKinds } from "./kinds.mjs";
import { writeNumbers } from "./numbers.mjs";

export const generated = join(root, "pkg-template", "generated");
/** The name of both wasms in their folders, so that one inline.ts serves both. */
const name = "threadfold_core";

/** The types of the wasm as text, which bundle.mjs writes once it is optimised. */
const TEXT = ["alphabet: string", "text: string", "length: number", "fingerprint: string"]
  .map((one) => `export declare const ${one};\n`)
  .join("");

/** Makes room in pkg-template/generated/ for what is written there anew: the glue of both wasms, its types and snippets. */
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
  for (const module of ["slots", "lists"]) {
    const path = modules.find((path) => basename(path) === `${module}.js`);
    if (!path)
      throw new Complaint(
        `wasm-bindgen has put no ${module}.js beside its glue: is src/wasm/${module}.js still imported?`,
      );
    writeFileSync(join(generated, `${module}.js`), `export * from "./${path.replaceAll("\\", "/")}";\n`);
    copyFileSync(join(root, "src", "wasm", `${module}.d.ts`), join(generated, `${module}.d.ts`));
  }
  const glue = join(generated, `${name}.js`);
  const bound = join(generated, `${name}_bg.wasm`);
  const named = shortNames(readFileSync(bound), letNothingOut(without(NEEDLESS, readFileSync(glue, "utf8"))));
  checkImports(named);
  writeFileSync(bound, named.wasm);
  writeFileSync(glue, named.glue);
  writeNumbers(generated);
  writeKinds(generated);
  return bound;
}

/**
 * The same for the agent half. Its wasm takes numbers and gives numbers: nothing of the core's values, nor of what user code
 * throws.
 */
export async function writeAgent(wasm) {
  const folder = join(generated, "agent");
  await bind("package", wasm, folder, name);
  const glue = join(folder, `${name}.js`);
  const bound = join(folder, `${name}_bg.wasm`);
  const named = shortNames(readFileSync(bound), without(NEEDLESS_IN_AGENT, readFileSync(glue, "utf8")));
  checkImports(named);
  writeFileSync(bound, named.wasm);
  writeFileSync(glue, named.glue);
  return bound;
}

/** How wasm-bindgen writes an answer of two words; a call says the same in fewer bytes. */
const TWO_WORDS = new RegExp(
  ["1, (len\\d+)", "0, (ptr\\d+)"]
    .map((word) => String.raw`getDataViewMemory0\(\)\.setInt32\(\(arg0 >>> 0\) \+ 4 \* ${word}, true\);\s*`)
    .join(""),
  "g",
);

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
      const shorter = body.replace(TWO_WORDS, "answer(arg0, $2, $1);\n");
      return `${head}        try {\n${shorter}        } catch (error) { ${nothing}note(error); }\n${end}`;
    },
  );
  return `import { answer, note } from "./slots.js";\n${guarded}`;
}

/** Nobody but the package's own classes has the glue's objects. */
const DISPOSE = /^if \(Symbol\.dispose\).*\n/gm;

/** A way of calling it that the package does not use. */
const DEPRECATED = /^ {8}\} else \{\n {12}console\.warn\('using deprecated parameters.*\n(?= {8}\})/gm;

/** References of wasm-bindgen's own kind: values cross as numbers. */
const REFERENCES = [
  /^ {12}const table = wasm\.__wbindgen_externrefs;\n|^ {12}table\.set\(.*\n/gm,
  /^ {4}wasm(?:Instance = instance|Module = module|\.__wbindgen_start\(\));\n/gm,
];

/**
 * Code that wasm-bindgen writes for everyone and the agent's wasm does not need: no text crosses, not even an error.
 */
const NEEDLESS_IN_AGENT = [
  DISPOSE,
  DEPRECATED,
  ...REFERENCES,
  /(?<=throw new Error\()getStringFromWasm0\(arg0, arg1\)/g,
  /^let cachedTextDecoder = [^]*?^\}\n/gm,
];

/** Code that the core's wasm does not need. */
const NEEDLESS = [
  DISPOSE,
  // Text is never written without what makes room for it.
  /^ {4}if \(realloc === undefined\) \{\n[^]*?^ {4}\}\n/gm,
  // An engine that runs the package's syntax has it.
  /^if \(!\('encodeInto' in cachedTextEncoder\)\) \{\n[^]*?^\}\n/gm,
  DEPRECATED,
  ...REFERENCES,
];

function without(needless, glue) {
  for (const one of needless) {
    if (glue.search(one) < 0)
      throw new Complaint(
        `The glue has no ${one.source}: wasm-bindgen writes it otherwise now, see scripts/build/glue.mjs.`,
      );
  }
  return needless.reduce((rest, one) => rest.replace(one, ""), glue);
}

/** These patterns match wasm-bindgen's present output, and another version may write another. */
function checkImports({ glue, imports }) {
  if (!/^ {4}return \{ \w+: import0 \};$/m.test(glue))
    throw new Complaint("The glue has more than one object of imports: scripts/build/names.mjs must change.");
  for (const { path, name, short, isOwn } of imports) {
    const [, after] = glue.split(new RegExp(`^ {8}${short}${isOwn ? ": function\\(" : ",$"}`, "m"));
    if (after === undefined) {
      throw new Complaint(
        `The wasm imports ${name} of ${path}, and the glue does not hand it in: wasm-bindgen writes it otherwise now, so scripts/build/names.mjs must change.`,
      );
    }
    if (isOwn && !/^(?:__wbg_)?__wbindgen/.test(name) && !/^.*\n {8}try \{\n/.test(after)) {
      throw new Complaint(
        `Errors of the glue's ${name} would get into the core. wasm-bindgen writes its functions differently now: update letNothingOut in scripts/build/glue.mjs.`,
      );
    }
  }
}
