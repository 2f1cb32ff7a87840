// The service of examples/rust-service is killed at random points: nothing is lost, and nothing is there twice.
import { expect, test } from "vitest";
import { builtService, killService } from "./kill-service.mjs";

test("a service that is killed again and again loses nothing and doubles nothing", async () => {
  const kills = Number(process.env["THREADFOLD_KILLS"] ?? 20);
  const figures = await killService(await builtService(), { kills, seed: 1 });
  console.log(figures);
  expect(figures.problems).toEqual([]);
  // Each client has done something.
  expect(figures.turns).toBeGreaterThan(3);
  expect(figures.answers).toBeGreaterThan(0);
}, 900_000);
