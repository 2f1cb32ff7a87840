// The interrupts of a thread's run, and their answers.
import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import type { Answer } from "./protocol.js";
import { withIds, type UnnamedInterrupt, type Interrupt } from "../stream/run-result.js";
import type { InterruptAnswer } from "./runner-types.js";

const NONE: readonly never[] = [];

/**
 * The interrupts of a thread's run in the form of a runner, and the answers by id. The machine knows which are open.
 */
export class RunInterrupts<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  readonly #read: (raw: unknown) => UnnamedInterrupt;
  #of: unknown;
  #reopened: { readonly run: unknown; readonly interrupts: readonly unknown[] } | undefined;
  #byId: ReadonlyMap<string, Interrupt> = new Map();
  /** All ids so far: a page may answer one that was answered elsewhere. */
  readonly #known = new Set<string>();
  #ids: readonly string[] = NONE;
  #answers = new Map<string, Answer>();
  #listed: readonly Interrupt[] = NONE;

  /** @param read - Reads an interrupt of the protocol. */
  constructor(thread: Thread<S, U>, read: (raw: unknown) => UnnamedInterrupt) {
    this.#thread = thread;
    this.#read = read;
  }

  /** The run's interrupts, as the server sent them. */
  get raw(): readonly unknown[] | undefined {
    const { run } = this.#thread;
    if (run.status !== "interrupted" && run.status !== "error") return undefined;
    return run.interrupts ?? (this.#reopened?.run === run ? this.#reopened.interrupts : undefined);
  }

  /** The ids of the run's interrupts: one that comes twice, or that the server leaves out, is made. */
  get ids(): readonly string[] {
    const raw = this.raw;
    if (raw === this.#of) return this.#ids;
    this.#of = raw;
    const byId = new Map(withIds(raw?.map(this.#read) ?? NONE).map((one) => [one.id, one]));
    // Answers are kept for a retry of the run that was to continue with them.
    if (byId.size > 0) this.#answers = new Map([...this.#answers].filter(([id]) => byId.has(id)));
    this.#byId = byId;
    for (const id of byId.keys()) this.#known.add(id);
    return (this.#ids = [...byId.keys()]);
  }

  /** Returns those with these ids. The same array while they are the same. */
  list(ids: readonly string[]): readonly Interrupt[] {
    void this.ids;
    const list = ids.flatMap((id) => this.#byId.get(id) ?? []);
    const before = this.#listed;
    if (list.length !== before.length || list.some((one, at) => one !== before[at])) this.#listed = list;
    return this.#listed;
  }

  /** Opens these of a run that failed. */
  reopen(interrupts: readonly unknown[]): void {
    this.#reopened = { run: this.#thread.run, interrupts };
  }

  /** Keeps answers until all is answered, and for a retry. */
  keep(given: ReadonlyMap<string, Answer>): void {
    for (const [id, answer] of given) this.#answers.set(id, answer);
  }

  /** Returns the answers to these, in their order. */
  answers(ids: readonly string[], given?: ReadonlyMap<string, Answer>): Answer[] {
    return ids.flatMap((id) => given?.get(id) ?? this.#answers.get(id) ?? []);
  }

  /** Whether it was an interrupt of an earlier run. */
  isClosed(id: string): boolean {
    return this.#known.has(id) && !this.#byId.has(id);
  }

  one(id: string): Interrupt | undefined {
    return this.#byId.get(id);
  }
}

/**
 * Returns the answers of these decisions, by the ids of their interrupts. Leaves out those that are closed by now.
 *
 * @param open - The interrupts without an answer.
 * @param seen - The one that the caller saw: a decision without an id answers it, and no later one.
 */
export function answersTo(
  interrupts: RunInterrupts<never, never>,
  open: readonly string[],
  given: InterruptAnswer | readonly InterruptAnswer[],
  seen: string | undefined,
): Map<string, Answer> {
  const decisions = Array.isArray(given) ? (given as readonly InterruptAnswer[]) : [given as InterruptAnswer];
  if (decisions.some((decision) => typeof decision !== "object" || decision === null))
    invalid("A decision should be an object: { value }, or { id, value } if several interrupts are open.");
  if (decisions.length === 0) invalid("No interrupt is answered by an empty list of decisions.");
  const answers = new Map<string, Answer>();
  for (const decision of decisions) {
    const { id: named = seen } = decision;
    if (named !== undefined && interrupts.isClosed(named)) continue;
    if (named === undefined && open.length > 1)
      invalid(`The run has ${open.length} open interrupts: name in each decision the id of its interrupt.`);
    // An answer that waits can still be changed.
    const id = named === undefined ? open[0] : named;
    const interrupt = id === undefined ? undefined : interrupts.one(id);
    if (id === undefined || !interrupt) invalid(`The run has no open interrupt with the id '${String(named)}'.`);
    answers.set(id, { ...decision, interrupt });
  }
  return answers;
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}
