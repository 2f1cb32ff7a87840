// The names of each entry, and their number: a change of exports.json is a change of the API.
// `UPDATE_EXPORTS=1 npx vitest run --project node unit/types/exports` rewrites the list.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ENTRIES = join(import.meta.dirname, "..", "..", "..", "pkg-template", "src", "entries");
const LIST = join(import.meta.dirname, "exports.json");

const { exports } = JSON.parse(readFileSync(join(ENTRIES, "..", "..", "package.json"), "utf8")) as {
  exports: Record<string, unknown>;
};
const entries = Object.keys(exports).filter((path) => !/\.(wasm|json)$/.test(path));
const fileOf = (entry: string): string => join(ENTRIES, `${entry === "." ? "index" : entry.slice(2)}.ts`);

/** The names that a file exports, types too. */
function namesIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const own = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, ""),
      )
      .filter((name) => name !== ""),
  );
  const others = [...text.matchAll(/^export \* from "([^"]+)"/gm)].flatMap(([, from = ""]) =>
    namesIn(
      from.startsWith("threadfold/")
        ? fileOf(`./${from.slice("threadfold/".length)}`)
        : join(dirname(file), from.replace(/\.js$/, ".ts")),
    ),
  );
  return [...new Set([...own, ...others])].sort();
}

const now = Object.fromEntries(entries.map((entry) => [entry, namesIn(fileOf(entry))]));

test("every export statement of an entry is one that the list can read", () => {
  for (const entry of entries)
    for (const line of readFileSync(fileOf(entry), "utf8").matchAll(/^export .*/gm))
      expect(line[0]).toMatch(/^export (type )?\{|^export \* from "/);
});

test("the entries export what the list says", () => {
  if (process.env["UPDATE_EXPORTS"]) writeFileSync(LIST, `${JSON.stringify(now, undefined, 2)}\n`);
  expect(now).toEqual(JSON.parse(readFileSync(LIST, "utf8")));
  const distinct = new Set(Object.values(now).flat()).size;
  console.log(`${distinct} names: ${entries.map((entry) => `${entry} ${now[entry]?.length}`).join(", ")}`);
});
