// Parts of a LangGraph run, in the middle of it, and the stream that says them.

export const ANSWER = "the answer";
const METADATA = { langgraph_checkpoint_ns: "model:1", langgraph_node: "model" };

/** Parts of the stream of messages. Each reader gets new ones, because the SDK writes into them. */
const said = (message) => ({ event: "messages", data: [{ type: "AIMessageChunk", id: ANSWER, ...message }, METADATA] });

export function textParts(count) {
  return Array.from({ length: count }, () => said({ content: " token", tool_call_chunks: [] }));
}

/** A call that writes a file: the parts of its arguments number `from` to `to`, all of them within one long string. */
export function argumentsParts(from, to) {
  return Array.from({ length: to - from }, (_, at) => argumentsPart(argumentsToken(from + at), from + at === 0));
}

/** The parts before number `to` as one. */
export function argumentsInOnePart(to) {
  const text = Array.from({ length: to }, (_, at) => argumentsToken(at)).join("");
  return to > 0 ? [argumentsPart(text, true)] : [];
}

const WORDS = ["The", " quick", " brown", " fox", " jumps", " over", " the", " lazy", " dog.", "\\n"];
const argumentsToken = (at) => (at === 0 ? '{"path": "report.md", "content": "' : WORDS[at % WORDS.length]);

function argumentsPart(args, isFirst) {
  const named = isFirst ? { name: "write_file", id: "call" } : { name: null, id: null };
  return said({ content: "", tool_call_chunks: [{ ...named, args, index: 0, type: "tool_call_chunk" }] });
}

/** A stream that yields the parts it is given. A reader that asks for the next part has finished the previous one. */
export class Feed {
  #look;
  #parts = [];
  #at = 0;
  #asked = () => {};
  #taken = () => {};

  constructor(look = () => {}) {
    this.#look = look;
  }

  /** Says these; the promise is kept when they have all been taken. */
  say(parts) {
    return new Promise((resolve) => {
      this.#parts = parts;
      this.#at = 0;
      this.#taken = resolve;
      if (parts.length > 0) this.#answer();
      else resolve();
    });
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    this.#look();
    return new Promise((resolve) => {
      this.#asked = resolve;
      if (this.#at < this.#parts.length) this.#answer();
      else this.#taken();
    });
  }

  #answer() {
    this.#asked({ value: this.#parts[this.#at++], done: false });
  }
}
