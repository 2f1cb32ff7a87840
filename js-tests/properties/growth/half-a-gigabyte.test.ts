import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";

const [PART, MEGABYTES] = isThorough() ? [1, 512] : [0.1, 64];

test("100,000 fields, 10,000 pending messages and 1,000,000 tokens fit into one process with 512 MB, a tenth into 64", () => {
  const script = fileURLToPath(new URL("half-a-gigabyte.mjs", import.meta.url));
  const said = execFileSync(process.execPath, [`--max-old-space-size=${MEGABYTES}`, script, String(PART)], {
    encoding: "utf8",
  });
  expect(said.split("\n").filter((line) => line.includes(" MB"))).toHaveLength(3);
}, 120_000);
