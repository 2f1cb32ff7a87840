import { MemoryRuns } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { serversTests } from "./run-servers.js";
import { storeTests } from "./run-stores.js";

describe("the store", () => {
  const runs = new MemoryRuns();
  storeTests(() => runs);
});

describe("servers with one store", () => {
  const runs = new MemoryRuns();
  serversTests(() => runs);
});

test("each of many followers gets each part once, whatever comes while others are woken", async () => {
  const runs = new MemoryRuns();
  const lease = await runs.begin(
    { threadId: "t", id: "r", server: "s", owner: undefined, isAlone: true, about: {} },
    () => {},
  );
  const some = async (after: number, signal?: AbortSignal) => {
    const parts: unknown[] = [];
    for await (const part of runs.follow(lease, after, signal)) parts.push(part);
    return parts;
  };
  const followers = Array.from({ length: 250 }, (_, at) => some(at % 4));
  const left = Array.from({ length: 250 }, () => new AbortController());
  const leaving = left.map(({ signal }) => some(0, signal));
  await runs.append(lease, ["one"]);
  // The first hundred are awake by now.
  await runs.append(lease, ["two", "three"]);
  for (const one of left) one.abort();
  await runs.append(lease, ["four"]);
  await runs.end(lease, {});
  const all = [
    [1, "one"],
    [2, "two"],
    [3, "three"],
    [4, "four"],
  ];
  expect(await Promise.all(followers)).toEqual(followers.map((_, at) => all.slice(at % 4)));
  for (const parts of await Promise.all(leaving)) expect(all.slice(0, parts.length)).toEqual(parts);
  // Nobody is left who would be woken.
  expect(await some(0)).toEqual(all);
});
