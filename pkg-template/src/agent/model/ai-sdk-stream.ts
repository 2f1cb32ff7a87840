// A streamed answer of the AI SDK: its parts, put together as `doGenerate` returns them.
import { ThreadfoldError } from "../../shared/errors.js";
import type { Fields } from "../message.js";
import type { AiSdkModel } from "../types.js";
import { chunkOf } from "./model-call.js";

const BLOCK = /^(text|reasoning)-(start|delta|end)$/;

/**
 * Reads a stream of parts to its end.
 *
 * @throws the stream's own error. {@link ThreadfoldError} `MODEL_FAILED` for an error part that holds no Error: providers
 *   report a text or JSON.
 */
export async function gathered(
  stream: ReadableStream<Fields>,
  id: string,
  onChunk: (chunk: object) => void,
  model: AiSdkModel,
): Promise<Fields> {
  const answer = new StreamedAnswer(id, onChunk);
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value: part, done } = await reader.read();
      if (done) return answer.whole();
      if (part["type"] === "error") throw reported(part["error"], model);
      answer.add(part);
    }
  } catch (error) {
    // The provider need not send the rest.
    reader.cancel(error).catch(() => {});
    throw error;
  }
}

class StreamedAnswer {
  readonly #content: Fields[] = [];
  /** The texts and reasonings under way: their ids may be the same. */
  readonly #open = new Map<string, number>();
  /** The position of each tool call that streams its input. */
  readonly #inputs = new Map<unknown, number>();
  readonly #id: string;
  readonly #onChunk: (chunk: object) => void;
  #end: Fields = {};
  #hasReasoning = false;

  constructor(id: string, onChunk: (chunk: object) => void) {
    this.#id = id;
    this.#onChunk = onChunk;
  }

  /** Returns the answer as `doGenerate` returns one. */
  whole(): Fields {
    return { content: this.#content, ...this.#end };
  }

  add(part: Fields): void {
    const type = part["type"] as string;
    const [, kind, stage] = BLOCK.exec(type) ?? [];
    if (kind && stage) this.#addBlock(kind, stage, part);
    else if (type.startsWith("tool-input-")) this.#addInput(type, part);
    else if (type === "finish") this.#end = part;
    else if (!UNKEPT.has(type)) this.#content.push(part);
  }

  #addBlock(kind: string, stage: string, part: Fields): void {
    const key = `${kind} ${part["id"] as string}`;
    let index = stage === "start" ? undefined : this.#open.get(key);
    if (index === undefined) {
      index = this.#content.push({ type: kind, text: "" }) - 1;
      this.#open.set(key, index);
    }
    const block = this.#content[index] as Fields;
    for (const field of ["providerMetadata", "citations"]) if (part[field] != null) block[field] = part[field];
    if (stage !== "delta") return;
    const delta = part["delta"] as string;
    block["text"] = `${block["text"] as string}${delta}`;
    // Without reasoning, an answer's text stays a text. Beside it, blocks are known by their positions.
    this.#hasReasoning ||= kind === "reasoning";
    this.#onChunk(chunkOf(this.#id, this.#hasReasoning ? [{ type: kind, [kind]: delta, index }] : delta));
  }

  #addInput(type: string, { id, toolName: name, delta, providerExecuted }: Fields): void {
    if (type === "tool-input-start" && !providerExecuted) {
      const index = this.#inputs.size;
      this.#inputs.set(id, index);
      this.#onChunk(chunkOf(this.#id, "", [{ index, id, name, args: "" }]));
    } else if (type === "tool-input-delta" && this.#inputs.has(id))
      this.#onChunk(chunkOf(this.#id, "", [{ index: this.#inputs.get(id), args: delta }]));
  }
}

/** Parts that belong to the stream, not to the answer. */
const UNKEPT: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "ping", "raw"]);

function reported(error: unknown, { modelId }: AiSdkModel): Error {
  if (error instanceof Error) return error;
  const { message, code } = (typeof error === "object" && error !== null ? error : { message: error }) as Fields;
  const text = typeof message === "string" ? message : JSON.stringify(error);
  return new ThreadfoldError("MODEL_FAILED", `The model '${modelId}' failed while it answered: ${text}`, {
    cause: error,
    ...((typeof code === "string" || typeof code === "number") && { serverCode: code }),
  });
}
