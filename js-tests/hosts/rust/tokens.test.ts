// The example that counts a model's own tokens, as a user of the crate runs it.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { target } from "../../../scripts/rust.mjs";

const example = fileURLToPath(new URL("../../../examples/rust-tokens", import.meta.url));

test("the example's context keeps as much as its own counter allows, and the estimate is close to it", async () => {
  const run = ["run", "--quiet", "--target-dir", join(target, "rust-tokens")];
  const { stdout } = await promisify(execFile)("cargo", run, { cwd: example });
  const said = /^history: (\d+) tokens, estimated (\d+)\ncontext: (\d+) tokens, behind message (\d+)\n$/.exec(stdout);
  const [counted, estimated, kept, cutoff] = (said ?? []).slice(1).map(Number) as [number, number, number, number];
  expect(counted).toBeGreaterThan(8_000);
  expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.12);
  // The summary goes in front of the kept messages.
  expect(kept).toBeLessThan(2_000 + 50);
  expect(cutoff).toBeLessThan(800);
}, 300_000);
