// The slider over a recording: it shows the thread as it was, and leads back to the present.
import { button, count, element, setAttribute, setText, time } from "./dom.js";
import type { Shown } from "./views/view.js";

export class Timeline {
  readonly #slider = element("input", { type: "range", min: 0, step: 1, "aria-label": "Place in the recording" });
  readonly #words = element("output");
  readonly #back = button("‹", "One part back", () => this.#move(-1));
  readonly #forth = button("›", "One part on", () => this.#move(1));
  readonly #live = button("Live", "Show the thread as it is now", () => this.#shown?.travel(undefined), {
    class: "live",
  });
  readonly root = element("div", { class: "foot" }, this.#back, this.#slider, this.#forth, this.#words, this.#live);
  #shown: Shown | undefined;

  constructor() {
    this.#slider.addEventListener("input", () => this.#shown?.travel(Number(this.#slider.value)));
  }

  show(shown: Shown): void {
    this.#shown = shown;
    const { parts, at, found } = shown;
    const last = parts.length - 1;
    const place = at ?? last;
    setAttribute(this.#slider, "max", last);
    if (this.#slider.value !== String(place)) this.#slider.value = String(place);
    const { dropped, thread } = found.recording;
    const part = parts[place];
    const words = part ? `${count(dropped + place)} of ${count(dropped + last)} · ${part.kind} · ${time(part.at)}` : "";
    setText(this.#words, at === undefined && thread ? `${count(dropped + parts.length)} parts` : words);
    setAttribute(this.#slider, "aria-valuetext", words);
    setAttribute(this.#live, "aria-pressed", String(at === undefined));
    this.#live.hidden = !thread;
    this.#back.disabled = place <= 0;
    this.#forth.disabled = at === undefined || place >= last;
  }

  #move(by: number): void {
    const { parts, at, travel } = this.#shown ?? {};
    if (parts) travel?.(Math.max(0, Math.min(parts.length - 1, (at ?? parts.length - 1) + by)));
  }
}
