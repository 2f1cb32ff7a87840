import type { Change } from "./worker.js";

const root = document.querySelector("#root") as HTMLElement;
root.innerHTML = `<ol></ol><form><input name="text" aria-label="Message" required /> <button>Send</button></form>`;
const list = root.querySelector("ol") as HTMLOListElement;
const form = root.querySelector("form") as HTMLFormElement;

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const items = new Map<string, HTMLLIElement>();

function itemOf(id: string): HTMLLIElement {
  const item = items.get(id) ?? document.createElement("li");
  items.set(id, item);
  return item;
}

worker.addEventListener("message", ({ data }: MessageEvent<Change>) => {
  if ("ids" in data) list.replaceChildren(...data.ids.map(itemOf));
  else itemOf(data.id).textContent = data.text;
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  worker.postMessage(new FormData(form).get("text"));
  form.reset();
});
