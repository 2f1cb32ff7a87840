// Conversations made at random, and the tests' own answer to which result belongs to which call.

export interface Message {
  type: "human" | "ai" | "tool";
  content: string;
  id?: string;
  tool_calls?: { id?: string | null; name: string; args: object }[];
  invalid_tool_calls?: { id?: string | null; name: string; args: string; type: string }[];
  tool_call_id?: string | undefined;
}

/** A generator of random numbers (mulberry32): the same ones for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const left = [...values];
    const out: T[] = [];
    while (left.length > 0) out.push(...left.splice(this.below(left.length), 1));
    return out;
  }
}

export const human = (content = "h"): Message => ({ type: "human", content });
export const ai = (...ids: string[]): Message => ({
  type: "ai",
  content: "",
  ...(ids.length > 0 && { tool_calls: ids.map((id) => ({ id, name: "f", args: {} })) }),
});
export const tool = (tool_call_id: string | undefined): Message => ({ type: "tool", content: "r", tool_call_id });

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Every call is answered at once, also those of parallel calls, in any order. */
function plain(dice: Dice): Message[] {
  const list: Message[] = [];
  let calls = 0;
  for (let turn = 1 + dice.below(4); turn > 0; turn--) {
    list.push(human());
    for (let step = dice.below(3); step > 0; step--) {
      const ids = range(1 + dice.below(3)).map(() => `c${calls++}`);
      list.push(ai(...ids), ...dice.shuffled(ids).map(tool));
    }
    if (dice.chance(0.8)) list.push(ai());
  }
  return list;
}

/** Several messages with calls, and then all their results in any order. */
function mixed(dice: Dice): Message[] {
  const list: Message[] = [];
  let calls = 0;
  for (let turn = 1 + dice.below(3); turn > 0; turn--) {
    list.push(human());
    for (let step = dice.below(3); step > 0; step--) {
      const groups = range(1 + dice.below(3)).map(() => range(1 + dice.below(2)).map(() => `c${calls++}`));
      list.push(...groups.map((ids) => ai(...ids)), ...dice.shuffled(groups.flat()).map(tool));
    }
    if (dice.chance(0.7)) list.push(ai());
  }
  return list;
}

/** Some results come only after other messages. */
function late(dice: Dice): Message[] {
  const list: Message[] = [];
  let calls = 0;
  for (let turn = 1 + dice.below(4); turn > 0; turn--) {
    list.push(human());
    for (let step = dice.below(3); step > 0; step--) {
      const ids = range(1 + dice.below(2)).map(() => `c${calls++}`);
      const results = dice.shuffled(ids).map(tool);
      const between = dice.chance(0.3) ? [dice.chance(0.5) ? human() : ai()] : [];
      const at = dice.below(results.length);
      list.push(ai(...ids), ...results.slice(0, at), ...between, ...results.slice(at));
    }
    if (dice.chance(0.7)) list.push(ai());
  }
  return list;
}

/**
 * Anything: repeated ids; results without calls, before their calls, or twice; calls without an id or with invalid
 * JSON.
 */
export function wild(dice: Dice): Message[] {
  const ids = ["", "a", "b", "c", "d"];
  return range(dice.below(14)).map(() => {
    if (dice.chance(0.2)) return human();
    if (dice.chance(0.5)) return tool(dice.chance(0.1) ? undefined : dice.one(ids));
    const some = () => range(dice.below(3)).map(() => (dice.chance(0.1) ? dice.one([null, undefined]) : dice.one(ids)));
    const message: Message = { type: "ai", content: "", tool_calls: some().map(callOf) };
    if (dice.chance(0.3))
      message.invalid_tool_calls = some().map((id) => ({ ...callOf(id), args: "{", type: "invalid_tool_call" }));
    return message;
  });
}

const callOf = (id: string | null | undefined) => ({ name: "f", args: {}, ...(id !== undefined && { id }) });

export const KINDS = { plain, mixed, late };

export const idsOf = (message: Message): string[] =>
  message.type === "ai"
    ? [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])]
        .map(({ id }) => id)
        .filter((id) => typeof id === "string")
    : [];

/** The position of the nearest message before a result that calls its id; -1 if there is none. */
export function ownerOf(messages: readonly Message[], at: number): number {
  const id = messages[at]?.tool_call_id;
  for (let before = at - 1; before >= 0; before--)
    if (id !== undefined && idsOf(messages[before] as Message).includes(id)) return before;
  return -1;
}

/** How many results of a cut list have lost the call that they had. */
export function orphans(messages: readonly Message[], cut: number): number {
  const kept = messages.slice(cut);
  return kept.filter(
    (message, at) => message.type === "tool" && ownerOf(kept, at) < 0 && ownerOf(messages, cut + at) >= 0,
  ).length;
}

/** The position of a message with a call that waits for its result; undefined if there is none. */
export function waitingIn(messages: readonly Message[]): number | undefined {
  const at = messages.findLastIndex(({ type }) => type === "ai");
  if (at < 0 || messages.slice(at + 1).some(({ type }) => type !== "tool")) return undefined;
  const results = new Set(messages.slice(at + 1).map(({ tool_call_id }) => tool_call_id));
  const isOpen = messages[at]?.tool_calls?.some(({ id }) => typeof id === "string" && !results.has(id));
  return isOpen ? at : undefined;
}

/**
 * Returns the fault of a list by the strictest provider's rules. Each message with calls is followed at once by one
 * result for each id, and nothing else is a result. The calls of the message at `waiting` may be open.
 */
export function complaint(messages: readonly Message[], waiting?: number): string | undefined {
  for (let at = 0; at < messages.length;) {
    const message = messages[at] as Message;
    if (message.type === "tool") return `messages[${at}] is the result of no call of the message before it`;
    const open = new Set(idsOf(message));
    const start = at++;
    for (; open.size > 0 && messages[at]?.type === "tool"; at++) {
      const id = messages[at]?.tool_call_id;
      if (id === undefined || !open.delete(id)) return `messages[${at}] answers nothing that is open`;
    }
    if (open.size > 0 && start !== waiting) return `messages[${start}] has calls without a result`;
  }
  return undefined;
}
