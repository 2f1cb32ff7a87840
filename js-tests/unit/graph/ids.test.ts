// Ids, beside those of langgraph.js.
import { uuid5 as theirUuid5 } from "@langchain/langgraph-checkpoint";
import { expect, test } from "vitest";
import { interruptId, uuid5, uuid6 } from "../../../pkg-template/src/graph/ids/ids.js";

/** A text of about so many bytes, not all of them ASCII. */
const text = (length: number) => "model:8f5|é€".repeat(Math.ceil(length / 12)).slice(0, length);

test("a task's id is the uuid5 of its text", () => {
  const namespace = "1f0c3b2a-9d1e-6c00-bfff-0123456789ab";
  for (let length = 0; length < 200; length++) {
    expect(uuid5(text(length), namespace)).toBe(theirUuid5(text(length), namespace));
  }
});

test("an interrupt's id is the XXH3 of its namespace, however long", async () => {
  const { XXH3 } = (await import(new URL("hash.js", import.meta.resolve("@langchain/langgraph")).href)) as {
    XXH3: (text: string) => string;
  };
  // Each of its ways of hashing but those for less than a uuid, and each length at which one ends.
  const lengths = Array.from({ length: 500 }, (_, at) => at + 20).concat(1023, 1024, 1025, 2048, 3000);
  for (const length of lengths) expect(interruptId(text(length))).toBe(XXH3(text(length)));
});

test("a checkpoint's id is a uuid6 and sorts after earlier ones", () => {
  let before = "";
  for (let count = 0; count < 25_000; count++) {
    // A clock that stops, and one that goes back.
    const id = uuid6(count < 20_000 ? 5_000_000_000_000 : 4_000_000_000_000, count - 1);
    expect(id > before).toBe(true);
    before = id;
  }
  expect(before).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const [first, middle, last] = uuid6(6_000_000_000_000, 3).split("-") as [string, string, string];
  const milliseconds = Number(BigInt(`0x${first}${middle}${last.slice(1)}`) / 10_000n) - 12_219_292_800_000;
  expect(milliseconds).toBe(6_000_000_000_000);
});
