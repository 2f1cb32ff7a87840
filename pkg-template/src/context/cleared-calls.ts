// The cost of a message while its calls lose their arguments one by one.
import { callId, toolCallsOf, withArgs } from "./call-fields.js";
import { withFields } from "./edited.js";
import { fieldsOf } from "./message-parts.js";
import type { Units } from "./token-counter.js";

/** Counts each call of a message by itself: to count them all each time would be quadratic. */
export class ClearedCalls {
  #sum: number;
  /** The calls that have their arguments, by their ids. */
  readonly #calls = new Map<unknown, unknown[]>();
  readonly #costOf: (call: unknown) => number;

  constructor(
    asked: object,
    at: number,
    private readonly units: Units,
  ) {
    this.#sum = units.of(asked);
    const found = toolCallsOf(asked, at);
    for (const call of found?.calls ?? []) {
      const own = this.#calls.get(callId(call)) ?? [];
      own.push(call);
      this.#calls.set(callId(call), own);
    }
    // Beside a list of content calls may count otherwise.
    const { content } = fieldsOf(asked);
    const empty = !Array.isArray(content) ? "" : content.length > 0 ? [""] : [];
    this.#costOf = (call) => units.of(withFields(asked, { content: empty, [found?.field ?? "tool_calls"]: [call] }));
  }

  /** Takes the arguments of the calls with this id. Returns how many tokens less the message has. */
  clear(id: string): number {
    const before = this.#tokens;
    for (const call of this.#calls.get(id) ?? []) this.#sum += this.#costOf(withArgs(call, {})) - this.#costOf(call);
    this.#calls.delete(id);
    return before - this.#tokens;
  }

  get #tokens(): number {
    return Math.ceil(this.#sum / this.units.aToken);
  }
}
