// `node js-tests/unit/langgraph/chunk-parts.mjs` records what `concatChunk` makes of random parts of messages, in
// chunk-parts.json. TypeScript's (chunk-parts.test.ts) and Rust's (tests/streams/langgraph_parts.rs) must both give these;
// chunk.test.ts holds TypeScript's to @langchain/core.
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { concatChunk } from "threadfold/langgraph";
import { numbers } from "../context/corpus.mjs";

const COUNT = 100;
const TEXTS = ["", "a", "b ", "é", "👋"];
const ARGUMENTS = [
  '{"a": [1, -2.5, tr',
  'ue, null], "b": {"c": "x\\n',
  '\\u00e9\\ud83d\\udc4b"}',
  "}",
  '{"a": 1e',
  "5}",
  '{"',
  'k": ',
  " ",
  "",
  "-",
  "0",
  ".5",
  "nul",
  "[",
  "]",
  ",",
  "x",
  null,
];

/** Random parts of one message. */
function makeParts(next) {
  const pick = (list) => list[next(list.length)];
  const seldom = (make, of = 4) => (next(of) === 0 ? make() : {});
  const block = () => ({
    type: pick(["text", "text", "text_delta", "reasoning", "image"]),
    text: pick(TEXTS),
    ...seldom(() => ({ index: pick([0, 1, "lc_1"]) }), 2),
    ...seldom(() => ({ id: pick(["x", "y", ""]) })),
    ...seldom(() => ({ source_type: pick(["text", "url"]) }), 9),
  });
  const content = () =>
    pick([() => pick(TEXTS), () => pick(TEXTS), () => Array.from({ length: next(3) }, block), () => null])();
  const kwargs = () =>
    Object.fromEntries(
      Array.from({ length: next(3) }, () => [
        pick(["a", "id", "name", "type", "index", "created", "list", "n"]),
        pick([() => pick(TEXTS), () => next(5), () => null, () => [block()], () => ({ a: pick(TEXTS) }), () => true])(),
      ]),
    );
  const call = () => ({
    name: pick(["add", null]),
    args: pick(ARGUMENTS),
    id: pick(["c1", "c1", "c2", "", null]),
    index: pick([0, 0, 1, null]),
    type: "tool_call_chunk",
    ...seldom(() => ({ isCustomTool: true }), 30),
  });
  const usage = () => ({
    input_tokens: next(9),
    output_tokens: next(9),
    total_tokens: next(9),
    ...seldom(() => ({ input_token_details: { cache_read: next(3) } }), 2),
  });
  const kind = pick(["AIMessageChunk", "AIMessageChunk", "AIMessageChunk", "HumanMessageChunk", "ToolMessageChunk"]);
  const isCalled = next(2) === 0;
  const part = () => ({
    type: kind,
    ...seldom(() => ({ id: "m" }), 2),
    content: isCalled ? "" : content(),
    ...seldom(() => ({ additional_kwargs: kwargs() }), 3),
    ...seldom(() => ({ response_metadata: kwargs() }), 5),
    ...(isCalled && { tool_call_chunks: Array.from({ length: 1 + next(2) }, call) }),
    ...seldom(() => ({ usage_metadata: pick([null, usage()]) }), 5),
    ...seldom(() => ({ status: pick(["error", "success"]), artifact: pick([{ n: 1 }, [1], null]) }), 6),
  });
  return Array.from({ length: 1 + next(9) }, part);
}

/** Returns the message after each part, up to one that is refused, and its error. */
export function messagesOf(parts) {
  const messages = [];
  let message;
  for (const part of parts) {
    try {
      message = concatChunk(message, part);
    } catch ({ code }) {
      return [...messages, { refused: code }];
    }
    messages.push(JSON.parse(JSON.stringify(message)));
  }
  return messages;
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  const next = numbers(20261126);
  const cases = Array.from({ length: COUNT }, () => makeParts(next));
  const lines = cases.map((parts) => JSON.stringify({ parts, messages: messagesOf(parts) })).join(",\n");
  writeFileSync(fileURLToPath(new URL("chunk-parts.json", import.meta.url)), `[\n${lines}\n]\n`);
}
