// The declarations of every entry compile where they are checked, too: TypeScript's default.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../examples/blocks.js";
import { CHECKING, complaints, IN_A_PAGE } from "./compiler.js";

const { exports } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8")) as { exports: object };
const entries = Object.entries(exports).filter(([, conditions]) => typeof conditions === "object");

/** Imports every entry. */
const code = entries
  .map(([path], at) => `import * as e${at} from "threadfold${path.slice(1)}";\nvoid e${at};`)
  .join("\n");

/** Keeps the errors in the package's own declarations; those inside other libraries are theirs. */
const own = (told: string): string[] => told.split("\n").filter((line) => /(^|[/\\])pkg[/\\]|compiled-/.test(line));

// In one program: the compiler reads the declarations that the entries share once.
test("as an ES module and a CommonJS module import them", () => {
  const modules = { "main.ts": code, "main.cts": code };
  expect(own(complaints(modules, { ...CHECKING, lib: IN_A_PAGE }))).toEqual([]);
}, 120_000);
