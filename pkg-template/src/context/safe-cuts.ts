import * as core from "#agent-core";
import { reading, ThreadfoldError } from "../errors.js";
import { factsOf, Rows } from "./rows.js";

export class SafeCuts {
  readonly #track = core.call(() => new core.RawTrack());
  readonly #rows = new Rows();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(...messages: unknown[]): void {
    const facts = reading(() => messages.map((message, at) => factsOf(message, this.#length + at)));
    for (const one of facts) this.#rows.add(one);
    core.call(() => this.#track.push(this.#rows.take()));
    this.#length += facts.length;
  }

  all(): number[] {
    return Array.from(core.call(() => this.#track.cuts()));
  }
}

export function safeCuts(messages: readonly unknown[]): SafeCuts {
  if (!Array.isArray(messages)) throw new ThreadfoldError("INVALID_VALUE", "messages should be a list of messages.");
  const cuts = new SafeCuts();
  cuts.push(...messages);
  return cuts;
}
