// The panel: it chooses a thread, a tab and a place, and draws at most once a frame.
import { button, element, errorWords, setAttribute, setText } from "./dom.js";
import type { Found, FoundThreads } from "./found.js";
import { importRecording } from "./recording.js";
import { STYLE } from "./style.js";
import { Timeline } from "./timeline.js";
import { CheckpointsView } from "./views/checkpoints-view.js";
import { PartsView } from "./views/parts-view.js";
import { PendingView } from "./views/pending-view.js";
import { ProblemsView } from "./views/problems-view.js";
import { RunsView } from "./views/runs-view.js";
import { StateView } from "./views/state-view.js";
import type { Shown, View } from "./views/view.js";

const MARK = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 3h12L8 8h6L8 13"/></svg>';

export class Panel {
  readonly #found: FoundThreads;
  readonly #host = element("div", { id: "threadfold-devtools" });
  readonly #launch = button("", "Open threadfold devtools", () => this.open(), { class: "launch" });
  readonly #panel = element("section", { class: "panel", "aria-label": "threadfold devtools" });
  readonly #threads = element("select", { "aria-label": "Thread" });
  readonly #status = element("span", { class: "chip", role: "status" });
  readonly #error = element("p", { class: "error", role: "alert", hidden: true });
  readonly #none = element("p", { class: "none" }, "No thread on this page yet.");
  readonly #body = element("div", { class: "body", role: "tabpanel" });
  readonly #tabs = element("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  readonly #timeline = new Timeline();
  readonly #views: readonly View[] = [
    new StateView(),
    new PartsView(),
    new RunsView(),
    new PendingView(),
    new ProblemsView(),
    new CheckpointsView(),
  ];
  readonly #buttons: readonly HTMLButtonElement[];
  #view = 0;
  #chosen: Found | undefined;
  /** The number of the part that is shown, dropped ones counted; undefined for now. */
  #place: number | undefined;
  #frame: number | undefined;
  #isOpen = false;
  readonly #hasButton: boolean;

  constructor(found: FoundThreads, parent: Element, hasButton: boolean) {
    this.#found = found;
    this.#hasButton = hasButton;
    this.#launch.innerHTML = MARK;
    this.#launch.hidden = !hasButton;
    this.#panel.hidden = true;
    this.#buttons = this.#views.map((view, at) => this.#tab(view, at));
    this.#tabs.append(...this.#buttons);
    this.#tabs.addEventListener("keydown", (event) => this.#moveTab(event));
    this.#threads.addEventListener("change", () => this.#choose(Number(this.#threads.value)));
    const brand = element("span", { class: "brand" });
    brand.innerHTML = `${MARK}<span>threadfold</span>`;
    const head = element(
      "div",
      { class: "head" },
      brand,
      this.#threads,
      this.#status,
      element("span", { class: "gap" }),
      button("Import", "Import a recording", () => this.#import(), { class: "file" }),
      button("Export", "Export the recording as JSON", () => this.#export(), { class: "file" }),
      button("✕", "Close (Esc)", () => this.close()),
    );
    this.#panel.append(this.#grip(), head, this.#tabs, this.#none, this.#body, this.#error, this.#timeline.root);
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      // The page's shortcuts are not for what is typed here.
      event.stopPropagation();
    });
    const shadow = this.#host.attachShadow({ mode: "open" });
    shadow.append(element("style", {}, STYLE), this.#launch, this.#panel);
    parent.append(this.#host);
    this.#select(0);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#panel.hidden = false;
    this.#launch.hidden = true;
    this.#found.onChange(() => this.#later());
    this.#draw();
    this.#buttons[this.#view]?.focus();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#panel.hidden = true;
    this.#launch.hidden = !this.#hasButton;
    this.#found.onChange(undefined);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    if (this.#hasButton) this.#launch.focus();
  }

  dispose(): void {
    this.close();
    this.#host.remove();
  }

  #later(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.#isOpen) this.#draw();
    });
  }

  #draw(): void {
    const all = this.#found.list();
    if (!this.#chosen || !all.includes(this.#chosen)) {
      // The one that something happened in.
      this.#chosen = all.find(({ recording }) => recording.parts.length > 1) ?? all[0];
      this.#place = undefined;
    }
    this.#drawThreads(all);
    const shown = this.#chosen && this.#shown(this.#chosen);
    this.#none.hidden = shown !== undefined;
    this.#body.hidden = this.#timeline.root.hidden = shown === undefined;
    if (!shown) return;
    setText(this.#status, shown.status);
    this.#status.dataset["is"] = shown.status;
    this.#views.forEach((view, at) => {
      const { count = 0, isBad = false } = view.badge?.(shown) ?? {};
      const number = this.#buttons[at]?.lastElementChild as HTMLElement;
      setText(number, count > 0 ? count.toLocaleString("en") : "");
      number.className = isBad && count > 0 ? "n bad" : "n";
    });
    this.#views[this.#view]?.show(shown);
    this.#timeline.show(shown);
  }

  #shown(found: Found): Shown | undefined {
    const { recording } = found;
    const { parts, dropped, thread } = recording;
    const isAtEnd = this.#place === undefined && thread !== undefined;
    const at = isAtEnd ? undefined : Math.max(0, Math.min((this.#place ?? Infinity) - dropped, parts.length - 1));
    const now = at === undefined ? thread : this.#try(() => recording.at(at));
    if (!now) return undefined;
    const known = at === undefined ? found.runner?.status : parts[at]?.status;
    return {
      found,
      parts,
      thread: now,
      status: known ?? now.run.status,
      at,
      travel: (to) => {
        this.#place = to === undefined ? undefined : to + dropped;
        this.#later();
      },
      redraw: () => this.#later(),
    };
  }

  #drawThreads(all: readonly Found[]): void {
    const names = all.map(({ name, number, recording }) => name ?? recording.thread?.threadId ?? `thread ${number}`);
    const now = all.map(({ number }, at) => `${number} ${names[at]}`).join("\n");
    if (this.#threads.dataset["now"] !== now) {
      this.#threads.dataset["now"] = now;
      this.#threads.replaceChildren(
        ...all.map(({ number }, at) => element("option", { value: number }, names[at] ?? "")),
      );
    }
    this.#threads.value = String(this.#chosen?.number ?? "");
    this.#threads.hidden = all.length === 0;
  }

  #choose(number: number): void {
    this.#chosen = this.#found.list().find((found) => found.number === number);
    this.#place = undefined;
    this.#report("");
    this.#later();
  }

  // ── tabs ──

  #tab({ label }: View, at: number): HTMLButtonElement {
    const tab = element("button", { role: "tab" }, label, element("span", { class: "n" }));
    tab.addEventListener("click", () => this.#select(at));
    return tab;
  }

  #select(at: number): void {
    this.#view = at;
    this.#buttons.forEach((tab, other) => {
      setAttribute(tab, "aria-selected", String(other === at));
      tab.tabIndex = other === at ? 0 : -1;
    });
    const view = this.#views[at];
    if (view) this.#body.replaceChildren(view.root);
    setAttribute(this.#body, "aria-label", view?.label);
    if (this.#isOpen) this.#draw();
  }

  #moveTab({ key }: KeyboardEvent): void {
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    this.#select((this.#view + by + this.#views.length) % this.#views.length);
    this.#buttons[this.#view]?.focus();
  }

  // ── files ──

  #export(): void {
    const recording = this.#chosen?.recording;
    const text = recording && this.#try(() => JSON.stringify(recording));
    if (text === undefined) return;
    const link = element("a", {
      href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
      download: `${recording?.thread?.threadId ?? "thread"}.recording.json`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  #import(): void {
    const input = element("input", { type: "file", accept: "application/json,.json" });
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      void file?.text().then((text) => this.#read(text, file.name));
    });
    input.click();
  }

  #read(text: string, name: string): void {
    const like = this.#found.list().find(({ recording }) => recording.thread)?.recording.thread;
    if (!like) return this.#report("A recording needs a thread on the page, which has its schema.");
    const recording = this.#try(() => importRecording(JSON.parse(text), like));
    if (recording) this.#chosen = this.#found.addImported(recording, name);
    this.#place = undefined;
    this.#later();
  }

  // ── errors and height ──

  #try<T>(act: () => T): T | undefined {
    try {
      const done = act();
      this.#report("");
      return done;
    } catch (error) {
      this.#report(errorWords(error));
      return undefined;
    }
  }

  #report(sentence: string): void {
    setText(this.#error, sentence);
    this.#error.hidden = sentence === "";
  }

  #grip(): HTMLElement {
    const grip = element("div", { class: "grip", role: "separator", tabindex: 0, "aria-label": "Height" });
    const resize = (height: number) => this.#panel.style.setProperty("--height", `${Math.max(200, height)}px`);
    grip.addEventListener("pointerdown", ({ pointerId }) => grip.setPointerCapture(pointerId));
    grip.addEventListener("pointermove", ({ pointerId, clientY }) => {
      if (grip.hasPointerCapture(pointerId)) resize(innerHeight - clientY);
    });
    grip.addEventListener("keydown", ({ key }) => {
      const by = key === "ArrowUp" ? 24 : key === "ArrowDown" ? -24 : 0;
      if (by !== 0) resize(this.#panel.offsetHeight + by);
    });
    return grip;
  }
}
