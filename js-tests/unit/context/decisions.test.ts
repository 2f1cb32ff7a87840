// The compactions due in recorded conversations: tests/context_decisions.rs asks Rust for the same.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { looksAt, POLICIES } from "./decisions.mjs";

interface Case {
  policy: keyof typeof POLICIES;
  messages: object[];
  looks: { due?: object }[];
}

const cases = JSON.parse(readFileSync(new URL("decisions.json", import.meta.url), "utf8")) as Case[];

for (const policy of Object.keys(POLICIES) as Case["policy"][])
  test(`decides as recorded, and as Rust does: ${policy}`, () => {
    const own = cases.filter((one) => one.policy === policy);
    for (const { messages, looks } of own) expect(looksAt(policy, messages)).toEqual(looks);
    expect(own.flatMap(({ looks }) => looks.filter(({ due }) => due)).length).toBeGreaterThan(20);
  });
