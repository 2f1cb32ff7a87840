// concatChunk against AIMessageChunk.concat of @langchain/core, at every prefix of a stream.
import { AIMessageChunk } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";
import { concatChunk } from "threadfold/langgraph";

type Dict = Record<string, unknown>;

/** The fields that both have, in one form: the reference writes missing usage as zeros, ours leaves it out. */
function compared(message: object): Dict {
  const { id, content, additional_kwargs, response_metadata, usage_metadata, ...rest } = message as Dict;
  const { tool_calls, invalid_tool_calls, tool_call_chunks } = rest;
  return {
    id,
    content,
    additional_kwargs,
    response_metadata,
    tool_calls,
    invalid_tool_calls,
    tool_call_chunks,
    usage_metadata: usage_metadata ?? undefined,
  };
}

/** Folds parts with both and compares after each; stops where the reference throws, which then ours must do or be whole. */
function compareAt(parts: Dict[]): void {
  let reference: AIMessageChunk | undefined;
  let ours: object | undefined;
  for (const part of parts) {
    const theirs = new AIMessageChunk(structuredClone(part));
    const next = outcome(() => reference?.concat(theirs) ?? theirs);
    if ("error" in next) return;
    reference = next.answer;
    ours = concatChunk(ours, { ...part, type: "AIMessageChunk" });
    expect(compared(ours)).toEqual(compared(reference));
  }
}

const TEXT = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("你", "👋", "\n", " ", "\\", '"'));

/** A text cut into parts anywhere. */
const cut = (text: string): fc.Arbitrary<string[]> =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((places) => {
    const sorted = [0, ...places.sort((a, b) => a - b), text.length];
    return sorted.slice(1).map((end, at) => text.slice(sorted[at], end));
  });

const KEY = fc.constantFrom("a", "b", "7", "ключ", "a b", "\n", "constructor");
const { value: JSON_VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(KEY, tie("value"), { maxKeys: 3 }),
  ),
}));

const ARGUMENTS_TEXT = fc
  .tuple(fc.dictionary(KEY, JSON_VALUE, { maxKeys: 4 }), fc.constantFrom(undefined, 1, "\t", "\u00a0"), fc.boolean())
  .map(([value, space, ascii]) => {
    const text = JSON.stringify(value, undefined, space);
    return ascii
      ? text.replaceAll(/[^ -~\s]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : text;
  });

/** Almost JSON: a piece is inserted, removed or doubled, or only the lenient reader accepts it. */
const BROKEN_TEXT = fc.oneof(
  fc
    .tuple(
      ARGUMENTS_TEXT,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom("", "x", '"', "\\", ",", "}", "]", "{", "-", "0", "1", ".", "e", "n", " ", "\\u12", "\u0001"),
    )
    .map(([text, place, out, put]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + out);
    }),
  fc
    .array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"',
        "\\",
        "u00e9",
        "-",
        "0",
        "1",
        ".5",
        "e",
        "+",
        "true",
        "nul",
        "null",
        " ",
        "\n",
      ),
      { maxLength: 14 },
    )
    .map((tokens) => `{"a":${tokens.join("")}`),
);

test("arguments cut anywhere are read as the reference reads them at each prefix", () => {
  const argument = fc.oneof(ARGUMENTS_TEXT, BROKEN_TEXT).chain(cut);
  fc.assert(
    fc.property(argument, fc.boolean(), (pieces, withId) => {
      compareAt(
        pieces.map((args, at) => ({
          id: "m",
          content: "",
          tool_call_chunks: [
            {
              name: at === 0 ? "write" : null,
              args,
              id: at === 0 && withId ? "c1" : null,
              index: 0,
              type: "tool_call_chunk",
            },
          ],
        })),
      );
    }),
    seeded("tool call arguments", 4_000),
  );
});

test("every prefix, character by character", () => {
  fc.assert(
    fc.property(fc.oneof(ARGUMENTS_TEXT, BROKEN_TEXT), (text) => {
      compareAt(
        Array.from(text, (args, at) => ({
          content: "",
          tool_call_chunks: [{ args, index: 0, ...(at === 0 ? { id: "c1", name: "write" } : {}) }],
        })),
      );
    }),
    seeded("tool call arguments by characters", 600),
  );
});

const BLOCK = fc.record(
  {
    type: fc.constantFrom("text", "text_delta", "reasoning", "image"),
    text: TEXT,
    reasoning: TEXT,
    id: fc.constantFrom("x", "y", ""),
    index: fc.constantFrom<(number | string)[]>(0, 1, "lc_1"),
    source_type: fc.constantFrom("text", "url"),
    n: fc.nat({ max: 3 }),
  },
  { requiredKeys: ["type"] },
);
const CONTENT = fc.oneof(
  { weight: 4, arbitrary: TEXT as fc.Arbitrary<unknown> },
  { weight: 2, arbitrary: fc.array(BLOCK, { maxLength: 3 }) },
);
const KWARGS = fc.dictionary(
  fc.constantFrom("a", "id", "name", "type", "index", "created", "model_provider", "list", "n"),
  fc.oneof(
    TEXT as fc.Arbitrary<unknown>,
    fc.nat({ max: 5 }),
    fc.constant(null),
    fc.array(BLOCK, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "n"), TEXT),
  ),
  { maxKeys: 3 },
);
const CALL_CHUNK = fc.record(
  {
    name: fc.constantFrom("add", "find", null),
    args: fc.constantFrom("", '{"a":', "1}", '{"', "a", '"', "}", " ", null),
    id: fc.constantFrom("c1", "c2", "", null),
    index: fc.constantFrom(0, 1, null),
    type: fc.constant("tool_call_chunk"),
    isCustomTool: fc.constant(true),
  },
  { requiredKeys: ["args", "type"] },
);
const USAGE = fc.record(
  {
    input_tokens: fc.nat({ max: 9 }),
    output_tokens: fc.nat({ max: 9 }),
    total_tokens: fc.nat({ max: 9 }),
    input_token_details: fc.record({ cache_read: fc.nat({ max: 3 }), audio: fc.nat({ max: 3 }) }, { requiredKeys: [] }),
    output_token_details: fc.record({ reasoning: fc.nat({ max: 3 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: ["input_tokens", "output_tokens", "total_tokens"] },
);
const PART = fc.record(
  {
    content: CONTENT,
    id: fc.constantFrom("m", undefined),
    additional_kwargs: KWARGS,
    response_metadata: KWARGS,
    tool_call_chunks: fc.array(CALL_CHUNK, { maxLength: 2 }),
    tool_calls: fc.array(
      fc.record({
        name: fc.constant("add"),
        args: fc.dictionary(fc.constantFrom("a", "b"), TEXT),
        id: fc.constantFrom("c1", "c2", "c3"),
      }),
      { maxLength: 2 },
    ),
    usage_metadata: USAGE,
  },
  { requiredKeys: ["content"] },
);

test("parts of every kind are joined as the reference joins them", () => {
  fc.assert(
    fc.property(fc.array(PART, { minLength: 1, maxLength: 8 }), (parts) => compareAt(parts as Dict[])),
    seeded("parts of messages", 4_000),
  );
});
