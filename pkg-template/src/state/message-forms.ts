// Converts a message to the other form, AG-UI's or LangChain's. Fields that the other form lacks are carried in its free
// fields.
import { isDict } from "../shared/dict.js";
import { DEVELOPER, KINDS } from "../../generated/kinds.js";
import { ThreadfoldError } from "../shared/errors.js";
import { reading } from "../shared/reading.js";
import { blocksOf, partsOf, textOf } from "./message-content.js";
import type { AgUiMessage, LangChainMessage } from "./messages.js";
import { sameJson } from "../shared/same-json.js";

type Fields = Record<string, unknown>;

/** The content of {@link CARRIED}. */
interface Carried {
  /** Fields that the other form has no place for, or holds less exactly. */
  values: Fields;
  /** Fields that the other form has and this one did not have. */
  absent: string[];
  /** Whether the free field exists only for this. */
  bare: boolean;
}

/** The key in `metadata` (AG-UI) and `additional_kwargs` (LangChain) under which the rest travels. */
const CARRIED = "threadfold";

/** Converts one form to the other, as far as the other can hold it; and names its free field. */
interface Form {
  readonly free: string;
  /** The field with the kind of a message: restored first. */
  readonly kind: string;
  plain(message: Fields): Fields;
}

/** LangChain's type for AG-UI's role. */
const ROLE_TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    KINDS.filter(([type]) => type !== "function").flatMap(([type, , role]) =>
      type === DEVELOPER[1] ? [[role, type], DEVELOPER] : [[role, type]],
    ),
  ),
  // Only for the screen: LangChain has no such messages.
  reasoning: "ai",
  activity: "system",
};

/** AG-UI's role for LangChain's type. */
const TYPE_ROLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...KINDS.map(([type, , role]) => [type, role]),
  ...KINDS.map(([, name, role]) => [`${name}MessageChunk`, role]),
]);

/**
 * Converts a message to a LangChain dict. Returns one that is in LangChain's form already as it is.
 *
 * The id stays; tool calls, results and their errors, names, and content with media are mapped as ag-ui-langgraph maps
 * them. A developer message is a system message that says so, as LangChain has it. All other fields are
 * carried in `additional_kwargs`, so that {@link toAgUi} returns the same message.
 *
 * Reasoning and activities are for the screen: do not send their dicts to a model.
 *
 * @param index - The place of the message in its list, for the error to name; `messages.map(toLangChain)` passes it.
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for a kind of message that neither form has, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { toLangChain } from "threadfold";
 *
 * const result = toLangChain({ id: "t1", role: "tool", toolCallId: "c1", content: "42" });
 * console.log(result.type, result.tool_call_id); // tool c1
 * ```
 */
export function toLangChain(message: object, index?: number): LangChainMessage & Fields {
  return reading(() => {
    const own = fieldsOf(message, index);
    if (known(TYPE_ROLES, own["type"])) return message as LangChainMessage & Fields;
    if (!known(ROLE_TYPES, own["role"])) throw unknownKind(own, index);
    return convert(own, AG_UI, LANG_CHAIN) as LangChainMessage & Fields;
  });
}

/**
 * Converts a message to AG-UI's form. Returns one that is in that form already as it is. The counterpart of
 * {@link toLangChain}: what AG-UI has no place for is carried in `metadata`. The content of an assistant message is its
 * text; other blocks are carried.
 *
 * @param index - The place of the message in its list, for the error to name; `messages.map(toAgUi)` passes it.
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for a kind of message that neither form has, and for a message
 *   without an id, which AG-UI requires; `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { toAgUi } from "threadfold";
 *
 * const asked = { type: "ai", id: "a1", content: "", tool_calls: [{ name: "search", args: { q: "x" }, id: "c1" }] };
 * const { role, toolCalls } = toAgUi(asked);
 * console.log(role, toolCalls); // assistant [ { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"x"}' } } ]
 * ```
 */
export function toAgUi(message: object, index?: number): AgUiMessage & Fields {
  return reading(() => {
    const own = fieldsOf(message, index);
    const isAgUi = known(ROLE_TYPES, own["role"]);
    if (!isAgUi && !known(TYPE_ROLES, own["type"])) throw unknownKind(own, index);
    if (typeof own["id"] !== "string") throw invalid(index, ".id", "a string");
    if (isAgUi) return message as AgUiMessage & Fields;
    return convert(own, LANG_CHAIN, AG_UI) as AgUiMessage & Fields;
  });
}

const AG_UI: Form = {
  free: "metadata",
  kind: "role",
  plain(message) {
    const role = message["role"] as string;
    const calls =
      role === "assistant" && Array.isArray(message["toolCalls"]) ? (message["toolCalls"] as unknown[]) : [];
    return {
      type: ROLE_TYPES[role] ?? "system",
      id: message["id"],
      content: langChainContent(role, message),
      ...(message["name"] !== undefined && role !== "tool" && { name: message["name"] }),
      ...(calls.length > 0 && { tool_calls: calls.map(langChainCall) }),
      ...(role === "tool" && { tool_call_id: message["toolCallId"], status: message["error"] ? "error" : "success" }),
      ...(role === "developer" && { additional_kwargs: { __openai_role__: "developer" } }),
    };
  },
};

const LANG_CHAIN: Form = {
  free: "additional_kwargs",
  kind: "type",
  plain(message) {
    const role = TYPE_ROLES[message["type"] as string] ?? "system";
    const calls =
      role === "assistant" && Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as unknown[]) : [];
    const extra = message["additional_kwargs"];
    const isDeveloper = role === "system" && isDict(extra) && extra["__openai_role__"] === "developer";
    return {
      id: message["id"],
      role: isDeveloper ? "developer" : role,
      content: agUiContent(role, message["content"]),
      ...(message["name"] !== undefined && message["name"] !== null && role !== "tool" && { name: message["name"] }),
      ...(calls.length > 0 && {
        toolCalls: calls.map((call, at) => agUiCall(call, `${message["id"] as string}:${at}`)),
      }),
      ...(role === "tool" && { toolCallId: message["tool_call_id"] ?? message["name"] ?? "" }),
      // LangChain has no text for the error.
      ...(role === "tool" && message["status"] === "error" && { error: "error" }),
    };
  },
};

function langChainContent(role: string, message: Fields): unknown {
  const { content } = message;
  if (role === "activity") return "";
  if (role === "reasoning") {
    const summary = typeof content === "string" && content !== "" ? [{ type: "summary_text", text: content }] : [];
    const encrypted = message["encryptedValue"];
    return [
      {
        type: "reasoning",
        id: message["id"],
        summary,
        ...(typeof encrypted === "string" && { encrypted_content: encrypted }),
      },
    ];
  }
  if (Array.isArray(content)) return blocksOf(content);
  return typeof content === "string" ? content : "";
}

function agUiContent(role: string, content: unknown): unknown {
  return Array.isArray(content) && (role === "user" || role === "tool") ? partsOf(content) : textOf({ content });
}

function langChainCall(call: unknown): object {
  const { id, function: called } = isDict(call) ? call : {};
  const { name, arguments: text } = isDict(called) ? called : {};
  return { name: name ?? "", args: parsedArguments(text), id, type: "tool_call" };
}

/** Parses arguments. Those that are still being streamed, or no object, count as none; their text is carried. */
function parsedArguments(text: unknown): Fields {
  try {
    const args: unknown = JSON.parse(text as string);
    return isDict(args) ? args : {};
  } catch {
    return {};
  }
}

function agUiCall(call: unknown, ownId: string): object {
  const { id, name, args } = isDict(call) ? call : {};
  return {
    id: typeof id === "string" ? id : ownId,
    type: "function",
    function: { name: name ?? "", arguments: JSON.stringify(args ?? {}) },
  };
}

/**
 * Converts one form to the other. Restores the fields that the message carried from the other form, unless they contradict
 * it. Fields that the other form cannot hold are carried.
 */
function convert(message: Fields, from: Form, to: Form): Fields {
  const { own, carried } = unpacked(message, from);
  const made = carried ? restored(from.plain(own), own, carried, to) : from.plain(own);
  const back = to.plain(made);
  const keys = Object.keys(own).filter((key) => own[key] !== undefined && !sameJson(own[key], back[key]));
  // The kind comes first: the rest is read by it.
  const inOrder = [...keys.filter((key) => key === from.kind), ...keys.filter((key) => key !== from.kind)];
  const values = Object.fromEntries(inOrder.map((key) => [key, own[key]]));
  const absent = Object.keys(back).filter((key) => back[key] !== undefined && own[key] === undefined);
  if (keys.length === 0 && absent.length === 0) return made;
  const free = made[to.free];
  return { ...made, [to.free]: { ...(isDict(free) && free), [CARRIED]: { values, absent, bare: !isDict(free) } } };
}

/** Returns a message without what it carries, and what it carries. */
function unpacked(message: Fields, form: Form): { own: Fields; carried?: Carried } {
  const free = message[form.free];
  const carried = isDict(free) ? free[CARRIED] : undefined;
  if (!isDict(free) || !isCarried(carried)) return { own: message };
  const { [CARRIED]: _, ...rest } = free;
  const own = { ...message, [form.free]: rest };
  if (carried.bare && Object.keys(rest).length === 0) delete own[form.free];
  return { own: own as Fields, carried };
}

/** Restores what was carried where it agrees with the message as it is now: all of it, or field by field. */
function restored(made: Fields, own: Fields, { values, absent }: Carried, form: Form): Fields {
  const says = form.plain(made);
  const agrees = (candidate: Fields) => {
    const now = form.plain(candidate);
    return Object.keys({ ...says, ...now }).every(
      (key) => sameJson(now[key], own[key]) || sameJson(now[key], says[key]),
    );
  };
  const all = without({ ...made, ...values }, absent);
  if (agrees(all)) return all;
  let message = made;
  const take = (candidate: Fields) => {
    if (agrees(candidate)) message = candidate;
  };
  for (const [key, value] of Object.entries(values)) take({ ...message, [key]: value });
  for (const key of absent) take(without(message, [key]));
  return message;
}

function without(message: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !keys.includes(key)));
}

function isCarried(value: unknown): value is Carried & Fields {
  return isDict(value) && isDict(value["values"]) && Array.isArray(value["absent"]);
}

/** Returns the fields of a dict, or of an instance of one of `@langchain/core`'s classes. */
function fieldsOf(message: object, index: number | undefined): Fields {
  if (typeof message !== "object" || message === null) throw invalid(index, "", "an object");
  const kind = (message as { _getType?: unknown })._getType;
  if (typeof kind !== "function") return message as Fields;
  const fields: Fields = { type: (kind as () => string).call(message) };
  for (const key of INSTANCE_FIELDS) {
    const value = (message as Fields)[key];
    if (value !== undefined) fields[key] = value;
  }
  return fields;
}

const INSTANCE_FIELDS = [
  "id",
  "content",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
];

const known = (kinds: object, name: unknown) => typeof name === "string" && Object.hasOwn(kinds, name);

/** Returns the error: of a message that has a role but no type it names the roles, of any other the types. */
function unknownKind(message: Fields, index: number | undefined): ThreadfoldError {
  const isRole = message["type"] === undefined && message["role"] !== undefined;
  const kinds = Object.keys(isRole ? ROLE_TYPES : TYPE_ROLES);
  return invalid(index, isRole ? ".role" : ".type", `one of ${kinds.join(", ")}`);
}

function invalid(index: number | undefined, field: string, expected: string): ThreadfoldError {
  const which = typeof index === "number" ? `messages[${index}]` : "message";
  return new ThreadfoldError("INVALID_MESSAGE", `${which}${field} should be ${expected}.`);
}
