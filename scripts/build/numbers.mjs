// The package's half of the numbers that it shares with the core.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, root } from "../process.mjs";

const MODULE = /^pub\(super\) mod (\w+) \{\n([^]*?)^\}$/gm;
const NUMBER = /(?:^ +\/\/\/ "(.+)"\n)?^ +pub const (\w+): i32 = (\d+);$/gm;

/**
 * Writes numbers.js and its types to this folder, from src/wasm/numbers.rs: tables such as `event`, with
 * `event["run-started"]`. If all names of a table are identifiers, it is also a module, such as numbers/ask.js. A
 * module's constants come into the package as plain numbers.
 */
export function writeNumbers(folder) {
  const table = readFileSync(join(root, "src", "wasm", "numbers.rs"), "utf8");
  const modules = [...table.matchAll(MODULE)].map(([, name, body]) => [name, numbersIn(body)]);
  const found = modules.reduce((sum, [, numbers]) => sum + numbers.length, 0);
  if (found === 0 || found !== table.match(/\bconst\b/g)?.length)
    throw new Complaint("src/wasm/numbers.rs has constants that scripts/build/numbers.mjs cannot read.");
  const lines = (before, between, after) =>
    modules
      .map(([name, numbers]) => {
        const entries = numbers.map(([key, number]) => `${between}${JSON.stringify(key)}: ${number}`);
        return `export ${before} ${name}${after} { ${entries.join(after === ":" ? "; " : ", ")} };\n`;
      })
      .join("");
  mkdirSync(join(folder, "numbers"));
  for (const [name, numbers] of modules.filter(([, numbers]) => numbers.every(([key]) => /^\w+$/.test(key)))) {
    const constants = (before, sign) => numbers.map(([key, number]) => `export ${before} ${key}${sign} ${number};\n`);
    writeFileSync(join(folder, "numbers", `${name}.js`), constants("const", " =").join(""));
    writeFileSync(join(folder, "numbers", `${name}.d.ts`), constants("declare const", ":").join(""));
  }
  writeFileSync(join(folder, "numbers.js"), lines("const", "", " ="));
  writeFileSync(join(folder, "numbers.d.ts"), lines("declare const", "readonly ", ":"));
}

const numbersIn = (body) =>
  [...body.matchAll(NUMBER)].map(([, quoted, name, number]) => [quoted ?? name.toLowerCase(), Number(number)]);
