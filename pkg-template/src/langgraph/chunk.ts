import { ThreadfoldError } from "../shared/errors.js";
import { isDict, type Dict } from "../shared/dict.js";
import { mergeContent, mergeDicts, mergeLists, mergeUsage } from "./merge.js";
import { readMessage, type WireMessage } from "./message-form.js";
import { PartialJson, type PartialObject } from "../text/partial-json.js";

/**
 * Joins a message and its next part like `AIMessageChunk.concat` of @langchain/core. It appends text, joins content
 * blocks and tool call chunks by `index`, and sums usage. It reads tool calls from the arguments so far.
 *
 * Returns a new plain dict (`type: "ai"`); what the part did not touch is the same object as before. A part costs its
 * own length, however long the text and the arguments are already: `args` with many keys are read when you look at
 * them. Until then a debugger shows a getter there.
 *
 * Differences: usage that is null in both stays null, a `name` is kept, and `__proto__` is a key like any other.
 *
 * @param message - The message so far, as this function returned it; undefined for the first part.
 * @param part - An `AIMessageChunk` or its kin: a dict, a serialised constructor, or an instance.
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for an invalid message, `INVALID_ARGUMENT` for a field that changes its
 *   type.
 *
 * @example
 * ```ts
 * import { concatChunk } from "threadfold/langgraph";
 *
 * const first = concatChunk(undefined, { type: "AIMessageChunk", id: "a", content: "Hel" });
 * console.log(concatChunk(first, { type: "AIMessageChunk", id: "a", content: "lo" }).content); // Hello
 * ```
 */
export function concatChunk(message: object | undefined, part: object): Dict {
  const wire = readMessage(part);
  if (!wire)
    throw new ThreadfoldError(
      "INVALID_MESSAGE",
      "A part of a message must be a dict with a type, or a message chunk of LangChain's.",
    );
  return joinPart(message as Dict | undefined, wire);
}

/** Does what {@link concatChunk} does, for a part that was read already. */
export function joinPart(message: Dict | undefined, { fields, type }: WireMessage): Dict {
  return type === "ai" ? joinAi(message, fields) : joinOther(message, fields, type);
}

function joinAi(left: Dict | undefined, right: Dict): Dict {
  const chunks = listOf(right["tool_call_chunks"]);
  if (!left) {
    const { chunk_position: _, ...fields } = right;
    return {
      ...fields,
      ...commonFields(right),
      type: "ai",
      tool_call_chunks: chunks,
      ...(chunks.length > 0
        ? readCalls(chunks, undefined)
        : { tool_calls: listOf(right["tool_calls"]), invalid_tool_calls: NONE }),
    };
  }
  const leftChunks = listOf(left["tool_call_chunks"]);
  const touched: number[] = [];
  const joinedChunks = mergeLists(leftChunks, chunks, (was, part, joined, at) => {
    readOn(was, part, joined);
    touched.push(at);
  });
  const joined: Record<string, unknown> = { ...left, ...joinCommon(left, right), tool_call_chunks: joinedChunks };
  if (left["usage_metadata"] != null || right["usage_metadata"] != null) {
    joined["usage_metadata"] = mergeUsage(left["usage_metadata"], right["usage_metadata"]);
  }
  if (joinedChunks.length === 0) {
    joined["tool_calls"] = mergeLists(listOf(left["tool_calls"]), listOf(right["tool_calls"]));
    joined["invalid_tool_calls"] = NONE;
  } else if (joinedChunks !== leftChunks)
    Object.assign(joined, readTouched(leftChunks, joinedChunks, touched, left) ?? readCalls(joinedChunks, left));
  return joined;
}

function joinOther(left: Dict | undefined, right: Dict, type: string): Dict {
  if (!left) return { ...right, ...commonFields(right), type };
  const joined: Record<string, unknown> = { ...left, ...joinCommon(left, right) };
  if (left["type"] !== "tool") return joined;
  joined["status"] = left["status"] === "error" || right["status"] === "error" ? "error" : "success";
  if (left["artifact"] != null || right["artifact"] != null) {
    joined["artifact"] = mergeDicts({ artifact: left["artifact"] }, { artifact: right["artifact"] })?.["artifact"];
  }
  return joined;
}

const NONE: readonly unknown[] = Object.freeze([]);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NONE);

function commonFields(message: Dict): Dict {
  return {
    content: message["content"] ?? [],
    additional_kwargs: message["additional_kwargs"] ?? {},
    response_metadata: message["response_metadata"] ?? {},
  };
}

function joinCommon(left: Dict, right: Dict): Dict {
  return {
    content: mergeContent(left["content"], right["content"] ?? []),
    additional_kwargs: joinDicts(left["additional_kwargs"], right["additional_kwargs"]),
    response_metadata: joinDicts(left["response_metadata"], right["response_metadata"]),
    id: left["id"] ?? right["id"],
  };
}

const joinDicts = (left: unknown, right: unknown): unknown =>
  mergeDicts(isDict(left) ? left : undefined, isDict(right) ? right : undefined) ?? {};

/** The parsed arguments of one tool call chunk. They belong to the chunk that they were last read for. */
interface Arguments {
  of: Dict;
  readonly json: PartialJson;
  /** The last tool call made from it, and that call's arguments: text, if they are not an object. */
  call: Dict | undefined;
  args: PartialObject | string | undefined;
}

/** By the joined chunk: a message that you return to is read again, and one that continues is not. */
const ARGUMENTS = new WeakMap<Dict, Arguments>();

/** Gives a joined chunk the parsed arguments of the one before it. */
export function readOn(was: Dict, part: Dict, joined: Dict): void {
  const read = ARGUMENTS.get(was);
  if (read?.of !== was) return;
  // Asking the joined text for its end would flatten it; the part has it.
  read.json.add(textOf(part));
  read.of = joined;
  ARGUMENTS.set(joined, read);
}

function argumentsOf(chunk: Dict): Arguments {
  let read = ARGUMENTS.get(chunk);
  if (read?.of === chunk) return read;
  read = { of: chunk, json: new PartialJson(), call: undefined, args: undefined };
  read.json.add(textOf(chunk));
  ARGUMENTS.set(chunk, read);
  return read;
}

const textOf = ({ args }: Dict): string => (typeof args === "string" ? args : "");

/** Reads the tool calls of joined chunks, and those that are invalid. */
function readCalls(chunks: readonly unknown[], before: Dict | undefined): Dict {
  const calls: Dict[] = [];
  const invalid: Dict[] = [];
  for (const group of groupsOf(chunks.filter(isDict))) {
    const call = callOf(group);
    (call["type"] === "tool_call" ? calls : invalid).push(call);
  }
  const toolCalls = unlessSame(calls, before?.["tool_calls"]);
  if (calls.length === chunks.length && chunks.every((chunk) => isOwn(chunk, chunks[0]))) CALLS.set(chunks, toolCalls);
  return { tool_calls: toolCalls, invalid_tool_calls: unlessSame(invalid, before?.["invalid_tool_calls"]) };
}

/** Lists of joined chunks that make one tool call each, with those calls: a part touches few of them. */
const CALLS = new WeakMap<readonly unknown[], readonly unknown[]>();

/**
 * Whether a chunk that was not joined continues no other chunk of such a list. Its index distinguishes it from the
 * others, or its id if none of them has an index.
 */
const isOwn = (chunk: unknown, like: unknown): boolean =>
  isDict(chunk) &&
  isDict(like) &&
  (typeof chunk["index"] === "number"
    ? typeof like["index"] === "number"
    : chunk["index"] == null && like["index"] == null && typeof chunk["id"] === "string" && chunk["id"] !== "") &&
  (chunk["type"] === undefined || chunk["type"] === "tool_call_chunk");

/**
 * Does what {@link readCalls} does if only these chunks and those after the left ones are new; undefined if it takes
 * more.
 */
function readTouched(
  left: readonly unknown[],
  chunks: readonly unknown[],
  touched: readonly number[],
  before: Dict,
): Dict | undefined {
  const known = CALLS.get(left);
  if (!known || known !== before["tool_calls"]) return undefined;
  let calls: unknown[] | undefined;
  const read = (at: number): boolean => {
    const chunk = chunks[at] as Dict;
    if (at >= left.length && !isOwn(chunk, chunks[0])) return false;
    const call = callOf([chunk]);
    if (call !== known[at]) (calls ??= known.slice())[at] = call;
    return call["type"] === "tool_call";
  };
  if (!touched.every(read)) return undefined;
  for (let at = left.length; at < chunks.length; at++) if (!read(at)) return undefined;
  CALLS.set(chunks, calls ?? known);
  return { tool_calls: calls ?? known, invalid_tool_calls: before["invalid_tool_calls"] };
}

const unlessSame = (now: readonly unknown[], before: unknown): readonly unknown[] =>
  Array.isArray(before) && before.length === now.length && now.every((item, at) => item === before[at]) ? before : now;

/** Groups chunks by their call: almost always one each, since joining has done it already. */
function groupsOf(chunks: readonly Dict[]): Dict[][] {
  const groups: Dict[][] = [];
  const byIndex = new Map<unknown, Dict[][]>();
  const byId = new Map<unknown, Dict[][]>();
  const add = (map: Map<unknown, Dict[][]>, key: unknown, group: Dict[]) => {
    const known = map.get(key);
    if (known) known.push(group);
    else map.set(key, [group]);
  };
  for (const chunk of chunks) {
    const { id, index } = chunk;
    const candidates = index !== undefined ? byIndex.get(index) : id ? byId.get(id) : undefined;
    const found = candidates?.find(([first]) => !id || id === first?.["id"]);
    if (found) found.push(chunk);
    else {
      const group = [chunk];
      groups.push(group);
      add(byIndex, index, group);
      add(byId, id, group);
    }
  }
  return groups;
}

export function callOf(group: readonly Dict[]): Dict {
  const [first] = group as readonly [Dict];
  const name = first["name"] ?? "";
  const id = group.find((chunk) => chunk["id"])?.["id"] ?? first["id"];
  const raw = group.some((chunk) => chunk["isCustomTool"] === true);
  const whole = () => group.reduce((text, chunk) => text + textOf(chunk), "");
  if (raw && id) return { name, args: { input: whole() }, id, type: "tool_call" };
  const read = group.length === 1 ? argumentsOf(first) : readTogether(group);
  const object = id ? read.json.object : undefined;
  const args = object ?? ((raw ? whole() : read.json.text) || "{}");
  const was = read.call;
  if (was && was["name"] === name && was["id"] === id && read.args === args) return was;
  read.args = args;
  if (!object) read.call = { name, args, id, error: "Malformed args.", type: "invalid_tool_call" };
  else
    read.call = read.json.isWide ? callToRead(object, name, id) : { name, args: object.value, id, type: "tool_call" };
  return read.call;
}

/** Makes a call whose arguments are read at the first look, and are plain data from then on. */
function callToRead(object: PartialObject, name: unknown, id: unknown): Dict {
  const call = {
    name,
    get args(): unknown {
      return become(call, object.value);
    },
    set args(value) {
      become(call, value);
    },
    id,
    type: "tool_call",
  };
  return call;
}

/** Makes the arguments plain data. A frozen call stays as it is, and returns the same object each time. */
function become(call: object, value: unknown): unknown {
  Reflect.defineProperty(call, "args", { value, writable: true, enumerable: true, configurable: true });
  return value;
}

function readTogether(group: readonly Dict[]): Arguments {
  const read: Arguments = { of: {}, json: new PartialJson(), call: undefined, args: undefined };
  for (const chunk of group) read.json.add(textOf(chunk));
  return read;
}

/** Returns a message as a graph's state has it, without the fields of a message in parts. */
export function finishedMessage(message: Dict): Dict {
  if (!("tool_call_chunks" in message) && !("chunk_position" in message)) return message;
  const { tool_call_chunks: _chunks, chunk_position: _position, ...whole } = message;
  readArgs(whole["tool_calls"]);
  return whole;
}

/** Reads the arguments of all calls: those of a whole message are plain data. */
export function readArgs(calls: unknown): void {
  for (const call of listOf(calls)) if (isDict(call)) Reflect.get(call, "args");
}
