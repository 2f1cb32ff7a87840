// The messages of a run as protocol v2 sends them: blocks of content, each with a start, deltas and a finish.
import { isDict, type Dict } from "../../../shared/dict.js";
import { readMessage, type WireMessage } from "../../../langgraph/message-form.js";

/** A block that is being sent. */
interface Block {
  readonly index: number;
  value: Dict;
}

/** A message that may grow. */
class OpenMessage {
  readonly #id: string;
  readonly #blocks = new Map<string, Block>();
  #usage: Dict | undefined;
  #metadata: Dict = {};

  constructor(id: string) {
    this.#id = id;
  }

  *start({ type, fields }: WireMessage): Generator<Dict> {
    const callId = fields["tool_call_id"];
    yield this.#event("message-start", {
      id: this.#id,
      ...(type !== "ai" && { role: type }),
      ...(typeof callId === "string" && { tool_call_id: callId }),
    });
  }

  *add({ fields }: WireMessage): Generator<Dict> {
    const { content, tool_call_chunks: chunks, usage_metadata: usage, response_metadata: metadata } = fields;
    if (typeof content === "string") {
      if (content !== "") yield* this.#block("text", { type: "text", text: content });
    } else if (Array.isArray(content)) {
      for (const [at, part] of content.entries())
        if (isDict(part)) yield* this.#block(`content ${String(part["index"] ?? at)}`, part);
        else if (typeof part === "string") yield* this.#block(`content ${at}`, { type: "text", text: part });
    }
    if (Array.isArray(chunks))
      for (const chunk of chunks) {
        if (!isDict(chunk)) continue;
        // A chunk without an index is a call by itself.
        const key = `call ${String(chunk["index"] ?? `${this.#blocks.size} alone`)}`;
        yield* this.#block(key, { ...chunk, type: "tool_call_chunk" });
      }
    if (isDict(usage)) this.#usage = summed(this.#usage, usage);
    if (isDict(metadata)) this.#metadata = { ...this.#metadata, ...metadata };
  }

  /** Adds what a whole message has, and no part of it had. */
  complete({ usage_metadata: usage, response_metadata: metadata }: Dict): void {
    if (isDict(usage)) this.#usage ??= usage;
    if (isDict(metadata)) this.#metadata = { ...metadata, ...this.#metadata };
  }

  *finish(): Generator<Dict> {
    for (const { index, value } of this.#blocks.values())
      yield this.#event("content-block-finish", { index, content: finished(value) });
    yield this.#event("message-finish", {
      ...(this.#usage && { usage: this.#usage }),
      ...(Object.keys(this.#metadata).length > 0 && { responseMetadata: this.#metadata }),
    });
  }

  *#block(key: string, part: Dict): Generator<Dict> {
    let block = this.#blocks.get(key);
    if (!block) {
      const { index: _, ...rest } = part;
      block = { index: this.#blocks.size, value: emptied(rest) };
      this.#blocks.set(key, block);
      yield this.#event("content-block-start", { index: block.index, content: block.value });
    }
    const grown = grownBy(block.value, part);
    if (!grown) return;
    block.value = grown.value;
    yield this.#event("content-block-delta", { index: block.index, delta: grown.delta });
  }

  /** `run_id` keeps the events of several messages of a namespace apart. */
  #event(event: string, fields: Dict): Dict {
    return { event, ...fields, run_id: this.#id };
  }
}

/** The fields of each kind of block that grow, and the delta that carries more. */
const GROWING: Readonly<Record<string, readonly [field: string, delta: string]>> = {
  text: ["text", "text-delta"],
  reasoning: ["reasoning", "reasoning-delta"],
  tool_call_chunk: ["args", "tool-call-delta"],
  audio: ["data", "data-delta"],
  image: ["data", "data-delta"],
  video: ["data", "data-delta"],
  file: ["data", "data-delta"],
};

/** A block as it begins: without what its deltas bring. */
function emptied(block: Dict): Dict {
  const [field] = GROWING[String(block["type"])] ?? [];
  return field !== undefined && typeof block[field] === "string" ? { ...block, [field]: "" } : block;
}

function grownBy(block: Dict, part: Dict): { readonly value: Dict; readonly delta: Dict } | undefined {
  const [field, delta] = GROWING[String(block["type"])] ?? [];
  if (field === undefined || delta === undefined) return undefined;
  const more = part[field];
  if (typeof more !== "string" || more === "") return undefined;
  const known = Object.fromEntries(Object.entries(part).filter(([key, value]) => value != null && key !== "index"));
  const before = typeof block[field] === "string" ? block[field] : "";
  return { value: { ...block, ...known, [field]: before + more }, delta: { type: delta, [field]: more } };
}

/** A block as it ends: a call has its arguments parsed, or says why they cannot be. */
function finished(block: Dict): Dict {
  if (block["type"] !== "tool_call_chunk") return block;
  const { id = null, name = null, args } = block;
  try {
    return { type: "tool_call", id, name, args: args ? (JSON.parse(String(args)) as unknown) : {} };
  } catch {
    return { type: "invalid_tool_call", id, name, args, error: "Malformed args." };
  }
}

function summed(left: Dict | undefined, right: Dict): Dict {
  if (!left) return right;
  const joined: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = left[key];
    joined[key] =
      typeof value === "number" && typeof before === "number"
        ? before + value
        : isDict(value) && isDict(before)
          ? summed(before, value)
          : value;
  }
  return joined;
}

/** The messages of a run that are under way, by the tasks that send them. */
export class MessageEvents {
  readonly #open = new Map<string, Map<string, OpenMessage>>();

  /** Makes the events of a message, or of a part of one. */
  *take(task: string, message: unknown): Generator<Dict> {
    const wire = readMessage(message);
    const id = wire?.fields["id"];
    if (!wire || typeof id !== "string" || id === "") return;
    const open = this.#open.get(task) ?? new Map<string, OpenMessage>();
    const isNew = !open.has(id);
    const one = open.get(id) ?? new OpenMessage(id);
    if (isNew) yield* one.start(wire);
    yield* one.add(wire);
    if (wire.part && wire.fields["chunk_position"] !== "last") {
      this.#open.set(task, open.set(id, one));
      return;
    }
    open.delete(id);
    yield* one.finish();
  }

  /**
   * Ends the messages of a task that is over.
   *
   * @param returned - The messages of the task's result: they may have the usage that no part had.
   */
  *end(task: string, returned: readonly unknown[] = []): Generator<Dict> {
    const open = this.#open.get(task);
    this.#open.delete(task);
    for (const message of open ? returned : []) {
      const { fields } = readMessage(message) ?? {};
      if (fields) open?.get(fields["id"] as string)?.complete(fields);
    }
    for (const one of open?.values() ?? []) yield* one.finish();
  }
}
