// Messages between a state, where most are plain dicts, and the savers of langgraph.js, where all are instances.
import { isDict } from "../shared/dict.js";
import { toAgUi, toLangChain } from "../state/message-forms.js";

type Fields = Record<string, unknown>;

/**
 * The key under which a saved message says that it was a dict. langgraph.js keeps what it does not know, so a dict
 * comes back as a dict even if langgraph.js had the thread in between.
 */
const WAS_DICT = "threadfold";

/** Fields that an instance always has. A dict gets them back only if it had them. */
const DEFAULTS = ["additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls"];

const CLASSES: Readonly<Record<string, string>> = {
  human: "HumanMessage",
  ai: "AIMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
  function: "FunctionMessage",
  HumanMessageChunk: "HumanMessage",
  AIMessageChunk: "AIMessage",
  SystemMessageChunk: "SystemMessage",
  ToolMessageChunk: "ToolMessage",
  FunctionMessageChunk: "FunctionMessage",
};

/** Dicts are the same object from step to step, and so are the records made of them. */
const records = new WeakMap<object, object>();

/**
 * Makes records of a list's dicts, which langgraph.js's serializer reads as instances. Instances and values that are
 * not messages stay. Returns the same list if all do.
 */
export function toRecords(value: unknown): unknown {
  return mapped(value, toRecord);
}

/** Makes dicts again of the records from {@link toRecords}. Other instances stay. */
export function fromRecords(value: unknown): unknown {
  return mapped(value, fromRecord);
}

function mapped(value: unknown, change: (message: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return value;
  let made: unknown[] | undefined;
  for (let at = 0; at < value.length; at++) {
    const message = change(value[at]);
    if (message !== value[at]) (made ??= value.slice() as unknown[])[at] = message;
  }
  return made ?? value;
}

function toRecord(message: unknown): unknown {
  if (!isDict(message) || typeof message["getType"] === "function" || message["lc"] === 1) return message;
  let record = records.get(message);
  if (record === undefined) records.set(message, (record = recordOf(message)));
  return record;
}

function recordOf(message: Fields): object {
  const isAgUi = message["type"] === undefined && typeof message["role"] === "string";
  let dict = message;
  try {
    if (isAgUi) dict = toLangChain(message);
  } catch {
    // A role that neither form has: langgraph.js reads the dict itself, or throws.
  }
  const { type, ...kwargs } = dict;
  const name = Object.hasOwn(CLASSES, type as string) ? CLASSES[type as string] : undefined;
  if (name === undefined) return message;
  const given = DEFAULTS.filter((key) => Object.hasOwn(kwargs, key));
  return {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", name],
    kwargs: { ...kwargs, [WAS_DICT]: [isAgUi ? "" : type, ...given] },
  };
}

function fromRecord(message: unknown): unknown {
  if (!isDict(message)) return message;
  // An instance, or the record of one where the saver's serializer is not langgraph.js's.
  const kwargs = message[message["lc"] === 1 ? "kwargs" : "lc_kwargs"];
  const mark = isDict(kwargs) ? kwargs[WAS_DICT] : undefined;
  if (!isDict(kwargs) || !Array.isArray(mark) || typeof mark[0] !== "string") return message;
  const [type, ...given] = mark as string[];
  const dict: Fields = { type: type || typeOf(message) };
  for (const key of Object.keys(kwargs)) {
    // Fields written into the instance count, such as an id.
    const value = key in message && key !== "type" ? message[key] : kwargs[key];
    if (key !== WAS_DICT && value !== undefined && (given.includes(key) || !isDefault(key, value))) dict[key] = value;
  }
  return type ? dict : toAgUi(dict);
}

function typeOf(message: Fields): unknown {
  if (typeof message["getType"] === "function") return (message["getType"] as () => string)();
  const name = (message["id"] as unknown[]).at(-1);
  return Object.keys(CLASSES).find((type) => CLASSES[type] === name);
}

function isDefault(key: string, value: unknown): boolean {
  return DEFAULTS.includes(key) && Object.keys(value as object).length === 0;
}
