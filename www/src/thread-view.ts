// The thread as a chat: one element for each message, touched only when the message is another object.
import { element, setText } from "./dom";
import { read } from "./message";
import { isObject, type ThreadState } from "./state";

/** What is to be said of a message that the server has not confirmed. */
export interface Note {
  /** The pending update that the message is in. */
  readonly update: string;
  readonly status: "waiting" | "pending" | "sent" | "failed";
  readonly error: string;
}

export interface Actions {
  retry(update: string): void;
  rollback(update: string): void;
}

interface Shown {
  message: object;
  note: string;
  readonly item: HTMLLIElement;
}

const NAMES = { user: "You", assistant: "Agent", tool: "Tool", system: "System" };
const NOTES = { waiting: "goes out when the agent is done", pending: "sending…", sent: "sent, not confirmed yet" };
const STATUS = { pending: "to do", in_progress: "in progress", completed: "done" };

export class ThreadView {
  readonly #host: HTMLElement;
  readonly #plan = element("ul", { class: "todos", "aria-label": "Todos" });
  readonly #list = element("ol", { class: "messages", "aria-label": "Messages" });
  readonly #empty: HTMLElement;
  readonly #actions: Actions | undefined;
  #shown = new Map<string, Shown>();
  #todos: unknown;

  constructor(host: HTMLElement, empty: string, actions?: Actions) {
    this.#host = host;
    this.#empty = element("p", { class: "hint" }, empty);
    this.#actions = actions;
    host.append(this.#plan, this.#list, this.#empty);
    this.#plan.hidden = true;
  }

  /** Whether the end of it is in sight. Who has scrolled up to read is not to be pulled down. */
  get atEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#host;
    return scrollHeight - scrollTop - clientHeight < 32;
  }

  /** Shows a state; with `follow`, its end is kept in sight. `notes` are on messages, by their ids. */
  show(state: ThreadState, follow: boolean, notes?: ReadonlyMap<string, Note>): void {
    const before = this.#shown;
    this.#shown = new Map();
    let place: Element | null = this.#list.firstElementChild;
    for (const message of state.messages) {
      const { id, key } = read(message);
      const shown = before.get(key) ?? { message: {}, note: "", item: element("li") };
      before.delete(key);
      this.#shown.set(key, shown);
      if (shown.message !== message) fill(shown, message);
      this.#annotate(shown, notes?.get(id));
      if (shown.item === place) place = place.nextElementSibling;
      else this.#list.insertBefore(shown.item, place);
    }
    for (const { item } of before.values()) item.remove();
    this.#empty.hidden = state.messages.length > 0;
    this.#showTodos(state["todos"]);
    if (follow) this.#host.scrollTop = this.#host.scrollHeight;
  }

  #annotate(shown: Shown, note: Note | undefined): void {
    const mark = note ? `${note.status} ${note.update} ${note.error}` : "";
    if (mark === shown.note) return;
    shown.note = mark;
    const { item } = shown;
    item.dataset["status"] = note?.status ?? "confirmed";
    item.querySelector(":scope > .note")?.remove();
    if (note) item.append(this.#noteElement(note));
  }

  #noteElement({ update, status, error }: Note): HTMLElement {
    const line = element("p", { class: "note" }, status === "failed" ? error : NOTES[status]);
    if (status !== "failed" || !this.#actions) return line;
    const { retry, rollback } = this.#actions;
    const buttons = element("span", { class: "ways-out" });
    for (const [label, work] of [
      ["Send again", retry],
      ["Take back", rollback],
    ] as const) {
      const button = element("button", { type: "button", class: "quiet" }, label);
      button.addEventListener("click", () => work(update));
      buttons.append(button);
    }
    line.append(" ", buttons);
    return line;
  }

  #showTodos(todos: unknown): void {
    if (todos === this.#todos) return;
    this.#todos = todos;
    const list = Array.isArray(todos) ? todos.filter(isObject) : [];
    this.#plan.hidden = list.length === 0;
    this.#plan.replaceChildren(
      ...list.map((todo) => {
        const status = String(todo["status"]);
        return element(
          "li",
          { "data-status": status },
          element("span", {}, String(todo["content"])),
          element("small", {}, STATUS[status as keyof typeof STATUS] ?? status),
        );
      }),
    );
  }
}

/** Writes a message into its element. Parts that stay what they were stay the same elements, and so does a selection. */
function fill(shown: Shown, message: object): void {
  const { item } = shown;
  const { id, role, text, calls } = read(message);
  shown.message = message;
  item.className = `message ${role}`;
  item.dataset["id"] = id;
  const note = item.querySelector(":scope > .note");
  const old = [...item.children].filter((part) => part !== note);
  const parts = [element("span", { class: "who" }, NAMES[role])];
  if (role === "tool") {
    const open = item.querySelector("details")?.open ?? false;
    parts.push(
      element("details", { class: "call", open }, element("summary", {}, "Result"), element("code", {}, text)),
    );
  } else if (text) {
    parts.push(element("p", { class: "text" }, text));
  }
  for (const { name, args } of calls) {
    parts.push(element("div", { class: "call" }, element("b", {}, name), " ", element("code", {}, args)));
  }
  for (const [at, fresh] of parts.entries()) {
    const before = old[at];
    if (!before) item.insertBefore(fresh, note);
    else if (before.isEqualNode(fresh)) continue;
    else if (before.className === fresh.className && fresh.className === "text") setText(before, text);
    else before.replaceWith(fresh);
  }
  for (const gone of old.slice(parts.length)) gone.remove();
}
