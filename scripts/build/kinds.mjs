// The package's half of the kinds of messages, and of the names that each goes by.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, root } from "../process.mjs";

const TABLE = /^(?:pub\(crate\) )?const (\w+): \[.+?; \d+\] =\s(\[[^;]*\]);$/gm;

/** Writes kinds.js and its types to this folder, from src/message/kinds.rs: its constants, under their names. */
export function writeKinds(folder) {
  const source = readFileSync(join(root, "src", "message", "kinds.rs"), "utf8");
  const tables = [...source.matchAll(TABLE)].map(([, name, list]) => [name, list.replaceAll(/,(\s*\])/g, "$1")]);
  if (tables.length === 0 || tables.length !== source.match(/\bconst [A-Z]/g)?.length)
    throw new Complaint("src/message/kinds.rs has constants that scripts/build/kinds.mjs cannot read.");
  const lines = (line) => tables.map(line).join("");
  const depth = (list) => (Array.isArray(JSON.parse(list)[0]) ? "readonly (readonly string[])[]" : "readonly string[]");
  writeFileSync(
    join(folder, "kinds.js"),
    lines(([name, list]) => `export const ${name} = ${JSON.stringify(JSON.parse(list))};\n`),
  );
  writeFileSync(
    join(folder, "kinds.d.ts"),
    lines(([name, list]) => `export declare const ${name}: ${depth(list)};\n`),
  );
}
