// Random parts of messages, joined: tests/streams/langgraph_parts.rs asks Rust for the same messages.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { messagesOf } from "./chunk-parts.mjs";

interface Case {
  parts: object[];
  messages: object[];
}

const cases = JSON.parse(readFileSync(new URL("chunk-parts.json", import.meta.url), "utf8")) as Case[];

test("joins random parts as recorded, and as Rust does", () => {
  for (const { parts, messages } of cases) expect(messagesOf(parts), JSON.stringify(parts)).toEqual(messages);
  expect(cases.length).toBeGreaterThanOrEqual(100);
});
