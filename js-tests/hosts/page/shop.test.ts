// A team's own state in a page: what it folds, and what becomes of errors and panics.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineSchema, Thread, ThreadfoldError, type PageState, type Schema } from "threadfold";
import { beforeAll, expect, test } from "vitest";
import { complaints, CHECKING } from "../../unit/types/compiler.js";
import { buildPage, built, exec, root } from "./team.js";

interface Item {
  sku: string;
  qty: number;
  note: string | null;
}

let Shop: PageState<Record<never, never>> & { reset(): void };
let schema: Schema<Record<string, never>>;
let Basket: Schema<Record<string, never>>;
let pkg: string;

beforeAll(async () => {
  pkg = await buildPage(join(root, "js-tests", "hosts", "page", "shop"), "shop");
  const made = (await import(pathToFileURL(join(pkg, "shop.js")).href)) as Record<"Shop" | "Basket", typeof Shop>;
  ({ Shop } = made);
  Basket = defineSchema.from(made.Basket) as typeof Basket;
  schema = defineSchema.from(Shop) as typeof schema;
});

const item = (sku: string, qty = 1): Item => ({ sku, qty, note: null });
type State = Record<string, unknown> & { cart: Item[] };
const merge = (state: object, update: object): State => schema.merge(state as never, update as never);

/** The error of a call, which must fail. */
function failure(call: () => unknown): ThreadfoldError {
  try {
    call();
  } catch (error) {
    if (error instanceof ThreadfoldError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}
const because = (call: () => unknown): string => {
  const { code, cause } = failure(call);
  expect(code).toBe("REDUCER_FAILED");
  return (cause as Error).message;
};

test("the state starts as Rust's Default does, and a skipped field is not in it", () => {
  expect(schema.initial()).toEqual({
    messages: [],
    todos: [],
    tools: [],
    files: {},
    cart: [],
    spentCents: 0,
    coupon: null,
    log: [],
    views: {},
    status: { is: "open" },
    tree: [],
    shelves: {
      ...{ number: {}, signed: {}, long: {}, flag: {}, letter: {}, sku: {}, count: {}, open: {} },
      ...{ season: {}, price: {}, nested: {} },
    },
  });
});

test("each field is folded by its reducer, on either side", () => {
  const update = {
    messages: [{ type: "human", id: "1", content: "hi" }],
    cart: [item("a"), item("b", 2)],
    spentCents: 5,
    coupon: "SPRING",
    log: ["one"],
    views: "/",
    status: { is: "paid", at: 3 },
  };
  const once = merge(schema.initial(), update);
  const twice = merge(once, { ...update, cart: [item("a", 0)], coupon: null });
  expect(twice).toEqual({
    ...schema.initial(),
    messages: update.messages,
    cart: [item("b", 2)],
    spentCents: 10,
    coupon: null,
    log: ["one", "one"],
    views: { "/": 2 },
    status: update.status,
  });
});

test("parts that did not change are the same objects", () => {
  const state = merge(schema.initial(), {
    cart: [item("a"), item("b"), item("c")],
    status: { is: "sent", codes: [1] },
  });
  const next = merge(state, { cart: [item("b", 5)], views: "/" });
  expect(next.cart.map((one, at) => one === state.cart[at])).toEqual([true, false, true]);
  expect(next.status).toBe(state.status);
  expect(merge(next, { cart: [] }).cart).toBe(next.cart);
  const [a, b, c] = next.cart;
  const less = merge(next, { cart: [item("a", 0)] }).cart;
  expect([less.length, less[0] === b, less[1] === c]).toEqual([2, true, true]);
  const more = merge(next, { cart: [item("d")] }).cart;
  expect([more.length, more[0] === a, more[1] === b, more[2] === c]).toEqual([4, true, true, true]);
  expect(merge(next, { cart: [item("a", 0), item("b", 0), item("c", 0)] }).cart).toEqual([]);
  expect(merge(next, { status: { is: "sent", codes: [1] } }).status).toBe(next.status);
});

test("an error has a place", () => {
  const cart = (items: unknown) => because(() => merge(schema.initial(), { cart: items }));
  const good = [item("a"), item("b"), item("c")];
  expect(cart([...good, item("d", -2)])).toBe("cart[3].qty: expected u32, got -2");
  expect(cart([...good, item("d", 1.5)])).toBe("cart[3].qty: expected u32, got 1.5");
  expect(cart([{ sku: "a" }])).toBe("cart[0]: missing field `qty`");
  expect(cart([{ ...item("a"), sku: null }])).toBe("cart[0].sku: expected a string, got null");
  expect(cart([{ ...item("a"), more: 1 }])).toMatch(/^cart\[0\]: unknown field `more`, expected one of /);
  expect(cart(null)).toBe("cart: expected a sequence, got null");
  expect(cart({})).toBe("cart: expected a sequence, got an object");
  expect(because(() => merge({ cart: 7 }, { cart: [] }))).toBe(
    "cart: expected a sequence, got 7, in the current value",
  );
  const sent = { status: { is: "sent", codes: [] } };
  expect(because(() => merge(sent, { status: { is: "open" } }))).toBe("status: it was sent");
  expect(because(() => merge({}, { views: JSON.parse('{ "__proto__": 1 }') as object }))).toMatch(/^views: /);
});

test("a panic is an error with its message, and the thread goes on", () => {
  const thread = new Thread({ schema } as never) as unknown as {
    update(update: object): unknown;
    receive(state: object): boolean;
    getState(): State;
  };
  thread.update({ cart: [item("a")] });
  expect(because(() => thread.update({ cart: [item("panic")] }))).toMatch(
    /^cart: panicked at .*lib\.rs:\d+:\d+:\nno such sku$/,
  );
  thread.update({ cart: [item("b")] });
  expect(thread.getState().cart).toEqual([item("a"), item("b")]);
});

test("5,000 panics spoil no fold", () => {
  let state = merge(schema.initial(), {});
  for (let at = 1; at <= 5000; at++) {
    failure(() => merge(state, { cart: [item("panic")] }));
    state = merge(state, { cart: [item("a", at)], spentCents: 1 });
    if (state.cart[0]?.qty !== at) throw new Error(`fold ${at} is wrong`);
  }
  expect(state).toMatchObject({ cart: [item("a", 5000)], spentCents: 5000 });
});

test("without the reset the stack runs out: panics need it", () => {
  const broken = defineSchema.from({ ...statics(), reset: () => {} }) as typeof schema;
  const once = () => broken.merge({ cart: [] } as never, { cart: [item("panic")] } as never);
  const causes = Array.from({ length: 5000 }, () => (failure(once).cause as Error).message);
  expect(causes.some((message) => !message.startsWith("cart: panicked"))).toBe(true);
  Shop.reset();
  expect(merge({ cart: [] }, { cart: [item("a")] }).cart).toHaveLength(1);
});

const statics = () => ({ fields: Shop.fields, initial: Shop.initial, fold: Shop.fold });

test("a getter in an update that folds, and one that throws, spoil nothing", () => {
  const nested: unknown[] = [];
  const odd = {
    ...item("a"),
    get qty() {
      nested.push(merge({ cart: [] }, { cart: [item("b")] }).cart.length);
      because(() => merge({ cart: [] }, { cart: [item("panic")] }));
      return 3;
    },
  };
  expect(merge({ cart: [] }, { cart: [odd] }).cart).toEqual([item("a", 3)]);
  expect(nested.every((length) => length === 1)).toBe(true);
  const throws = {
    ...item("a"),
    get qty(): number {
      throw new Error("mine");
    },
  };
  expect(because(() => merge({ cart: [] }, { cart: [throws] }))).toBe(
    "cart: mine. Pass plain data without cycles; a reducer must end.",
  );
  expect(merge({ cart: [] }, { cart: [item("b")] }).cart).toEqual([item("b")]);
});

test("a failure that is no panic has its field, too, and spoils nothing", () => {
  const endless: unknown[] = [];
  endless.push(endless);
  const state = merge(schema.initial(), { tree: [[]] });
  for (const tree of [endless, JSON.parse("[".repeat(20_000) + "]".repeat(20_000))])
    expect(because(() => merge(state, { tree }))).toMatch(/^tree: .*\. Pass plain data without cycles; /);
  expect(state.tree).toEqual([[]]);
  expect(merge(state, { tree: [] }).tree).toEqual([]);
});

test("a map has the keys that JSON gives it", () => {
  const keys = {
    number: { 4: 1 },
    signed: { "-4": 1 },
    long: { "18446744073709551616": 1 },
    flag: { true: 1 },
    letter: { x: 1 },
    sku: { a: 1 },
    count: { 7: 1 },
    open: { false: 1 },
    season: { summer: 1 },
    price: { "0.5": 1 },
    nested: { "-1": [{ true: 1 }] },
  };
  const state = merge(schema.initial(), { shelves: keys });
  expect(state.shelves).toEqual(keys);
  expect(merge(state, { shelves: keys }).shelves).toBe(state.shelves);
  const refused = (shelves: object) => because(() => merge(schema.initial(), { shelves }));
  expect(refused({ number: { four: 1 } })).toBe('shelves.number: invalid key: expected u8, got "four"');
  expect(refused({ number: { 256: 1 } })).toBe("shelves.number: invalid key: expected u8, got 256");
  expect(refused({ flag: { yes: 1 } })).toBe('shelves.flag: invalid key: expected a boolean, got "yes"');
});

test("a key that would be a prototype is not written either", () => {
  expect(because(() => merge({}, { views: "__proto__" }))).toBe("views: the key __proto__ is not allowed");
});

test("a number that JavaScript cannot hold is named with its field", () => {
  const most = Basket.merge(Basket.initial(), { clicks: 2 ** 53 - 1 } as never);
  expect(because(() => Basket.merge(most, { clicks: 1 } as never))).toMatch(
    /^clicks: 9007199254740992 can't be represented/,
  );
  const cents = Basket.merge(Basket.merge(Basket.initial(), { cents: -1 } as never), { cents: 2 ** 53 - 1 } as never);
  expect(cents).toMatchObject({ cents: 2 ** 53 - 2 });
  expect(because(() => Basket.merge(cents, { cents: 2 } as never))).toMatch(
    /^cents: 9007199254740992 can't be represented/,
  );
});

test("an update of another type than its field's has that type, in JavaScript and in TypeScript", () => {
  expect(Basket.merge(Basket.initial(), { opened: 7 } as never)).toMatchObject({ opened: "day 7" });
  const types = readFileSync(join(pkg, "shop.d.ts"), "utf8");
  expect(types).toContain('readonly "opened": string;');
  expect(types).toContain('readonly "opened"?: number | import("threadfold").Overwrite<string>;');
});

test("two states of a crate share a type", () => {
  const types = readFileSync(join(pkg, "shop.d.ts"), "utf8");
  expect(types.match(/^export type Item = /gm)).toHaveLength(1);
  expect(types.match(/^export class \w+/gm)).toEqual(["export class Basket", "export class Shop"]);
  const program =
    'import { Shop, Basket, type Item } from "./shop.js"; export const all: [Item?, unknown?, unknown?] = [undefined, Shop, Basket];' +
    '\nexport const shelves: Partial<Shop["shelves"]> = { number: { 4: 1 }, flag: { true: 1 }, open: { false: 1 }, season: { summer: 1 } };' +
    '\n// @ts-expect-error -- no such key\nexport const flag: Shop["shelves"]["flag"] = { yes: 1 };';
  expect(complaints({ "shop.d.ts": types, "main.ts": program }, CHECKING)).toBe("");
});

/** Writes a crate of one file. */
function crateOf(name: string, manifest: string, program: string): string {
  const crate = join(built, name);
  mkdirSync(join(crate, "src"), { recursive: true });
  writeFileSync(join(crate, "Cargo.toml"), manifest);
  writeFileSync(join(crate, "src", "lib.rs"), program);
  return crate;
}

test("a crate without `page!` is refused by the tool, and so is an option that nobody knows", async () => {
  const manifest = '[package]\nname = "bare"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n';
  const crate = crateOf("bare", manifest, "pub fn nothing() {}\n");
  const page = (...options: string[]) => buildPage(crate, join("bare", "pkg"), { lock: false, options });
  await expect(page()).rejects.toThrow(/the crate has no `threadfold_page::page!\(State\)`/);
  await expect(page("--uot", "x")).rejects.toThrow(/unknown option in `--uot x`: threadfold-page has --out, /);
});

test("a state without `page` is refused with what it lacks", async () => {
  const own = readFileSync(join(root, "js-tests", "hosts", "page", "shop", "Cargo.toml"), "utf8");
  const manifest = own.replace('name = "shop"', 'name = "plain"').replaceAll("../../../..", root);
  const program = `use threadfold::State;
#[derive(Clone, Default, State)]
struct Plain { #[reducer(|sum, more| sum + more)] clicks: u32 }
threadfold_page::page!(Plain);
`;
  await expect(buildPage(crateOf("plain", manifest, program), join("plain", "pkg"))).rejects.toThrow(
    /`Plain` has no fields that a page can fold[^]*derive `State` for it with `#\[state\(page\)\]`/,
  );
});

test("anything but such a class is refused", () => {
  for (const odd of [undefined, null, {}, schema])
    expect(failure(() => defineSchema.from(odd as never)).code).toBe("INVALID_ARGUMENT");
});

test("in development a large field is a warning, once", async () => {
  const program = join(pkg, "large.mjs");
  writeFileSync(
    program,
    `import { defineSchema } from "threadfold";
import { Shop } from "./shop.js";
const schema = defineSchema.from(Shop);
const cart = Array.from({ length: 1000 }, (_, at) => ({ sku: "sku " + at, qty: 1, note: null }));
const state = schema.merge(schema.initial(), { cart });
schema.merge(state, { cart: [{ sku: "one", qty: 1, note: null }], views: "/" });`,
  );
  const warnings = async (mode: string) =>
    (await exec(process.execPath, [program], { env: { ...process.env, NODE_ENV: mode } })).stderr;
  expect((await warnings("development")).match(/^Field .*/gm)).toEqual([
    "Field 'cart' is large, and each update copies it. Split it, or use a reducer such as Append.",
  ]);
  expect(await warnings("production")).toBe("");
});
