// A list of cards: a card is made once for its key, and shows what it is given.
import { button, element, setText, time } from "../dom.js";
import type { Shown } from "./view.js";

const MOST = 200;

export interface Card<T> {
  readonly root: HTMLElement;
  show(item: T, shown: Shown): void;
}

export class Cards<T> {
  readonly root = element("div", { class: "view cards", tabindex: -1 });
  readonly #list = element("div", { style: "display:contents" });
  readonly #none: HTMLElement;
  readonly #cards = new Map<string, Card<T>>();
  readonly #make: () => Card<T>;

  constructor(none: string, make: () => Card<T>) {
    this.#make = make;
    this.#none = element("p", { class: "none" }, none);
    this.root.append(this.#none, this.#list);
  }

  /** Shows the last 200 items, the last first. */
  show(items: readonly T[], key: (item: T) => string, shown: Shown): void {
    this.#none.hidden = items.length > 0;
    const now = new Map<string, T>();
    for (let at = items.length - 1; at >= Math.max(0, items.length - MOST); at--)
      now.set(key(items[at] as T), items[at] as T);
    for (const [name, card] of this.#cards) {
      if (now.has(name)) continue;
      card.root.remove();
      this.#cards.delete(name);
    }
    let place = this.#list.firstElementChild;
    for (const [name, item] of now) {
      let card = this.#cards.get(name);
      if (!card) this.#cards.set(name, (card = this.#make()));
      card.show(item, shown);
      if (card.root === place) place = place.nextElementSibling;
      else this.#list.insertBefore(card.root, place);
    }
  }
}

/** A card's first line: a name, a status and a few words. */
export class Line {
  readonly #name = element("b");
  readonly #chip = element("span", { class: "chip" });
  readonly #words = element("span", { class: "at" });
  readonly root = element("div", { class: "line" }, this.#name, this.#chip, this.#words);

  show(name: string, status: string, words: string): void {
    setText(this.#name, name);
    setText(this.#chip, status);
    this.#chip.dataset["is"] = status;
    setText(this.#words, words);
  }
}

/** A button that shows the thread at a place of its recording. */
export class PlaceButton {
  #at = 0;
  #shown: Shown | undefined;
  readonly root: HTMLButtonElement;

  constructor(label: string, title: string) {
    this.root = button(label, title, () => this.#shown?.travel(this.#at));
  }

  show(at: number, shown: Shown): void {
    this.#at = at;
    this.#shown = shown;
  }
}

export const timeOf = (shown: Shown, at: number): string => {
  const part = shown.parts[at];
  return part ? time(part.at) : "";
};
