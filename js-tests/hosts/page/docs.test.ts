// docs/rust-page.md, followed to the letter: its crate, built by its tool, in its page.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { complaints, CHECKING } from "../../unit/types/compiler.js";
import { buildPage, built, exec, root } from "./team.js";

const page = readFileSync(join(root, "docs", "rust-page.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, text]) => text ?? "");

const MANIFEST = `[package]
name = "shop"
version = "0.1.0"
edition = "2024"

[dependencies]
serde = { version = "1", features = ["derive"] }
serde_json = "1"
threadfold = { path = ${JSON.stringify(root)} }
threadfold-page = { path = ${JSON.stringify(join(root, "crates", "page"))} }

${blocks("toml")[0]}
[workspace]
`;

let pkg: string;
let glue: string;
let types: string;

beforeAll(async () => {
  const crate = join(built, "docs");
  mkdirSync(join(crate, "src"), { recursive: true });
  writeFileSync(join(crate, "Cargo.toml"), MANIFEST);
  const [own, other] = blocks("rust,ignore");
  writeFileSync(join(crate, "src", "lib.rs"), `${own}\nmod other {\n${other}}\n`);
  pkg = await buildPage(crate, join("docs", "pkg"));
  glue = readFileSync(join(pkg, "shop.js"), "utf8");
  types = readFileSync(join(pkg, "shop.d.ts"), "utf8");
});

test("the wasm of its four fields is at most 35 KiB gzipped, with the glue", () => {
  const wasm = Buffer.from(/atob\("([^"]+)"/.exec(glue)?.[1] ?? "", "base64");
  const sizes = { wasm: gzipSync(wasm, { level: 9 }).length, all: gzipSync(glue, { level: 9 }).length };
  console.log(sizes);
  expect(wasm.length).toBeGreaterThan(10_000);
  expect(sizes.all).toBeLessThanOrEqual(35 * 1024);
});

test("its page prints what it says", async () => {
  const code = String(blocks("ts")[0]).replace(/, type ShopUpdate/, "");
  writeFileSync(join(pkg, "..", "main.mjs"), code.replace(/const (\w+): .*? = /g, "const $1 = "));
  const { stdout } = await exec(process.execPath, [join(pkg, "..", "main.mjs")]);
  expect(stdout).toBe("[ { sku: 'tea', qty: 2, note: null } ] 7.5\n");
});

test("the module needs no init, as CommonJS sees it, too", async () => {
  const program = `import("${join(pkg, "shop.js")}").then(({ Shop }) => console.log(Shop.initial(3)))`;
  expect((await exec(process.execPath, ["--input-type=commonjs", "-e", program])).stdout).toBe("0\n");
});

test.each(["esm", "cjs", "iife"] as const)("a bundler follows nothing in it: %s", async (format) => {
  const outfile = join(pkg, "..", `bundle-${format}.${format === "esm" ? "mjs" : "cjs"}`);
  const stdin = { contents: `import { Shop } from "./shop.js"; console.log(Shop.fold(3, 1, 2));`, resolveDir: pkg };
  const { warnings } = buildSync({ stdin, bundle: true, format, outfile, logLevel: "silent" });
  expect(warnings).toEqual([]);
  expect((await exec(process.execPath, [outfile])).stdout).toBe("3\n");
});

test("the stand-in for the other tests of the docs has its types", () => {
  expect(types).toBe(readFileSync(join(root, "js-tests", "support", "shop", "shop.d.ts"), "utf8"));
});

const PROGRAM = `
import { defineSchema, Thread, type InferState, type InferUpdate, type LangChainMessage, type Todo } from "threadfold";
import { Shop, type Item, type ShopUpdate } from "./shop.js";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>) => {};

const schema = defineSchema.from(Shop);
type State = InferState<typeof schema>;
type Update = InferUpdate<typeof schema>;
same<State["messages"], LangChainMessage[]>(true);
same<State["todos"], Todo[]>(true);
same<State["cart"], readonly Item[]>(true);
same<State["spent"], number>(true);
same<Item["note"], string | null>(true);
const state: Shop = schema.initial();
const update: ShopUpdate = { cart: [{ sku: "a", qty: 1, note: null }] };
const thread = new Thread({ schema });
thread.update(update);
export const next: State = schema.merge(state, update);
export const more: Update = update;
// @ts-expect-error -- no text
schema.merge(state, { spent: "1" });
// @ts-expect-error -- an item without its quantity
schema.merge(state, { cart: [{ sku: "a", note: null }] });
// @ts-expect-error -- null, where undefined is given
schema.merge(state, { cart: [{ sku: "a", qty: 1, note: undefined }] });
// @ts-expect-error -- no such field
thread.update({ carts: [] });
// @ts-expect-error -- a class that nobody can make
new Shop();
`;

test("its types are the state's and the updates'; wrong updates are refused; nothing is any", () => {
  expect(complaints({ "shop.d.ts": types, "main.ts": PROGRAM }, CHECKING)).toBe("");
  expect(types).not.toMatch(/\bany\b/);
});
