// Random graphs, the calls on a thread of one, and the faults of the connection, all as data.

import { randomOf } from "../../support/random.js";

/** A message that a node writes. */
export interface MessageSpec {
  readonly kind:
    "ai" | "tool" | "human" | "replace" | "remove" | "clear" | "model" | "no-id" | "bare" | "calls" | "chunk";
}

/** One node's writes to one field. */
export type Write =
  | { readonly field: "messages"; readonly messages: readonly MessageSpec[]; readonly overwrite?: boolean }
  | { readonly field: Exclude<Field, "messages">; readonly overwrite?: boolean };

export type Field = "messages" | "log" | "sum" | "latest" | "files" | "last" | "mood" | "scratch";

export const FIELDS: readonly Field[] = ["messages", "log", "sum", "latest", "files", "last", "mood", "scratch"];

/** A node's action at a call. */
export interface Act {
  readonly kind: "update" | "nothing" | "command" | "list" | "fail" | "ask" | "parent";
  readonly writes: readonly Write[];
  /** Further updates of a list. */
  readonly more: readonly (readonly Write[])[];
  /** Where a command goes. `>x` is a Send to x. */
  readonly to: readonly string[];
  /** How long it takes. */
  readonly wait: number;
  /** Whether it fails at each attempt, not only at the first. */
  readonly always: boolean;
}

export interface NodeSpec {
  readonly name: string;
  readonly level: number;
  readonly acts: readonly Act[];
  /** The nodes of a subgraph, one after another, if it is one. */
  readonly inside?: readonly NodeSpec[];
  readonly to: readonly string[];
  /** Targets of Sends from its conditional edge. */
  readonly sends: readonly string[];
  readonly cached: boolean;
}

export type TurnKind = "input" | "go-on" | "other-update" | "other-run" | "command";

/** A fault of the connection that carries a run's parts. */
export type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "doubled"; readonly share: number }
  | { readonly kind: "again"; readonly at: number }
  | { readonly kind: "joined"; readonly at: number }
  | { readonly kind: "joined-less"; readonly at: number; readonly lost: number }
  | { readonly kind: "left"; readonly at: number }
  | { readonly kind: "lost"; readonly at: number; readonly lost: number }
  | { readonly kind: "swapped"; readonly at: number };

export interface Turn {
  readonly kind: TurnKind;
  readonly writes: readonly Write[];
  readonly fault: Fault;
  /** Chooses what of several questions is answered, the node to write as, and the like. */
  readonly choice: number;
  readonly limit: number;
  /** Whether the page is loaded again before it, from what it saved. */
  readonly isReloaded: boolean;
  /** Whether the page asks for the state after it, if in doubt. */
  readonly settles: boolean;
}

export interface Scenario {
  readonly seed: number;
  readonly nodes: readonly NodeSpec[];
  readonly start: readonly string[];
  readonly fields: readonly Field[];
  /** Fields that the page's schema does not know; undefined if the page has no schema. */
  readonly unknown: readonly Field[] | undefined;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly turns: readonly Turn[];
  /** Whether several parts may have one id, which is a time. */
  readonly clockIds: boolean;
}

/** Names whose order differs by alphabet, by number and by code point. */
const NAMES = ["b", "a", "B", "_c", "10", "2", "é", "z"];

interface Options {
  /** Whether parts may be lost or change places within a connection: only a server that numbers them shows it. */
  readonly numbered: boolean;
}

export function randomScenario(seed: number, { numbered }: Options): Scenario {
  const random = randomOf(seed);
  const below = (end: number) => Math.floor(random() * end);
  const chance = (of: number) => random() < of;
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const some = <T>(list: readonly T[], most: number): T[] =>
    list.length === 0 ? [] : [...new Set(Array.from({ length: 1 + below(most) }, () => pick(list)))];

  const fields = FIELDS.filter((field) => field === "messages" || chance(field === "scratch" ? 0.15 : 0.45));
  const others = fields.filter((field) => field !== "messages" && field !== "last");

  const message = (): MessageSpec => {
    const kind = random();
    if (kind < 0.34) return { kind: "ai" };
    if (kind < 0.42) return { kind: "calls" };
    if (kind < 0.48) return { kind: "tool" };
    if (kind < 0.54) return { kind: "human" };
    if (kind < 0.68) return { kind: "replace" };
    if (kind < 0.78) return { kind: "remove" };
    if (kind < 0.81) return { kind: "clear" };
    if (kind < 0.91) return { kind: "model" };
    if (kind < 0.95) return { kind: "no-id" };
    if (kind < 0.97) return { kind: "chunk" };
    return { kind: "bare" };
  };
  const writes = (own: readonly Field[] = []): Write[] => {
    const chosen = new Set<Field>();
    if (chance(0.7)) chosen.add("messages");
    if (others.length > 0 && chance(0.6)) for (const field of some(others, 2)) chosen.add(field);
    for (const field of own) if (chance(0.5)) chosen.add(field);
    return [...chosen].map((field): Write => {
      const overwrite = field !== "mood" && field !== "scratch" && field !== "last" && chance(0.06);
      const more = overwrite ? { overwrite } : {};
      if (field !== "messages") return { field, ...more };
      return { field, messages: Array.from({ length: 1 + below(chance(0.3) ? 3 : 1) }, message), ...more };
    });
  };

  const odd = chance(0.35);
  const act = (later: readonly string[], within: boolean, own: readonly Field[]): Act => {
    const base = { writes: writes(own), more: [], to: [], wait: below(4), always: chance(0.2) };
    const kind = random();
    if (odd && kind < 0.12) return { ...base, kind: "ask" };
    if (odd && kind < 0.22) return { ...base, kind: "fail" };
    if (kind < 0.3) return { ...base, kind: "nothing", writes: [] };
    if (kind < 0.42) {
      const to = chance(0.7) ? some(later, 2).map((name) => (chance(0.4) ? `>${name}` : name)) : [];
      return { ...base, kind: within && chance(0.5) ? "parent" : "command", to };
    }
    if (kind < 0.52) return { ...base, kind: "list", more: Array.from({ length: 1 + below(2) }, () => writes()) };
    return { ...base, kind: "update" };
  };

  const names = [...NAMES].sort(() => random() - 0.5).slice(0, 2 + below(4));
  const levels = names.map((_, at) => (at === 0 ? 0 : below(3))).sort();
  const laterThan = (at: number) => names.filter((_, other) => (levels[other] as number) > (levels[at] as number));
  const lastOwner = below(names.length);
  const nodes = names.map((name, at): NodeSpec => {
    const later = laterThan(at);
    const own: Field[] = at === lastOwner && fields.includes("last") ? ["last"] : [];
    const acts = Array.from({ length: 1 + below(3) }, () => act(later, false, own));
    const inside = chance(0.18)
      ? ["x", "y"].slice(0, 1 + below(2)).map((inner, level): NodeSpec => ({
          name: inner,
          level,
          acts: Array.from({ length: 1 + below(2) }, () => act(later, true, [])),
          to: [],
          sends: [],
          cached: false,
        }))
      : undefined;
    // Two tasks of a node in a step would both write the field that takes one.
    const sent = later.filter((other) => other !== names[lastOwner] || !fields.includes("last"));
    return {
      name,
      level: levels[at] as number,
      acts,
      ...(inside && { inside }),
      to: chance(0.75) ? some(later, 2) : [],
      sends: chance(0.25) && sent.length > 0 ? Array.from({ length: 1 + below(3) }, () => pick(sent)) : [],
      cached: chance(0.03),
    };
  });
  const first = names.filter((_, at) => levels[at] === 0);

  const fault = (): Fault => {
    const kind = random();
    const at = random();
    const lost = 1 + below(3);
    if (numbered) {
      if (kind < 0.25) return { kind: "lost", at, lost };
      if (kind < 0.4) return { kind: "swapped", at };
    }
    if (kind < 0.5) return { kind: "none" };
    if (kind < 0.6) return { kind: "doubled", share: at };
    if (kind < 0.7) return { kind: "again", at: chance(0.5) ? 1 : at };
    if (kind < 0.82) return { kind: "joined", at };
    if (kind < 0.95) return { kind: "joined-less", at, lost };
    return { kind: "left", at };
  };
  const unsure = random();
  const unknown = unsure < 0.04 ? undefined : unsure < 0.14 ? some(others, 1) : [];
  const turns = Array.from({ length: 2 + below(4) }, (_, at): Turn => {
    const kind = random();
    return {
      kind:
        at === 0 || kind < 0.4
          ? "input"
          : kind < 0.75
            ? "go-on"
            : kind < 0.83
              ? "other-update"
              : kind < 0.91
                ? "other-run"
                : "command",
      writes: writes()
        // A page gives no field that its schema lacks.
        .filter(({ field }) => !unknown?.includes(field as never))
        .map((write) =>
          write.field === "messages"
            ? { field: "messages", messages: [{ kind: chance(0.8) ? "human" : pick(["replace", "remove"] as const) }] }
            : { field: write.field },
        ),
      fault: fault(),
      choice: random(),
      limit: chance(0.04) ? 2 : 25,
      isReloaded: chance(0.08),
      settles: chance(0.8),
    };
  });
  return {
    seed,
    nodes,
    start: some(first, 3),
    fields,
    unknown,
    before: chance(0.05) ? [pick(names)] : [],
    after: chance(0.05) ? [pick(names)] : [],
    turns,
    clockIds: chance(0.4),
  };
}
