// Scenarios written by hand, in a short form.
import { FIELDS, type Act, type Field, type MessageSpec, type NodeSpec, type Scenario } from "./specs.js";
import type { Turn, TurnKind, Write } from "./specs.js";

/** A field, or a kind of message. */
type Word = Exclude<Field, "messages"> | MessageSpec["kind"];

const isField = (word: Word): word is Exclude<Field, "messages"> => (FIELDS as readonly string[]).includes(word);

/** Writes of these words; one that the overwritten ones contain is an Overwrite. */
function writesOf(words: readonly Word[], overwrites: readonly Word[] = []): Write[] {
  const fields = words.filter(isField).map((field): Write => ({ field, overwrite: overwrites.includes(field) }));
  const kinds = words.filter((word): word is MessageSpec["kind"] => !isField(word));
  if (kinds.length === 0) return fields;
  const overwrite = kinds.some((kind) => overwrites.includes(kind));
  return [{ field: "messages", messages: kinds.map((kind) => ({ kind })), overwrite }, ...fields];
}

interface ActOptions {
  readonly kind?: Act["kind"];
  readonly more?: readonly (readonly Word[])[];
  readonly to?: readonly string[];
  readonly wait?: number;
  readonly overwrites?: readonly Word[];
}

/** An act that writes these. */
export const writes = (words: readonly Word[], options: ActOptions = {}): Act => ({
  kind: options.kind ?? "update",
  writes: writesOf(words, options.overwrites),
  more: (options.more ?? []).map((list) => writesOf(list, options.overwrites)),
  to: options.to ?? [],
  wait: options.wait ?? 0,
  always: false,
});

type NodeOptions = Partial<Pick<NodeSpec, "to" | "sends" | "inside" | "cached">>;

export const node = (name: string, acts: readonly Act[], options: NodeOptions = {}): NodeSpec => ({
  name,
  level: 0,
  acts,
  to: [],
  sends: [],
  cached: false,
  ...options,
});

type TurnOptions = Partial<Omit<Turn, "kind" | "writes">> & { readonly writes?: readonly Word[] };

export const turn = (kind: TurnKind, { writes: words = [], ...options }: TurnOptions = {}): Turn => ({
  kind,
  writes: writesOf(words),
  fault: { kind: "none" },
  choice: 0.5,
  limit: 25,
  isReloaded: false,
  settles: true,
  ...options,
});

/** A scenario that starts at its first node, and whose page has a schema. */
export const defaults = (given: Partial<Scenario> & Pick<Scenario, "nodes" | "turns">): Scenario => ({
  seed: 1,
  fields: ["messages"],
  unknown: [],
  start: given.nodes.slice(0, 1).map(({ name }) => name),
  before: [],
  after: [],
  clockIds: false,
  ...given,
});
