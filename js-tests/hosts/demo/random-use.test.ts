// Five seconds of random use under faults, in CI two minutes; `node js-tests/hosts/demo/random-use.mjs` does it for ten.
import { expect, test } from "vitest";
import { isThorough, seeded } from "../../support/seed";
import { growth, MAY_GROW, randomUse } from "./random-use.mjs";
import { browser, demo } from "./served-demo";

const [SECONDS, UNTIL] = isThorough() ? [120, 400_000] : [5, 120_000];

test(
  "random use under faults: no error, no drift, the server's thread in the end",
  async () => {
    const { seed } = seeded("random use", 1);
    const seen = await randomUse(browser, { address: demo.address, seconds: SECONDS, seed });
    expect(seen.problems).toEqual([]);
    expect(seen.runs).toBeGreaterThan(0);
    // In five seconds the page has had a thread or two: its growth until then is warming up.
    if (isThorough()) expect(growth(seen.memory)).toBeLessThan(MAY_GROW);
  },
  UNTIL,
);
