// The service of examples/rust-service is killed at random points: nothing is lost, and nothing is there twice.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { target } from "../../../scripts/rust.mjs";
import { killService } from "./kill-service.mjs";

const example = fileURLToPath(new URL("../../../examples/rust-service", import.meta.url));

test("a service that is killed again and again loses nothing and doubles nothing", async () => {
  const folder = join(target, "rust-service");
  await promisify(execFile)("cargo", ["build", "--quiet", "--target-dir", folder], { cwd: example });
  const kills = Number(process.env["THREADFOLD_KILLS"] ?? 20);
  const figures = await killService(join(folder, "debug", "rust-service"), { kills, seed: 1 });
  console.log(figures);
  expect(figures.problems).toEqual([]);
  // Each client has done something.
  expect(figures.turns).toBeGreaterThan(3);
  expect(figures.answers).toBeGreaterThan(0);
}, 900_000);
