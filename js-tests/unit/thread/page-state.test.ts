// `defineSchema.from` with a stand-in for the class that `page!` exports.
import { defineSchema, Thread } from "threadfold";
import { expect, test } from "vitest";

test("a panic is told, also where the wasm cannot be started anew; the next call tries that again", () => {
  let isBroken = true;
  let resets = 0;
  const page = {
    fields: () => [{ name: "cart", kind: "reducer" }],
    initial: () => [],
    fold(_at: number, _now: unknown, update: unknown) {
      if (isBroken) throw new Error("cart: panicked at cart.rs");
      return update;
    },
    reset() {
      resets++;
      if (isBroken) throw new Error("no memory");
    },
  };
  const thread = new Thread({ schema: defineSchema.from(page as never) }) as Thread<{ cart: unknown }, object>;
  const failed = (): unknown => {
    try {
      thread.update({ cart: ["tea"] });
      return undefined;
    } catch (error) {
      return (error as { cause?: { message: string } }).cause?.message;
    }
  };
  expect(failed()).toBe("cart: panicked at cart.rs");
  expect(failed()).toBe("cart: panicked at cart.rs");
  isBroken = false;
  expect(failed()).toBeUndefined();
  expect(resets).toBe(3);
  expect(failed()).toBeUndefined();
  expect([thread.getState().cart, resets]).toEqual([["tea"], 3]);
});
