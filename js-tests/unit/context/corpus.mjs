// The texts that the estimate of tokens is compared on. Prose and code are files of corpus/; data is generated, the same
// on every machine.
import { readFileSync } from "node:fs";

const file = (name) => readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), "utf8");

/** Whole numbers below `end`, the same on every machine (mulberry32). */
export function numbers(seed) {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}

const next = numbers(20261122);
const pick = (list) => list[next(list.length)];
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const characters = (count, of) => times(count, () => of[next(of.length)]).join("");
const HEX = "0123456789abcdef";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const NAMES = ["Ana Torres", "Ben Whitfield", "Chidi Okafor", "Dagmar Lund", "Elif Kaya", "Farah Nasser", "Grace Lin"];
const CITIES = ["Lisbon", "Leeds", "Lagos", "Oslo", "Izmir", "Beirut", "Taipei", "Vancouver", "Utrecht"];
const PRODUCTS = ["desk lamp", "office chair", "USB-C cable, 2 m", "notebook", "water bottle", "backpack", "keyboard"];
const STATUSES = ["pending", "paid", "shipped", "delivered", "returned"];

const uuid = () => [8, 4, 4, 4, 12].map((count) => characters(count, HEX)).join("-");
const date = () => `202${next(7)}-${String(1 + next(12)).padStart(2, "0")}-${String(1 + next(28)).padStart(2, "0")}`;
const time = () =>
  `${date()}T${String(next(24)).padStart(2, "0")}:${10 + next(50)}:${10 + next(50)}.${100 + next(900)}Z`;
const amount = () => next(50_000) / 100;
const mail = (name) => `${name.toLowerCase().replace(" ", ".")}@example.com`;

function order() {
  const name = pick(NAMES);
  return {
    id: uuid(),
    createdAt: time(),
    status: pick(STATUSES),
    customer: { name, email: mail(name), city: pick(CITIES), newsletter: next(2) === 1 },
    items: times(1 + next(3), () => ({
      sku: characters(8, LETTERS),
      title: pick(PRODUCTS),
      quantity: 1 + next(4),
      price: amount(),
    })),
    discount: next(3) === 0 ? null : next(30) / 100,
    total: amount(),
  };
}

/** Pieces of the code files, as an agent writes and edits them. */
const code = ["typescript", "rust", "python"].map(file);
function piece() {
  const lines = pick(code).split("\n");
  const start = next(lines.length - 20);
  return lines.slice(start, start + 3 + next(12)).join("\n");
}

const CALLS = [
  () => ({ path: pick(["src/main.rs", "app/page.tsx", "tests/test_orders.py"]), content: piece() }),
  () => ({ file_path: "/src/thread.ts", old_string: piece(), new_string: piece(), replace_all: false }),
  () => ({ query: `${pick(PRODUCTS)} in ${pick(CITIES)}, price below ${next(90)} euros`, max_results: 5 }),
  () => ({ command: `rg -n "${pick(["TODO", "unwrap", "async def"])}" src | head -${next(50)} && git diff --stat` }),
  () => ({
    sql: `SELECT city, SUM(total) AS revenue FROM orders WHERE created_at >= '${date()}' GROUP BY city ORDER BY revenue DESC LIMIT ${next(100)}`,
  }),
  () => ({
    to: mail(pick(NAMES)),
    subject: `Your order of a ${pick(PRODUCTS)}`,
    body: `Hello ${pick(NAMES)},\n\nyour parcel left ${pick(CITIES)} on ${date()} and should arrive within three days.`,
  }),
  () => ({
    todos: times(3, () => ({
      content: `Check the ${pick(PRODUCTS)} of ${pick(NAMES)}`,
      status: pick(["pending", "in_progress", "completed"]),
    })),
  }),
  () => ({ latitude: next(18_000) / 100 - 90, longitude: next(36_000) / 100 - 180, units: "metric", days: next(10) }),
];

function csv() {
  const rows = times(110, (at) => [
    10_000 + at,
    date(),
    pick(NAMES),
    pick(CITIES),
    pick(STATUSES),
    1 + next(9),
    amount().toFixed(2),
    next(2) === 1,
  ]);
  return ["id,date,customer,city,status,quantity,total,newsletter", ...rows.map((row) => row.join(","))].join("\n");
}

const IDS = [
  uuid,
  uuid,
  () => `call_${characters(24, LETTERS)}`,
  () => `toolu_01${characters(22, LETTERS)}`,
  () => characters(40, HEX),
  () => characters(24, HEX),
  () => `msg-${next(1_000_000)}`,
  () => `run_${date().replaceAll("-", "")}_${next(10_000)}`,
];

const kilobytes = (count) => Uint8Array.from(times(count * 1024, () => next(256)));

/** The kinds of text, each with a name and a text. */
export const corpus = Object.freeze({
  "English prose": file("english"),
  "German prose": file("german"),
  "Russian prose": file("russian"),
  "Arabic prose": file("arabic"),
  "Chinese prose": file("chinese"),
  "Japanese prose": file("japanese"),
  "Korean prose": file("korean"),
  Markdown: file("markdown"),
  TypeScript: file("typescript"),
  Rust: file("rust"),
  Python: file("python"),
  "a diff": file("diff"),
  "JSON, indented": JSON.stringify(times(14, order), null, 2),
  "JSON, minified": JSON.stringify(times(22, order)),
  "tool arguments": times(40, () => JSON.stringify(pick(CALLS)())).join("\n"),
  CSV: csv(),
  ids: times(150, () => pick(IDS)()).join("\n"),
  base64: Buffer.from(kilobytes(6)).toString("base64"),
});
