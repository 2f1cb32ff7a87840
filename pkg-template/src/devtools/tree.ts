// A value as a tree. A branch makes its rows when it is opened, a hundred at a time. A value that is the same object as
// before is passed over.
import { count, element, setAttribute, setText, shortened } from "./dom.js";

const MOST_ROWS = 100;

/** A hundred items of a long list. */
class Range {
  constructor(
    readonly list: readonly unknown[],
    readonly from: number,
  ) {}
}

export class Tree {
  readonly root: HTMLElement = element("ul", { class: "tree" });
  #branch: Branch | undefined;
  readonly #label: string;
  readonly #isOpen: boolean;

  constructor(label: string, isOpen = true) {
    this.#label = label;
    this.#isOpen = isOpen;
    this.root.addEventListener("keydown", moveByKeys);
  }

  show(value: unknown): void {
    if (!this.#branch) this.root.append((this.#branch = new Branch(this.#label, this.#isOpen)).item);
    this.#branch.show(value);
  }
}

class Branch {
  readonly item = element("li");
  readonly #key = element("span", { class: "key" });
  readonly #text = element("span", { class: "value" });
  readonly #children = new Map<string, Branch>();
  #list: HTMLElement | undefined;
  #row: HTMLElement | undefined;
  #value: unknown = this;
  #isOpen: boolean;

  constructor(label: string, isOpen = false) {
    this.#isOpen = isOpen;
    setText(this.#key, label);
  }

  show(value: unknown): void {
    if (isSame(value, this.#value)) return;
    this.#value = value;
    const isBranch = sizeOf(value) > 0;
    if (!this.#row || isBranch !== (this.#row.tagName === "BUTTON")) this.#makeRow(isBranch);
    setText(this.#text, summary(value));
    this.#text.className = `value ${value === null || isBranch ? "preview" : typeof value}`;
    this.#showChildren();
  }

  #makeRow(isBranch: boolean): void {
    this.#row = element(isBranch ? "button" : "div", { class: "row" }, this.#key, this.#text);
    this.#row.addEventListener("click", () => {
      if (this.#row?.tagName !== "BUTTON") return;
      this.#isOpen = !this.#isOpen;
      this.#showChildren();
    });
    this.item.replaceChildren(this.#row);
    this.#list = undefined;
    this.#children.clear();
  }

  #showChildren(): void {
    const isShown = this.#isOpen && sizeOf(this.#value) > 0;
    if (this.#row?.tagName === "BUTTON") setAttribute(this.#row, "aria-expanded", String(isShown));
    if (!isShown) {
      this.#list?.remove();
      this.#list = undefined;
      this.#children.clear();
      return;
    }
    if (!this.#list) this.item.append((this.#list = element("ul")));
    const now = childrenOf(this.#value);
    for (const [key, child] of this.#children) {
      if (now.has(key)) continue;
      child.item.remove();
      this.#children.delete(key);
    }
    let place: Element | null = this.#list.firstElementChild;
    for (const [key, value] of now) {
      let child = this.#children.get(key);
      if (!child) this.#children.set(key, (child = new Branch(key)));
      child.show(value);
      if (child.item === place) place = place.nextElementSibling;
      else this.#list.insertBefore(child.item, place);
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function isSame(one: unknown, other: unknown): boolean {
  if (!(one instanceof Range && other instanceof Range)) return Object.is(one, other);
  if (rangeEnd(one) !== rangeEnd(other)) return false;
  for (let at = one.from; at < rangeEnd(one); at++) if (one.list[at] !== other.list[at]) return false;
  return true;
}

const rangeEnd = ({ list, from }: Range): number => Math.min(list.length, from + MOST_ROWS);

function sizeOf(value: unknown): number {
  if (value instanceof Range) return rangeEnd(value) - value.from;
  return Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
}

function childrenOf(value: unknown): Map<string, unknown> {
  if (value instanceof Range) return items(value.list, value.from, rangeEnd(value));
  if (!Array.isArray(value)) return new Map(Object.entries(value as object));
  if (value.length <= MOST_ROWS) return items(value, 0, value.length);
  const ranges = new Map<string, unknown>();
  for (let from = 0; from < value.length; from += MOST_ROWS) {
    const range = new Range(value, from);
    ranges.set(`${from} … ${from + MOST_ROWS - 1}`, range);
  }
  return ranges;
}

function items(list: readonly unknown[], from: number, to: number): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (let at = from; at < to; at++) found.set(String(at), list[at]);
  return found;
}

/** Returns one line about a value. */
function summary(value: unknown): string {
  if (value instanceof Range) return "";
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${count(value.length)} items`;
  if (!isObject(value)) return typeof value === "string" ? JSON.stringify(shortened(value)) : String(value);
  if (value instanceof Error) return String(value);
  const { role, type, name, content, id } = value;
  const words = [role ?? type, name, id].filter((word) => typeof word === "string");
  const text = typeof content === "string" && content !== "" ? JSON.stringify(shortened(content, 60)) : "";
  if (words.length > 0 || text) return [...words, text].filter(Boolean).join(" ");
  const keys = Object.keys(value);
  return keys.length === 0 ? "{}" : `{ ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""} }`;
}

/** Arrows move between the rows that open, and open and close them. */
function moveByKeys(event: KeyboardEvent): void {
  const row = (event.target as Element).closest("button");
  if (!row) return;
  const rows = [...(event.currentTarget as Element).querySelectorAll("button")];
  const isExpanded = row.getAttribute("aria-expanded") === "true";
  const moves: Record<string, (() => void) | undefined> = {
    ArrowDown: () => rows[rows.indexOf(row) + 1]?.focus(),
    ArrowUp: () => rows[rows.indexOf(row) - 1]?.focus(),
    ArrowRight: () => (isExpanded ? rows[rows.indexOf(row) + 1]?.focus() : row.click()),
    ArrowLeft: () =>
      isExpanded ? row.click() : row.closest("ul")?.parentElement?.querySelector<HTMLElement>("button")?.focus(),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}
