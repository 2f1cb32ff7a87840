// A snapshot as a tree. Changed values light up, decided by `===` between two snapshots and nothing else. Where the two
// hold the same object, neither the comparison nor the drawing goes any deeper.
import { element, setText } from "./dom";
import { entries } from "./sharing";
import { isObject } from "./state";

/** Two different things, to distinguish "was not there" from `undefined`. */
const ABSENT = Symbol("absent");
const HEAD = 90;
const TAIL = 40;

export class StateTree {
  readonly #root: Branch;

  constructor(host: HTMLElement) {
    this.#root = new Branch("state", 0);
    host.append(element("ul", { class: "tree" }, this.#root.item));
  }

  /**
   * Shows `now` and lights the values that differ from `before`. Returns the first lit leaf, to scroll to. With
   * `confirmed`, marks the values that differ from it as pending.
   */
  show(before: object, now: object, confirmed = now): HTMLElement | undefined {
    const visit: Visit = { first: undefined, closing: [] };
    this.#root.show(before, now, confirmed, visit);
    // Branches opened for an earlier event close when another part changes, not before.
    if (visit.first) for (const branch of visit.closing) branch.close();
    return visit.first;
  }
}

interface Visit {
  first: HTMLElement | undefined;
  closing: Branch[];
}

class Branch {
  readonly item = element("li");
  readonly #depth: number;
  readonly #label = element("span", { class: "key" });
  readonly #text = element("span", { class: "value" });
  readonly #mark = element("span", { class: "mark" });
  #details: HTMLDetailsElement | undefined;
  #children: Map<string, Branch> | undefined;
  #list: HTMLUListElement | undefined;
  #before: unknown = ABSENT;
  #now: unknown = ABSENT;
  #confirmed: unknown = ABSENT;
  #lit = false;
  #opened = false;

  constructor(label: string, depth: number) {
    this.#depth = depth;
    this.relabel(label);
  }

  relabel(label: string): void {
    setText(this.#label, label);
  }

  show(before: unknown, now: unknown, confirmed: unknown, visit: Visit): void {
    const lit = before !== now;
    if (!lit && !this.#lit && now === this.#now && confirmed === this.#confirmed) {
      if (this.#opened) visit.closing.push(this);
      return;
    }
    this.#before = before;
    this.#confirmed = confirmed;
    // Above a pending value there are only its containers.
    const pending = confirmed !== now && !(isObject(now) && isObject(confirmed));
    this.#light(lit, before === ABSENT, pending);
    if (now !== this.#now) this.#write(now);
    if (this.#details) {
      if (lit && !this.#details.open && this.#depth > 0) this.#open();
      else if (!lit && this.#opened) visit.closing.push(this);
      if (this.#details.open) this.#showChildren(visit);
    }
    if (lit) visit.first ??= this.item;
  }

  close(): void {
    this.#opened = false;
    if (this.#details) this.#details.open = false;
  }

  #open(): void {
    this.#opened = true;
    if (this.#details) this.#details.open = true;
  }

  #light(lit: boolean, fresh: boolean, pending: boolean): void {
    this.#lit = lit;
    this.item.classList.toggle("lit", lit);
    this.item.classList.toggle("pending", pending);
    setText(this.#mark, pending ? "pending" : lit ? (fresh ? "new" : "changed") : "");
  }

  #write(now: unknown): void {
    const branch = isBranch(now);
    if (branch !== (this.#details !== undefined) || !this.item.hasChildNodes()) this.#build(branch);
    this.#now = now;
    setText(this.#text, branch ? summary(now) : shorten(now));
    this.#text.className = `value ${branch ? "preview" : typeof now}`;
  }

  /** A leaf is a row, a branch a `details`: the keyboard and screen readers know how to use it. */
  #build(branch: boolean): void {
    const row = [this.#label, this.#text, this.#mark];
    this.#children = undefined;
    if (!branch) {
      this.#details = undefined;
      this.item.replaceChildren(element("div", { class: "row" }, ...row));
      return;
    }
    const details = element("details", { open: this.#depth < 2 }, element("summary", { class: "row" }, ...row));
    details.addEventListener("toggle", () => {
      if (details.open) this.#showChildren({ first: undefined, closing: [] });
    });
    // Once a reader has opened or closed it, it stays so.
    details.firstElementChild?.addEventListener("click", () => {
      this.#opened = false;
    });
    this.#details = details;
    this.item.replaceChildren(details);
  }

  #showChildren(visit: Visit): void {
    if (!isBranch(this.#now) || !this.#details) return;
    const list = (this.#list ??= element("ul"));
    if (list.parentNode !== this.#details) this.#details.append(list);
    const before = new Map(isObject(this.#before) ? entries(this.#before) : []);
    // Inside a value that is pending as a whole, nothing more is marked.
    const within = isObject(this.#confirmed) ? new Map(entries(this.#confirmed)) : undefined;
    const old = this.#children ?? new Map<string, Branch>();
    if (!this.#children) list.replaceChildren();
    this.#children = new Map();
    let place = list.firstElementChild;
    const inList = Array.isArray(this.#now);
    for (const [index, [key, value]] of entries(this.#now).entries()) {
      const label = inList ? String(index) : key;
      const child = old.get(key) ?? new Branch(label, this.#depth + 1);
      old.delete(key);
      this.#children.set(key, child);
      child.relabel(label);
      const confirmed = within ? (within.has(key) ? within.get(key) : ABSENT) : value;
      child.show(before.has(key) ? before.get(key) : ABSENT, value, confirmed, visit);
      if (child.item === place) place = place.nextElementSibling;
      else list.insertBefore(child.item, place);
    }
    for (const gone of old.values()) gone.item.remove();
  }
}

/** An empty list or object is a leaf: there is nothing to open. */
const isBranch = (value: unknown): value is Record<string, unknown> => isObject(value) && Object.keys(value).length > 0;

/** One line about its contents. */
function summary(value: Record<string, unknown>): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  const kind = value["role"] ?? value["type"] ?? value["name"];
  const text = value["content"];
  const shown = [typeof kind === "string" ? kind : "", typeof text === "string" && text ? shorten(text) : ""];
  if (shown.some(Boolean)) return shown.filter(Boolean).join(" ");
  const names = Object.keys(value);
  return names.slice(0, 4).join(", ") + (names.length > 4 ? ", …" : "");
}

/** The start and the end of a long text: the end is where it grows. */
function shorten(value: unknown): string {
  if (typeof value !== "string") return value === undefined ? "undefined" : JSON.stringify(value);
  if (value.length <= HEAD + TAIL) return JSON.stringify(value);
  const [head, tail] = [JSON.stringify(value.slice(0, HEAD)), JSON.stringify(value.slice(-TAIL))];
  return `${head.slice(0, -1)} … ${tail.slice(1)} (${value.length.toLocaleString("en")} characters)`;
}
