import type { Change } from "./worker.js";

const root = document.querySelector("#root") as HTMLElement;
root.innerHTML = `<ol></ol><form><input name="text" aria-label="Message" required /> <button>Send</button></form>`;
const list = root.querySelector("ol") as HTMLOListElement;
const form = root.querySelector("form") as HTMLFormElement;

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const items = new Map<string, HTMLLIElement>();

worker.addEventListener("message", ({ data: { ids, changed } }: MessageEvent<Change>) => {
  for (const { id, text } of changed) {
    const item = items.get(id) ?? document.createElement("li");
    item.textContent = text;
    items.set(id, item);
  }
  const shown = ids.flatMap((id) => items.get(id) ?? []);
  if (shown.some((item, at) => item !== list.children[at])) list.replaceChildren(...shown);
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  worker.postMessage(new FormData(form).get("text"));
  form.reset();
});
