// A list of any length: only the rows in view exist. Arrow keys choose a row.
import { element, setAttribute } from "./dom.js";

const ROW = 26;
const AROUND = 8;

export interface ListOptions {
  readonly label: string;
  /** Fills a row. */
  readonly fill: (row: HTMLElement, at: number) => void;
  readonly choose: (at: number) => void;
}

export class LongList {
  readonly root: HTMLElement;
  readonly #space = element("div", { class: "space", role: "presentation" });
  readonly #options: ListOptions;
  readonly #rows = new Map<number, HTMLElement>();
  #length = 0;
  #chosen: number | undefined;
  /** The row that was chosen since the last frame. */
  #next: number | undefined;
  /** Whether the end is in view, where new rows come. */
  #follows = true;

  constructor(options: ListOptions) {
    this.#options = options;
    this.root = element(
      "div",
      { class: "long", role: "listbox", tabindex: 0, "aria-label": options.label },
      this.#space,
    );
    this.root.addEventListener("scroll", () => {
      const { scrollTop, clientHeight, scrollHeight } = this.root;
      this.#follows = scrollTop + clientHeight >= scrollHeight - ROW;
      this.#draw();
    });
    this.root.addEventListener("click", ({ target }) => {
      const row = (target as Element).closest<HTMLElement>("[role=option]");
      if (row) this.#choose(Number(row.dataset["at"]));
    });
    this.root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows this many rows. Another `version` fills all of them again; the last row is filled anew each time. */
  show(length: number, chosen: number | undefined, version: string): void {
    if (this.root.dataset["version"] !== version) {
      this.root.dataset["version"] = version;
      this.#clear();
    }
    if (length < this.#length) this.#clear();
    // A fold reports some things after its part.
    this.#rows.get(this.#length - 1)?.remove();
    this.#rows.delete(this.#length - 1);
    this.#length = length;
    this.#next = undefined;
    if (chosen !== this.#chosen) {
      this.#chosen = chosen;
      if (chosen !== undefined) this.#reveal(chosen);
    }
    this.#space.style.height = `${length * ROW}px`;
    if (chosen === undefined && this.#follows) this.root.scrollTop = length * ROW;
    this.#draw();
  }

  #clear(): void {
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
  }

  #draw(): void {
    const from = Math.max(0, Math.floor(this.root.scrollTop / ROW) - AROUND);
    const to = Math.min(this.#length, from + Math.ceil((this.root.clientHeight || 300) / ROW) + 2 * AROUND);
    for (const [at, row] of this.#rows) {
      if (at >= from && at < to) continue;
      row.remove();
      this.#rows.delete(at);
    }
    for (let at = from; at < to; at++) {
      let row = this.#rows.get(at);
      if (!row) {
        row = element("div", { role: "option", id: `row-${at}`, "data-at": at });
        row.style.transform = `translateY(${at * ROW}px)`;
        setAttribute(row, "aria-posinset", at + 1);
        this.#options.fill(row, at);
        this.#rows.set(at, row);
        this.#space.append(row);
      }
      setAttribute(row, "aria-setsize", this.#length);
      setAttribute(row, "aria-selected", String(at === this.#chosen));
    }
    setAttribute(this.root, "aria-activedescendant", this.#chosen === undefined ? undefined : `row-${this.#chosen}`);
  }

  #reveal(at: number): void {
    const { scrollTop, clientHeight } = this.root;
    if (at * ROW < scrollTop) this.root.scrollTop = at * ROW;
    else if ((at + 1) * ROW > scrollTop + clientHeight) this.root.scrollTop = (at + 1) * ROW - clientHeight;
  }

  #choose(at: number): void {
    if (this.#length === 0) return;
    this.#next = Math.max(0, Math.min(this.#length - 1, at));
    this.#options.choose(this.#next);
  }

  #key(event: KeyboardEvent): void {
    const now = this.#next ?? this.#chosen ?? this.#length;
    const places: Record<string, number | undefined> = {
      ArrowUp: now - 1,
      ArrowDown: now + 1,
      PageUp: now - 10,
      PageDown: now + 10,
      Home: 0,
      End: this.#length - 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    this.#choose(place);
  }
}
