import { tellAll } from "../thread/notifier.js";

/** The listeners for changes of a runner's shown state. */
export class Listeners {
  readonly #view: () => readonly unknown[];
  readonly #all = new Set<() => void>();
  #told: readonly unknown[] = [];

  constructor(view: () => readonly unknown[]) {
    this.#view = view;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Returns a function that removes it. */
  add(listener: () => void): () => void {
    const own = () => listener();
    if (this.isEmpty) this.#told = this.#view();
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Calls the listeners, if something has changed. */
  tell(): void {
    if (this.isEmpty) return;
    const view = this.#view();
    if (view.every((part, at) => part === this.#told[at])) return;
    this.#told = view;
    tellAll(this.#all);
  }

  clear(): void {
    this.#all.clear();
  }
}
