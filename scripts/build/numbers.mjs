// The package's half of the numbers that it shares with the core.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, root } from "../process.mjs";

const MODULE = /^pub\(super\) mod (\w+) \{\n([^]*?)^\}$/gm;
const NUMBER = /(?:^ +\/\/\/ "(.+)"\n)?^ +pub const (\w+): i32 = (\d+);$/gm;

/**
 * Writes numbers.js and its types to this folder, from crates/core-wasm/src/numbers.rs: tables such as `event`, with
 * `event["run-started"]`, and for each the type of its numbers, `EventNumber`. If all names of a table are
 * identifiers, it is also a module, such as numbers/ask.js. A module's constants come into the package as plain numbers.
 */
export function writeNumbers(folder) {
  const table = readFileSync(join(root, "crates", "core-wasm", "src", "numbers.rs"), "utf8");
  const modules = [...table.matchAll(MODULE)].map(([, name, body]) => [name, numbersIn(body)]);
  const found = modules.reduce((sum, [, numbers]) => sum + numbers.length, 0);
  if (found === 0 || found !== table.match(/\bconst\b/g)?.length)
    throw new Complaint("crates/core-wasm/src/numbers.rs has constants that scripts/build/numbers.mjs cannot read.");
  mkdirSync(join(folder, "numbers"));
  const write = (path, lines) => writeFileSync(join(folder, path), lines.map((line) => `${line}\n`).join(""));
  write(
    "numbers.js",
    modules.map(([name, numbers]) => `export const ${name} = ${object(numbers)};`),
  );
  write(
    "numbers.d.ts",
    modules.flatMap(([name, numbers]) => [
      `export declare const ${name}: Readonly<${object(numbers)}>;`,
      `export type ${name[0].toUpperCase()}${name.slice(1)}Number = (typeof ${name})[keyof typeof ${name}];`,
    ]),
  );
  for (const [name, numbers] of modules.filter(([, numbers]) => numbers.every(([key]) => /^\w+$/.test(key)))) {
    write(
      join("numbers", `${name}.js`),
      numbers.map(([key, number]) => `export const ${key} = ${number};`),
    );
    write(
      join("numbers", `${name}.d.ts`),
      numbers.map(([key, number]) => `export declare const ${key}: ${number};`),
    );
  }
}

const object = (numbers) => `{ ${numbers.map(([key, number]) => `${JSON.stringify(key)}: ${number}`).join(", ")} }`;

const numbersIn = (body) =>
  [...body.matchAll(NUMBER)].map(([, quoted, name, number]) => [quoted ?? name.toLowerCase(), Number(number)]);
