// Storages that can be full, slow and broken.

/** Keeps text, and records the calls; throws while it is `broken`. */
export class Shelf {
  readonly kept = new Map<string, string>();
  readonly writes: string[] = [];
  broken: Error | undefined;

  readonly getItem = (name: string): string | null => {
    if (this.broken) throw this.broken;
    return this.kept.get(name) ?? null;
  };
  readonly setItem = (name: string, text: string): void => {
    if (this.broken) throw this.broken;
    this.writes.push(text);
    this.kept.set(name, text);
  };

  /** The record saved under a name. */
  state(name: string): { core: { confirmed: { messages: { id: string; content: string }[] } } } {
    return JSON.parse(this.kept.get(name) ?? "null").state;
  }

  contents(name: string): string[] {
    return this.state(name).core.confirmed.messages.map(({ content }) => content);
  }
}

/** The same with promises: a write is done when `answer` is called. */
export class SlowShelf {
  readonly inner = new Shelf();
  readonly #waiting: (() => void)[] = [];
  mostAtOnce = 0;

  readonly getItem = async (name: string): Promise<string | null> => this.inner.getItem(name);
  readonly setItem = async (name: string, text: string): Promise<void> => {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#waiting.length);
    });
    this.inner.setItem(name, text);
  };

  get isWriting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Lets the writes under way end. */
  async answer(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}
