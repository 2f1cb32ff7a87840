// Asks src/agent for decisions, in numbers that crates/agent-wasm/src/agent.rs defines.
import { call, decide, room } from "#agent-core";
import type { ToolCall } from "../state/messages.js";
import type { ToolMessage } from "./message.js";
import type { JumpTarget } from "./types.js";

const [ROUTE, SETTLE, LIMIT] = [0, 1, 2];
const NONE = 0xffffffff;
const JUMPS: readonly unknown[] = [undefined, "model", "tools", "end"];

function asked(what: number, numbers: number[]): Uint32Array {
  room(numbers.length).set(numbers);
  const length = call(() => decide(what, numbers.length));
  return Uint32Array.from(room(length).subarray(0, length));
}

/** The next step after the model: a target, or the calls to run, by position. */
export function afterModel(turn: {
  readonly jumpTo: unknown;
  /** The tool calls of the model's last message; undefined if it has none. */
  readonly calls: readonly ToolCall[] | undefined;
  readonly results: readonly ToolMessage[];
  readonly isAnswer: (name: string) => boolean;
  readonly isStructured: boolean;
}): JumpTarget | Uint32Array {
  const { jumpTo, calls, results, isAnswer, isStructured } = turn;
  const ids = new Map<unknown, number>();
  const numbers = [Math.max(0, JUMPS.indexOf(jumpTo ?? undefined)), Number(isStructured), calls ? calls.length : NONE];
  for (const { id, name } of calls ?? []) {
    let number = ids.get(id);
    if (number === undefined) ids.set(id, (number = ids.size));
    numbers.push(number, Number(isAnswer(name)));
  }
  for (const { tool_call_id: id } of results) {
    const number = ids.get(id);
    if (number !== undefined) numbers.push(number);
  }
  const decided = asked(ROUTE, numbers);
  return (JUMPS[decided[0] as number] as JumpTarget | undefined) ?? decided.subarray(1);
}

/** The decisions that a human may take, in the order of their bits. */
export const DECISIONS = ["approve", "edit", "reject", "respond"] as const;
export type DecisionType = (typeof DECISIONS)[number];

/** The bits of the decisions that a call allows. */
export const gateOf = (allowed: readonly DecisionType[]): number =>
  allowed.reduce((bits, one) => bits | (1 << DECISIONS.indexOf(one)), 0);

/** The outcome of a call: it runs, an edited call replaces it, or a decision answers it. */
export type Settled = "run" | { readonly edited: number } | { readonly answer: number };

/** Returns the outcome of each call, or why the decisions do not fit. */
export function settle(
  gates: readonly number[],
  decisions: readonly { readonly type?: unknown }[],
):
  | Settled[]
  | { readonly given: number; readonly waiting: number }
  | { readonly decision: number; readonly call: number } {
  const said = decisions.map((decision) => {
    const at = DECISIONS.indexOf(decision?.type as DecisionType);
    return at < 0 ? NONE : at;
  });
  const [kind, ...rest] = asked(SETTLE, [gates.length, ...gates, ...said]);
  const [first = 0, second = 0] = rest;
  if (kind === 1) return { given: first, waiting: second };
  if (kind === 2) return { decision: first, call: second };
  return rest.map((one) => {
    if (one === 0) return "run";
    return one % 2 === 1 ? { edited: (one - 1) / 2 } : { answer: (one - 2) / 2 };
  });
}

/** Takes the calls that count, as long as they may: the new numbers of thread and run, and the positions of the rest. */
export function limit(
  { thread, run }: { readonly thread: number; readonly run: number },
  {
    threadLimit = NONE,
    runLimit = NONE,
  }: { readonly threadLimit?: number | undefined; readonly runLimit?: number | undefined },
  counts: readonly boolean[],
): { thread: number; run: number; blocked: number[] } {
  const [nowThread = 0, nowRun = 0, ...blocked] = asked(LIMIT, [
    thread,
    run,
    threadLimit,
    runLimit,
    ...counts.map(Number),
  ]);
  return { thread: nowThread, run: nowRun, blocked };
}
