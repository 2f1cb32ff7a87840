// The plain kind of a message, as `kind_of` of src/message.rs reads it: the name may be an instance's, a type or a role.
import { DEVELOPER, KINDS, REMOVAL } from "../../generated/kinds.js";
import { own } from "../shared/own-fields.js";

/** The kinds by all their names. */
export const KIND_NAMES: ReadonlyMap<unknown, string> = /* @__PURE__ */ kindNames();

function kindNames(): Map<unknown, string> {
  const kinds = new Map<unknown, string>([DEVELOPER as [string, string]]);
  for (const [kind, name, role] of KINDS as readonly (readonly [string, string, string])[])
    for (const one of [kind, role, `${name}Message`, `${name}MessageChunk`])
      // A role names the first kind that has it.
      if (!kinds.has(one)) kinds.set(one, kind);
  return kinds;
}

/** Returns `"human"`, `"ai"`, `"system"`, `"tool"` or `"function"`; undefined for a message of another kind. */
export function kindOf(message: object): string | undefined {
  return KIND_NAMES.get(instanceKind(message) ?? textUnder(message, "type") ?? textUnder(message, "role"));
}

/** Whether the core reads a plain object as the removal of a message: its role goes before its type. */
export function isRemoval(message: object): boolean {
  const name = textUnder(message, "role") ?? textUnder(message, "type");
  const [type, className] = REMOVAL as readonly [string, string];
  return name === type || name === `${className}Message`;
}

/** Returns the kind that an instance of a message class declares: by the class's method, not by data of the same name. */
function instanceKind(message: object): string | undefined {
  const { _getType, getType } = message as { _getType?: unknown; getType?: unknown };
  const method = _getType ?? getType;
  if (typeof method !== "function" || Object.hasOwn(message, "_getType")) return undefined;
  const kind: unknown = method.call(message);
  return typeof kind === "string" ? kind : undefined;
}

function textUnder(message: object, key: string): string | undefined {
  const text = own(message, key);
  return typeof text === "string" ? text : undefined;
}
