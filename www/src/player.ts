// The player: which event of the run is shown, and the controls for it.
import { element, setText } from "./dom";

/** Milliseconds from one event to the next at speed 1. */
const BEAT = 160;
const SPEEDS = [0.25, 0.5, 1, 2, 4, 16];

interface Player {
  readonly playing: boolean;
  /** Begins a run of so many events, at `index`. */
  load(last: number, index: number): void;
  play(): void;
}

/** Fills `host`. `onShow` is called for every position shown, with whether it was reached by playing. */
export function createPlayer(
  host: HTMLElement,
  before: Node[],
  onShow: (index: number, playing: boolean) => void,
): Player {
  let last = 0;
  let index = 0;
  let speed = 1;
  let timer: number | undefined;

  const button = (label: string, shape: string, work: () => void) => {
    const made = element("button", { type: "button", class: "icon", "aria-label": label, title: label }, icon(shape));
    made.addEventListener("click", work);
    return made;
  };
  const first = button("To the start", "M4 3v10M13 3 6 8l7 5z", () => seek(0));
  const back = button("One event back", "M11 3 4 8l7 5", () => seek(index - 1));
  const toggle = button("Play", "M4 2v12l10-6z", () => (timer === undefined ? play() : pause()));
  const forward = button("One event on", "M5 3l7 5-7 5", () => seek(index + 1));
  const range = element("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Position in the run" });
  const position = element("output", { class: "position" });
  const speeds = element(
    "select",
    { "aria-label": "Speed" },
    ...SPEEDS.map((value) => element("option", { value, selected: value === 1 }, `${value}×`)),
  );
  const keys = element(
    "p",
    { id: "player-keys", class: "keys" },
    element("kbd", {}, "space"),
    " play or pause ",
    element("kbd", {}, "←"),
    element("kbd", {}, "→"),
    " one event",
  );

  toggle.classList.add("play");
  range.addEventListener("input", () => seek(Number(range.value)));
  speeds.addEventListener("change", () => {
    speed = Number(speeds.value);
  });
  host.addEventListener("keydown", onKey);
  host.append(
    element(
      "div",
      { class: "controls" },
      ...before,
      element("div", { class: "buttons" }, first, back, toggle, forward),
      speeds,
      keys,
    ),
    element("div", { class: "scrub" }, range, position),
  );

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const inRange = event.target === range;
    const actions: Record<string, () => void> = {
      // On a button, space presses that button.
      ...(event.target instanceof HTMLButtonElement ? {} : { " ": () => (timer === undefined ? play() : pause()) }),
      // The range has arrows, Home and End of its own.
      ...(inRange
        ? {}
        : {
            ArrowLeft: () => seek(index - 1),
            ArrowRight: () => seek(index + 1),
            Home: () => seek(0),
            End: () => seek(last),
          }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  function show(): void {
    range.value = String(index);
    range.setAttribute("aria-valuetext", `event ${index} of ${last}`);
    setText(position, `${index} / ${last}`);
    const playing = timer !== undefined;
    toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
    toggle.title = playing ? "Pause" : "Play";
    toggle.replaceChildren(icon(playing ? "M4 2h3v12H4zM9 2h3v12H9z" : "M4 2v12l10-6z"));
    back.disabled = first.disabled = index === 0;
    forward.disabled = index === last;
    onShow(index, playing);
  }

  function seek(to: number): void {
    stop();
    index = Math.max(0, Math.min(last, to));
    show();
  }

  function play(): void {
    if (index >= last) index = 0;
    tick();
  }

  function tick(): void {
    timer = window.setTimeout(() => {
      index += 1;
      if (index >= last) stop();
      else tick();
      show();
    }, BEAT / speed);
    show();
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function pause(): void {
    stop();
    show();
  }

  return {
    get playing() {
      return timer !== undefined;
    },
    load(count, start) {
      stop();
      last = count;
      index = start;
      range.max = String(count);
      show();
    },
    play,
  };
}

function icon(shape: string): Node {
  const template = document.createElement("template");
  template.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${shape}"/></svg>`;
  return template.content;
}
