import { textOf } from "threadfold";
import { agent } from "./agent.js";

const { thread } = agent;
const messages = document.createElement("main");
const bar = document.createElement("p");
const form = document.createElement("form");
const input = Object.assign(document.createElement("input"), { ariaLabel: "Message", required: true });
form.append(input, Object.assign(document.createElement("button"), { textContent: "Send" }));
document.querySelector("#root")?.append(messages, bar, form);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void agent.sendMessage(input.value);
  form.reset();
});

/** An element for each message, made once: a token changes the one that grew. */
const elements = new Map<string, HTMLElement>();
function elementOf(id: string): HTMLElement {
  const known = elements.get(id);
  if (known) return known;
  const element = document.createElement("p");
  const show = (message = thread.getMessage(id)) => {
    element.hidden = !textOf(message);
    element.textContent = `${message?.role}: ${textOf(message)}`;
  };
  thread.subscribeMessage(id, show);
  show();
  elements.set(id, element);
  return element;
}

let shown: readonly string[] = [];
function showList() {
  if (shown === thread.messageIds) return;
  shown = thread.messageIds;
  messages.replaceChildren(...shown.map(elementOf));
}

const button = (textContent: string, onclick: () => void) =>
  Object.assign(document.createElement("button"), { textContent, onclick });
function showRun() {
  const { status, error, interrupts } = agent;
  bar.replaceChildren();
  if (error) bar.append(button(`Try again: ${error.message}`, () => void agent.retry()));
  if (status === "streaming") bar.append(button("Stop", () => void agent.stop()));
  for (const { id, message } of interrupts) {
    bar.append(
      message ?? "",
      button("Yes", () => void agent.resume({ id, value: { approved: true } })),
    );
    bar.append(button("No", () => void agent.resume({ id, value: { approved: false } })));
  }
}

thread.subscribe(showList);
agent.subscribe(showRun);
showList();
showRun();
