// A chat page in React, in a DOM of jsdom: a list of all messages, each of them a memoised component.
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><body></body>");
Object.assign(globalThis, { window, document: window.document });

// They check their environment when they are imported.
const { createElement: h, memo, useLayoutEffect } = await import("react");
const { createRoot } = await import("react-dom/client");

const Message = memo(({ message }) =>
  h(
    "li",
    { id: message.id },
    message.content,
    ...(message.tool_calls ?? []).map((call) => h("pre", { key: call.id }, call.args?.content)),
  ),
);

export class Page {
  #host = document.body.appendChild(document.createElement("div"));
  #committed = () => {};

  /** @param useMessages - A hook: the messages to show. */
  constructor(useMessages) {
    const List = () => {
      const messages = useMessages();
      useLayoutEffect(() => this.#committed());
      return h(
        "ul",
        null,
        messages.map((message) => h(Message, { key: message.id, message })),
      );
    };
    createRoot(this.#host).render(h(List));
  }

  /** When React has next changed the page. */
  committed() {
    return new Promise((resolve) => {
      this.#committed = resolve;
    });
  }

  get shown() {
    const items = this.#host.querySelectorAll("li");
    return { count: items.length, last: items[items.length - 1]?.textContent };
  }
}
