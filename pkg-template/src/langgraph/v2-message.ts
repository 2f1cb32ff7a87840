import { callOf, readArgs, readOn } from "./chunk.js";
import { sameJson } from "../shared/same-json.js";
import { isDict, type Dict } from "../shared/dict.js";

/**
 * A message of protocol v2 while it comes: blocks of content, each with its start, its deltas and its finish. Every
 * change makes a new dict, in which what it does not touch is the same object.
 */
export class V2Message {
  readonly id: string;
  readonly #role: string;
  /** Fields that come with its start: the call that it answers, or its usage. */
  readonly #extra: Dict;
  readonly #blocks: Dict[] = [];
  /** Where the block with this index and kind is: some servers count text and tool calls apart. */
  readonly #places = new Map<string, number>();
  #message: Dict;
  /** Whether text went to the last block since the message was built. */
  #hasGrown = false;

  private constructor(id: string, role: string, extra: Dict, blocks: readonly Dict[]) {
    this.id = id;
    this.#role = role;
    this.#extra = extra;
    for (const [at, block] of blocks.entries()) this.#put(this.#place(at, block["type"]), block);
    this.#message = this.#build({});
  }

  /** Begins a message at its `message-start`. */
  static start(id: string, role: string, { usage }: Dict, callId = ""): V2Message {
    return new V2Message(id, role, role === "tool" ? { tool_call_id: callId } : usageOf(usage), []);
  }

  /** Goes on with a message that was made of such events before. */
  static goingOn({ id, content }: Dict): V2Message {
    return new V2Message(id as string, "ai", {}, Array.isArray(content) ? content.filter(isDict) : []);
  }

  /** The message as it is now. */
  get message(): Dict {
    if (this.#hasGrown) this.#message = this.#build(this.#message);
    this.#hasGrown = false;
    return this.#message;
  }

  /** Takes an event that only appends text to the last block. Returns that text; undefined for another event. */
  token({ event, index, delta }: Dict): string | undefined {
    if (event !== "content-block-delta" || !isDict(delta) || delta["type"] !== "text-delta") return undefined;
    const last = this.#blocks.length - 1;
    const block = this.#blocks[last];
    const { text } = delta;
    if (block?.["type"] !== "text" || typeof block["text"] !== "string" || typeof text !== "string") return undefined;
    if (this.#places.get(`${placeIn(index)} ${familyOf("text")}`) !== last) return undefined;
    this.#put(last, { ...block, text: block["text"] + text });
    this.#hasGrown = true;
    return text;
  }

  /** Takes over the thread's object for the last block, if they are equal: text went to the thread by itself. */
  adopt(held: () => object | undefined): void {
    if (!this.#hasGrown) return;
    const { content } = (held() ?? {}) as { content?: unknown };
    const last = this.#blocks.length - 1;
    const block: unknown = Array.isArray(content) && content.length === last + 1 ? content[last] : undefined;
    if (isDict(block) && sameJson(block, this.#blocks[last])) this.#put(last, block);
  }

  /** Takes an event of a block. Returns false for another event. */
  block({ event, index, content, delta }: Dict): boolean {
    const at = placeIn(index);
    if (event === "content-block-start" || event === "content-block-finish") {
      if (!isDict(content)) return false;
      const place = this.#place(at, content["type"]);
      // A finish that repeats the block leaves the object that it is.
      if (!sameJson(content, this.#blocks[place])) this.#put(place, content);
    } else if (event === "content-block-delta") {
      if (isDict(delta)) this.#delta(at, delta);
      else if (isDict(content)) this.#append(at, content);
      else return false;
    } else return false;
    this.#message = this.#build(this.#message);
    this.#hasGrown = false;
    return true;
  }

  /** Returns the message once its last block is there. */
  finish({ usage, metadata, responseMetadata, reason }: Dict): Dict {
    const { tool_call_chunks: _, ...message } = this.message;
    if (this.#role !== "ai") return message;
    readArgs(message["tool_calls"]);
    return {
      ...message,
      ...usageOf(usage),
      response_metadata: {
        ...(isDict(metadata) ? metadata : {}),
        ...(isDict(responseMetadata) ? responseMetadata : {}),
        ...(typeof reason === "string" ? { finish_reason: reason } : {}),
        output_version: "v1",
      },
    };
  }

  #delta(at: number | string, delta: Dict): void {
    switch (delta["type"]) {
      case "text-delta":
        this.#append(at, { type: "text", text: delta["text"] });
        break;
      case "reasoning-delta":
        this.#append(at, { type: "reasoning", reasoning: delta["reasoning"] });
        break;
      case "tool-call-delta": {
        const kind = this.#places.has(`${at} server`) ? "server_tool_call_chunk" : "tool_call_chunk";
        this.#append(at, { type: kind, args: delta["args"] });
        break;
      }
      case "data-delta": {
        const place = this.#lastPlace(at);
        const block = this.#blocks[place] ?? {};
        const { type: _, ...rest } = delta;
        this.#put(place, { ...block, ...rest, data: textOf(block["data"]) + textOf(delta["data"]) });
        break;
      }
      case "block-delta":
        if (isDict(delta["fields"])) this.#patch(at, delta["fields"]);
        break;
      default:
    }
  }

  /** Adds more of a block: its text goes to the end of the text so far. */
  #append(at: number | string, more: Dict): void {
    const place = this.#place(at, more["type"]);
    const block = this.#blocks[place];
    if (!block || block["type"] !== more["type"]) {
      this.#put(place, more);
      return;
    }
    const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value != null));
    const joined: Record<string, unknown> = { ...block, ...known };
    for (const key of GROWING) {
      if (typeof more[key] === "string") joined[key] = textOf(block[key]) + more[key];
    }
    if (isCallChunk(block)) readOn(block, more, joined);
    this.#put(place, joined);
  }

  /** Replaces fields of a block; arguments come whole each time. */
  #patch(at: number | string, fields: Dict): void {
    const place = this.#place(at, fields["type"]);
    const block = this.#blocks[place];
    const patched = { ...block, ...fields };
    const [before, now] = [textOf(block?.["args"]), textOf(fields["args"])];
    if (block && isCallChunk(block) && isCallChunk(patched) && now.startsWith(before)) {
      readOn(block, { args: now.slice(before.length) }, patched);
    }
    this.#put(place, patched);
  }

  #put(place: number, block: Dict): void {
    this.#blocks[place] = block;
  }

  #place(at: number | string, type: unknown): number {
    const key = `${at} ${familyOf(type)}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#blocks.length;
      this.#places.set(key, place);
    }
    return place;
  }

  #lastPlace(at: number | string): number {
    const places = [...this.#places].filter(([key]) => key.startsWith(`${at} `)).map(([, place]) => place);
    return places.at(-1) ?? this.#place(at, "data");
  }

  #build(before: Dict): Dict {
    const { id } = this;
    if (this.#role !== "ai") {
      const text = this.#blocks.reduce(
        (all, block) => (block["type"] === "text" ? all + textOf(block["text"]) : all),
        "",
      );
      return { type: this.#role, id, content: text, ...this.#extra };
    }
    const calls = this.#blocks.flatMap((block) =>
      isCallChunk(block) ? [callOf([block])] : CALLS.has(block["type"]) ? [finishedCall(block)] : [],
    );
    return {
      type: "ai",
      id,
      content: this.#blocks.slice(),
      additional_kwargs: before["additional_kwargs"] ?? {},
      response_metadata: before["response_metadata"] ?? { output_version: "v1" },
      ...this.#extra,
      tool_calls: calls.filter((call) => call["type"] === "tool_call"),
      invalid_tool_calls: calls.filter((call) => call["type"] === "invalid_tool_call"),
      tool_call_chunks: this.#blocks.filter(isCallChunk),
    };
  }
}

/** Returns the usage, with zeros for missing fields. */
const usageOf = (usage: unknown): Dict =>
  isDict(usage) ? { usage_metadata: { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...usage } } : {};

/** Returns the server's number of a block: its index, or 0. */
const placeIn = (index: unknown): number | string =>
  typeof index === "number" || typeof index === "string" ? index : 0;

const GROWING = ["text", "reasoning", "args", "data"];
const CALLS = new Set<unknown>(["tool_call", "invalid_tool_call"]);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const isCallChunk = (block: Dict): boolean => block["type"] === "tool_call_chunk";

/** Returns the family of a kind: the kinds that one block may be in turn. */
function familyOf(type: unknown): string {
  switch (type) {
    case "tool_call":
    case "tool_call_chunk":
    case "invalid_tool_call":
    case "tool_use":
    case "input_json_delta":
      return "call";
    case "server_tool_call":
    case "server_tool_call_chunk":
      return "server";
    default:
      return String(type);
  }
}

const FINISHED = new WeakMap<Dict, Dict>();

/** Returns a finished block as a tool call; the same object for the same block. */
function finishedCall(block: Dict): Dict {
  let call = FINISHED.get(block);
  if (!call) {
    const { type, id, name, args, error } = block;
    call = type === "tool_call" ? { name, args, id, type } : { name, args, id, error, type };
    FINISHED.set(block, call);
  }
  return call;
}
