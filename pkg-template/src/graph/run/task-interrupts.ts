// The interrupts of one task, and their answers.
import type { OpenInterrupt } from "../build/interrupt.js";
import { interruptId } from "../ids/ids.js";
import type { TaskPlace } from "../task/task-place.js";

/** Most tasks have none. */
const NONE: readonly never[] = [];

export class TaskInterrupts {
  readonly #place: TaskPlace;
  /** Those that are open: the task waits for their answers. */
  open: readonly OpenInterrupt[] = NONE;
  /** Those of earlier runs come first. */
  answers: readonly unknown[] = NONE;
  /** Whether an interrupt got an answer, which is then saved with the task. */
  isAnswered = false;
  #firstId: string | undefined;

  constructor(place: TaskPlace) {
    this.#place = place;
  }

  /** The id of the interrupt after so many answers. */
  id(answered: number): string {
    if (answered > 0) return interruptId(`${this.#place.ns}|${answered}`);
    return (this.#firstId ??= interruptId(this.#place.ns));
  }

  add(answer: unknown): void {
    this.isAnswered = true;
    this.answers = [...this.answers, answer];
  }
}
