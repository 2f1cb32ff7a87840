// The thread as a chat: one element for each message, touched only when the message is another object.
import { element, setText } from "./dom";
import { read } from "./message";
import { isObject, type ThreadState } from "./state";

interface Shown {
  message: object;
  readonly item: HTMLLIElement;
}

const NAMES = { user: "You", assistant: "Agent", tool: "Tool", system: "System" };
const STATUS = { pending: "to do", in_progress: "in progress", completed: "done" };

export class ThreadView {
  readonly #host: HTMLElement;
  readonly #plan = element("ul", { class: "todos", "aria-label": "Todos" });
  readonly #list = element("ol", { class: "messages", "aria-label": "Messages" });
  readonly #empty = element("p", { class: "hint" }, "No messages yet. Press play.");
  #shown = new Map<string, Shown>();
  #todos: unknown;

  constructor(host: HTMLElement) {
    this.#host = host;
    host.append(this.#plan, this.#list, this.#empty);
    this.#plan.hidden = true;
  }

  /** Shows a state; with `follow`, its end is kept in sight. */
  show(state: ThreadState, follow: boolean): void {
    const before = this.#shown;
    this.#shown = new Map();
    let place: Element | null = this.#list.firstElementChild;
    for (const message of state.messages) {
      const id = read(message).id;
      const shown = before.get(id) ?? { message: {}, item: element("li") };
      before.delete(id);
      this.#shown.set(id, shown);
      if (shown.message !== message) fill(shown, message);
      if (shown.item === place) place = place.nextElementSibling;
      else this.#list.insertBefore(shown.item, place);
    }
    for (const { item } of before.values()) item.remove();
    this.#empty.hidden = state.messages.length > 0;
    this.#showTodos(state["todos"]);
    if (follow) this.#host.scrollTop = this.#host.scrollHeight;
  }

  #showTodos(todos: unknown): void {
    if (todos === this.#todos) return;
    this.#todos = todos;
    const list = Array.isArray(todos) ? todos.filter(isObject) : [];
    this.#plan.hidden = list.length === 0;
    this.#plan.replaceChildren(...list.map((todo) => {
      const status = String(todo["status"]);
      return element("li", { "data-status": status },
        element("span", {}, String(todo["content"])),
        element("small", {}, STATUS[status as keyof typeof STATUS] ?? status));
    }));
  }
}

function fill(shown: Shown, message: object): void {
  const { item } = shown;
  const { id, role, text, calls } = read(message);
  shown.message = message;
  item.className = `message ${role}`;
  item.dataset["id"] = id;
  const parts = [element("span", { class: "who" }, NAMES[role])];
  if (role === "tool") {
    const open = item.querySelector("details")?.open ?? false;
    parts.push(element("details", { class: "call", open }, element("summary", {}, "Result"), element("code", {}, text)));
  } else if (text) {
    parts.push(element("p", { class: "text" }, text));
  }
  for (const { name, args } of calls) {
    parts.push(element("div", { class: "call" }, element("b", {}, name), " ", element("code", {}, args)));
  }
  // While text streams, only the text changes: leave the elements, and a reader's selection, where they are.
  const old = item.querySelector(":scope > .text");
  const [, fresh] = parts;
  if (old && fresh && parts.length === 2 && item.childElementCount === 2 && fresh.className === "text") {
    setText(old, text);
  } else {
    item.replaceChildren(...parts);
  }
}
