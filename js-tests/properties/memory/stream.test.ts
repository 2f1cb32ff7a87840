// A long stream into a long thread leaks nothing, on either side of the boundary.
import { core, heapUsed } from "../../support/wasm.js";
import { MessageList, type LangChainMessage } from "threadfold";
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";

const MESSAGES = 10_000;
const TOKENS = 100_000;
const TOKENS_PER_SNAPSHOT = 100;
const ROUNDS = isThorough() ? 5 : 3;
/** The messages that grow, spread over the list: 1,000 tokens each. */
const GROWING = Array.from({ length: 100 }, (_, at) => String(at * (MESSAGES / 100)));
/** The engine's own fluctuation in a round: a mebibyte in all rounds after the first. */
const NOISE = (1024 * 1024) / (ROUNDS - 1);

/** Returns the least growth from a round to the next: a leak grows in each, the engine, which compiles as it goes, in some. */
const leaked = (heaps: readonly number[]): number =>
  Math.min(...heaps.slice(1).map((heap, at) => heap - (heaps[at] as number)));

const message = (id: string): LangChainMessage => ({ type: "ai", id, content: "" });

test(`${TOKENS} tokens into ${MESSAGES} messages, a snapshot every ${TOKENS_PER_SNAPSHOT}: nothing grows round by round`, async () => {
  const list = new MessageList(Array.from({ length: MESSAGES }, (_, at) => message(String(at))));
  const token = (at: number) => GROWING[at % GROWING.length] as string;
  const after: { wasm: number; heap: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let snapshot = list.snapshot();
    for (let at = 0; at < TOKENS; at++) {
      list.append(token(at), "token ");
      if ((at + 1) % TOKENS_PER_SNAPSHOT === 0) {
        const next = list.snapshot();
        if (next === snapshot) throw new Error("a snapshot after a change is another one");
        snapshot = next;
      }
    }
    for (const id of GROWING)
      expect(snapshot[Number(id)]?.content).toHaveLength((TOKENS / GROWING.length) * "token ".length);
    // Only the text may grow: each round starts without.
    list.update(GROWING.map(message));
    snapshot = list.snapshot();
    expect(snapshot).toHaveLength(MESSAGES);
    const { memory } = core();
    after.push({ wasm: memory.buffer.byteLength, heap: await heapUsed() });
  }
  const [first, ...rest] = after;
  console.log(after.map(({ wasm, heap }) => `wasm ${wasm / 1024} KiB, heap ${Math.round(heap / 1024)} KiB`).join("\n"));
  for (const { wasm } of rest) expect(wasm).toBe(first?.wasm);
  expect(leaked(after.map(({ heap }) => heap))).toBeLessThan(NOISE);
  list.dispose();
});

test("so do whole updates: messages that come and go", async () => {
  const list = new MessageList<LangChainMessage>();
  const sizes: number[] = [];
  let heaps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < 20_000; at++) {
      // Ids that were never seen before: the list must not remember those that are gone.
      list.update(message(`${round}-${at}`));
      if (at >= 100) list.update({ type: "remove", id: `${round}-${at - 100}` });
    }
    expect(list.length).toBe(100);
    list.update({ type: "remove", id: "__remove_all__" });
    expect(list.snapshot()).toEqual([]);
    sizes.push(core().memory.buffer.byteLength);
    heaps = [...heaps, await heapUsed()];
  }
  expect(new Set(sizes).size, `wasm memory ${sizes}`).toBe(1);
  expect(leaked(heaps), `heap ${heaps}`).toBeLessThan(NOISE);
  list.dispose();
});
