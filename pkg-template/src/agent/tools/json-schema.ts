// Checks the JSON Schema rules that models break: types, missing fields, choices. The messages are pydantic's.
import { isDict } from "../../shared/dict.js";
import { ThreadfoldError } from "../../shared/errors.js";
import { sameJson } from "../../shared/same-json.js";
import type { Fields } from "../message.js";

/** A problem, and where it is. */
export const line = (path: string, message: string) => (path ? `${path}: ${message}` : message);

type Kind = readonly [is: (value: unknown) => boolean, name: string];
const KINDS = new Map<unknown, Kind>([
  ["string", [(value) => typeof value === "string", "string"]],
  ["number", [Number.isFinite, "number"]],
  ["integer", [Number.isInteger, "integer"]],
  ["boolean", [(value) => typeof value === "boolean", "boolean"]],
  ["array", [Array.isArray, "list"]],
  ["object", [isDict, "dictionary"]],
  ["null", [(value) => value === null, "null"]],
]);

/** How deep a schema and its value are followed, together, and how many of their parts are held against each other. */
const DEEPEST = 500;
const MOST = 250_000;
/** A model needs no more of them to see the problem. */
const MOST_LINES = 20;

/** Validates a value against a schema. Unknown JSON Schema keywords are skipped. */
export class JsonChecks {
  readonly #root: unknown;
  #depth = 0;
  #steps = 0;

  constructor(schema: unknown) {
    this.#root = schema;
  }

  /** Returns a line for each problem. */
  problems(value: unknown): string[] {
    return this.#under(this.#root, value, "");
  }

  #under(schema: unknown, value: unknown, path: string): string[] {
    if (schema === true) return [];
    if (schema === false) return [line(path, "Input is not permitted")];
    if (!isDict(schema)) throw refused("has a part that is no schema");
    // A circle of references ends here, and so does a schema that doubles with each of them.
    if (++this.#depth > DEEPEST || ++this.#steps > MOST)
      throw refused("leads in a circle, or it and its value are too much to be checked");
    const found = this.#found(schema, value, path);
    this.#depth--;
    return found.length > MOST_LINES ? found.slice(0, MOST_LINES) : found;
  }

  #found(schema: Fields, value: unknown, path: string): string[] {
    const { type, $ref: ref, allOf, anyOf, oneOf } = schema;
    for (const list of [schema["enum"], Object.hasOwn(schema, "const") ? [schema["const"]] : undefined]) {
      if (list !== undefined && !listed(list).some((one) => sameJson(one, value)))
        return [line(path, `Input should be ${oneOfThese(listed(list))}`)];
    }
    const kinds = (Array.isArray(type) ? type : [type]).flatMap((one) => {
      const kind = KINDS.get(one);
      return kind ? [kind] : [];
    });
    const [usual] = kinds;
    if (usual && !kinds.some(([is]) => is(value))) return [line(path, `Input should be a valid ${usual[1]}`)];
    const own = Array.isArray(value)
      ? this.#items(schema, value, path)
      : isDict(value)
        ? this.#fields(schema, value, path)
        : [];
    if ((ref ?? allOf ?? anyOf ?? oneOf) === undefined) return own;
    if (typeof ref === "string" && /^#(\/|$)/.test(ref)) own.push(...this.#under(this.#at(ref), value, path));
    for (const one of listed(allOf)) own.push(...this.#under(one, value, path));
    if (anyOf) own.push(...this.#choice(listed(anyOf), value, path, false));
    if (oneOf) own.push(...this.#choice(listed(oneOf), value, path, true));
    return [...new Set(own)];
  }

  #items({ prefixItems, items }: Fields, value: readonly unknown[], path: string): string[] {
    // A list of schemas is how `prefixItems` was called before.
    const first = listed(prefixItems ?? (Array.isArray(items) ? items : undefined));
    const rest = Array.isArray(items) ? undefined : items;
    return value.flatMap((item, at) => {
      const schema = at < first.length ? first[at] : rest;
      return schema === undefined ? [] : this.#under(schema, item, below(path, at));
    });
  }

  #fields({ properties = {}, required }: Fields, value: Fields, path: string): string[] {
    const known = properties as Fields;
    // Older schemas put `required: true` on the field itself.
    const missing = new Set(
      (Array.isArray(required) ? (required as unknown[]) : []).filter((key) => !Object.hasOwn(value, key as string)),
    );
    const found = Object.keys(known).flatMap((key) => {
      if (Object.hasOwn(value, key)) return this.#under(known[key], value[key], below(path, key));
      return missing.delete(key) ? [line(below(path, key), REQUIRED)] : [];
    });
    for (const key of missing) found.push(line(below(path, String(key)), REQUIRED));
    return found;
  }

  /** The errors of a value that should match one of several schemas, or exactly one. */
  #choice(schemas: readonly unknown[], value: unknown, path: string, justOne: boolean): string[] {
    const found: string[] = [];
    let fits = 0;
    for (const schema of schemas) {
      const problems = this.#under(schema, value, path);
      if (problems.length > 0) found.push(...problems);
      else if (++fits > 1 || !justOne) break;
    }
    if (fits > 1) return [line(path, "Input should fit one of the schemas, not several")];
    if (fits === 1) return [];
    // It is known already that the field may be left out.
    const nothing = line(path, "Input should be a valid null");
    const told = found.filter((problem) => problem !== nothing);
    return told.length > 0 ? told : [nothing];
  }

  /** The part of the schema that a reference is about. */
  #at(ref: string): unknown {
    let at: unknown = this.#root;
    for (const part of decodeURIComponent(ref).split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Fields)[key] : undefined;
    }
    if (at === undefined) throw refused(`refers to '${ref}', which it does not have`);
    return at;
  }
}

const REQUIRED = "Field required";

const refused = (why: string) => new ThreadfoldError("INVALID_ARGUMENT", `A JSON Schema ${why}.`);

const below = (path: string, key: string | number) => (path ? `${path}.${key}` : String(key));

const listed = (list: unknown): readonly unknown[] => {
  if (list === undefined || Array.isArray(list)) return list ?? [];
  throw refused("has no list where there should be one");
};

function oneOfThese(list: readonly unknown[]): string {
  const all = list.map((one) => (typeof one === "string" ? `'${one}'` : JSON.stringify(one)));
  const last = all.pop();
  return all.length > 0 ? `${all.join(", ")} or ${last}` : String(last);
}
