// The package names all code that it carries: the wasm and the bundles themselves are searched.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const notices = readFileSync(`${root}/pkg/THIRD-PARTY-NOTICES.txt`, "utf8");

/** Names and versions of all crates that any part of the project depends on. */
function lockedCrates(): { name: string; version: string }[] {
  const lock = readFileSync(`${root}/Cargo.lock`, "utf8");
  return [...lock.matchAll(/^name = "(.+)"\nversion = "(.+)"\nsource = /gm)].map(([, name = "", version = ""]) => ({
    name,
    version,
  }));
}

test("every crate whose functions are in the wasm is named", () => {
  const functions = readFileSync(`${root}/pkg-template/generated/threadfold_core_bg.wasm`, "latin1");
  const linked = lockedCrates().filter(({ name }) =>
    // Up to four bytes of numbers come before a name.
    new RegExp(`(?<!:|\\w{5})${name.replaceAll("-", "_")}::\\w`).test(functions),
  );
  expect(linked.map(({ name }) => name)).toEqual(expect.arrayContaining(["rlsf", "wasm-bindgen"]));
  for (const { name } of linked) {
    const versions = linked.filter((crate) => crate.name === name).map(({ version }) => `${name} ${version} (`);
    expect(
      versions.some((named) => notices.includes(named)),
      name,
    ).toBe(true);
  }
});

test("every package that the sources import and the user does not bring is named", () => {
  const sources = `${root}/pkg-template/src`;
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const imported = new Set(
    files.flatMap((file) =>
      [
        ...readFileSync(`${sources}/${file}`, "utf8").matchAll(
          /^(?:im|ex)port (?!type\b)[^;"]* from "([^".#][^"]*)";$/gm,
        ),
      ].map(([, specifier = ""]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""),
    ),
  );
  const { name, peerDependencies } = JSON.parse(readFileSync(`${root}/pkg/package.json`, "utf8"));
  const brought = new Set([name, "rxjs", ...Object.keys(peerDependencies)]);
  const bundled = [...imported].filter((specifier) => !brought.has(specifier) && !specifier.startsWith("node:"));
  expect(bundled).toContain("eventsource-parser");
  for (const specifier of bundled) {
    const { version } = JSON.parse(readFileSync(`${root}/node_modules/${specifier}/package.json`, "utf8"));
    expect(notices).toContain(`${specifier} ${version} (`);
  }
});

test("each is named with the words of its licence", () => {
  const [head = "", ...sections] = notices.split(`\n${"-".repeat(80)}\n\n`);
  expect(head).toContain("threadfold contains code");
  expect(sections.length).toBeGreaterThan(5);
  for (const section of sections) expect(section).toMatch(/permission|Permission|PERMISSION/);
});
