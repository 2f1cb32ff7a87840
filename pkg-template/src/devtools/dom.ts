// Elements of the panel. Everything that a thread contains is written as text.
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. A boolean attribute is there or not. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...children);
  return made;
}

/** Makes a button. One without words is named by its title. */
export function button(label: string, title: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const name = /\w/.test(label) ? undefined : title;
  const made = element("button", { title, "aria-label": name, ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Sets an attribute if it differs: most frames change nothing. */
export function setAttribute(on: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) on.removeAttribute(name);
  else if (on.getAttribute(name) !== String(value)) on.setAttribute(name, value === true ? "" : String(value));
}

export function setText(on: Element, text: string): void {
  if (on.textContent !== text) on.textContent = text;
}

export const count = (value: number): string => value.toLocaleString("en");

/** Returns a size in the unit that fits. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Returns a time of the day, with milliseconds. */
export function time(at: number): string {
  const date = new Date(at);
  return `${date.toLocaleTimeString("en-GB")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Returns the start and the end of a long text: it grows at its end. */
export function shortened(text: string, most = 120): string {
  return text.length <= most ? text : `${text.slice(0, most - 40)} … ${text.slice(-30)}`;
}

/** Returns a few words about an error, whatever it is. */
export function errorWords(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "");
}
