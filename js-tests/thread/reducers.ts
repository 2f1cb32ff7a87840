// The fields' reducers as plainly as they can be written, for the model: none of threadfold's code.

export type Fields = Readonly<Record<string, unknown>>;

export interface Message {
  readonly id: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

/** What the thread refuses, by the code of its error. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const REMOVE_ALL = "__remove_all__";

export const isRemoval = (message: Message): boolean => message["type"] === "remove";
export const isClear = (message: Message): boolean => isRemoval(message) && message.id === REMOVE_ALL;

/** LangGraph's `add_messages`, of whole messages. */
export function addMessages(left: readonly Message[], right: readonly Message[]): Message[] {
  const clear = right.findLastIndex(isClear);
  if (clear >= 0) {
    const kept: Message[] = [];
    for (const message of right.slice(clear + 1)) {
      const at = kept.findIndex(({ id }) => id === message.id);
      if (!isRemoval(message)) kept.push(message);
      else if (at < 0) throw new Refused("REMOVED_AFTER_REMOVE_ALL");
      else kept.splice(at, 1);
    }
    return kept;
  }
  const merged = [...left];
  const removed = new Set<string>();
  for (const message of right) {
    const at = merged.findLastIndex(({ id }) => id === message.id);
    if (isRemoval(message)) {
      if (at < 0) throw new Refused("UNKNOWN_MESSAGE_REMOVED");
      removed.add(message.id);
      continue;
    }
    removed.delete(message.id);
    if (at < 0) merged.push(message);
    else merged[at] = message;
  }
  return merged.filter(({ id }) => !removed.has(id));
}

type Reducer = (held: never, write: never) => unknown;

const replace: Reducer = (_, write) => write;

const todos: Reducer = (_, write: { content?: unknown; status?: unknown }[]) => {
  const fits = write.every(({ content, status }) => typeof content === "string" && typeof status === "string");
  if (!fits) throw new Refused("INVALID_TODOS");
  return write;
};

const files: Reducer = (held: Fields | undefined, write: Fields) =>
  Object.fromEntries(Object.entries({ ...held, ...write }).filter(([, file]) => file !== null));

const tools: Reducer = (held: { name: string }[] | undefined, write: { name: string }[]) =>
  [...(held ?? []), ...write].filter(({ name }, at, all) => all.findIndex((tool) => tool.name === name) === at);

const append: Reducer = (held: unknown[] | undefined, write: unknown[]) => [...(held ?? []), ...write];

const merge: Reducer = (held: object | undefined, write: object) => ({ ...held, ...write });

/** The custom reducer of the tests' schema: a sum that does not take 13. */
export function sum(held: number, write: number): number {
  if (write === 13) throw new Error("13 is not taken");
  return held + write;
}

const budget: Reducer = (held: number | undefined, write: number) => {
  if (write === 13) throw new Refused("REDUCER_FAILED");
  return (held ?? 0) + write;
};

export interface Field {
  fold: (held: unknown, write: unknown) => unknown;
  input: boolean;
  output: boolean;
  /** Whether a snapshot that says otherwise than it was folded is drift. */
  predicted: boolean;
}

const field = (fold: Reducer, options: Partial<Field> = {}): Field => ({
  fold: fold as Field["fold"],
  input: true,
  output: true,
  predicted: true,
  ...options,
});

export interface Rules {
  fields: Record<string, Field>;
  /** Whether fields without a rule are taken, and replaced. */
  open: boolean;
}

const ready = { predicted: false };

/** A thread's fields without a schema. */
export const openRules: Rules = {
  open: true,
  fields: { tools: field(tools, ready), todos: field(todos, ready), files: field(files, ready) },
};

/** Those of the tests' schema, in its order. */
export const schemaRules: Rules = {
  open: false,
  fields: {
    todos: field(todos, { input: false }),
    files: field(files),
    topic: field(replace),
    log: field(append),
    prefs: field(merge),
    budget: field(budget),
    secret: field(replace, { input: false, output: false }),
    notes: field(append, { output: false }),
  },
};

/** A field after a write; as it was, when nobody has such a field. */
export function write(rules: Rules, fields: Fields, key: string, value: unknown): Fields {
  const rule = rules.fields[key];
  if (!rule) return rules.open ? { ...fields, [key]: value } : fields;
  return { ...fields, [key]: rule.fold(fields[key], value) };
}
