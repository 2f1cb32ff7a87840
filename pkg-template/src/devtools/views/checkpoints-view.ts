// The server's checkpoints: those that the recorded steps name, and the history, if the page can ask for it.
import { button, element, errorWords, setText } from "../dom.js";
import { Tree } from "../tree.js";
import { Cards, Line, PlaceButton, timeOf, type Card } from "./cards.js";
import type { Shown, View } from "./view.js";

const MOST = 100;

interface Checkpoint {
  readonly id: string;
  readonly step?: unknown;
  readonly words?: string | undefined;
  /** The place of the step that named it. */
  readonly at?: number | undefined;
  readonly values?: unknown;
}

export class CheckpointsView implements View {
  readonly label = "Checkpoints";
  readonly #cards = new Cards<Checkpoint>("No checkpoint is known. LangGraph's steps and a history have them.", card);
  readonly #words = element("span", { class: "at", role: "status" });
  readonly #load: HTMLButtonElement;
  readonly root = this.#cards.root;
  #shown: Shown | undefined;
  readonly #histories = new Map<number, readonly Checkpoint[]>();

  constructor() {
    this.#load = button("Load history", "Ask for the thread's checkpoints", () => void this.#ask());
    this.root.prepend(element("div", { class: "line card" }, this.#load, this.#words));
  }

  badge(shown: Shown): { count: number } {
    return { count: this.#all(shown).length };
  }

  show(shown: Shown): void {
    this.#shown = shown;
    const bar = this.#load.parentElement as HTMLElement;
    bar.hidden = !shown.found.checkpoints;
    this.#cards.show(this.#all(shown), ({ id, at }) => `${shown.found.number} ${id} ${at === undefined}`, shown);
  }

  #all(shown: Shown): readonly Checkpoint[] {
    return [...stepsOf(shown), ...(this.#histories.get(shown.found.number) ?? [])];
  }

  async #ask(): Promise<void> {
    const { found, thread, redraw } = this.#shown ?? {};
    if (!found?.checkpoints) return;
    this.#load.disabled = true;
    setText(this.#words, "Loading …");
    try {
      const history: Checkpoint[] = [];
      const given = (await found.checkpoints(thread?.threadId)) as AsyncIterable<object> | Iterable<object>;
      for await (const one of given) if (history.unshift(checkpointOf(one)) >= MOST) break;
      this.#histories.set(found.number, history);
      setText(this.#words, "");
    } catch (error) {
      setText(this.#words, `The history could not be loaded: ${errorWords(error)}`);
    }
    this.#load.disabled = false;
    redraw?.();
  }
}

function stepsOf({ parts }: Shown): Checkpoint[] {
  const steps = new Map<string, Checkpoint>();
  parts.forEach(({ event }, at) => {
    if (event?.type !== "step" || event.checkpointId === undefined) return;
    steps.set(event.checkpointId, { id: event.checkpointId, step: event.step, at });
  });
  return [...steps.values()];
}

/** Reads a state of `getStateHistory()` or of the threads API, or a saver's tuple. */
function checkpointOf(given: object): Checkpoint {
  type Fields = { readonly [name: string]: Fields | undefined };
  const state = given as Fields;
  const { checkpoint, config, metadata, next, values } = state;
  const id = checkpoint?.["checkpoint_id"] ?? config?.["configurable"]?.["checkpoint_id"] ?? checkpoint?.["id"];
  const created = state["created_at"] ?? state["createdAt"] ?? checkpoint?.["ts"];
  const following = Array.isArray(next) && next.length > 0 ? `next: ${next.join(", ")}` : undefined;
  const words = [metadata?.["source"], created, following].filter(Boolean).join(", ");
  return {
    id: String(id ?? "checkpoint without an id"),
    step: metadata?.["step"],
    words,
    values: values ?? checkpoint?.["channel_values"],
  };
}

function card(): Card<Checkpoint> {
  const line = new Line();
  const place = new PlaceButton("Show", "Show the thread at this checkpoint");
  const tree = new Tree("values", false);
  line.root.append(place.root);
  return {
    root: element("article", { class: "card" }, line.root, tree.root),
    show({ id, step, words, at, values }, shown) {
      line.show(id, step === undefined ? "checkpoint" : `step ${String(step)}`, words ?? timeOf(shown, at ?? -1));
      place.root.hidden = at === undefined;
      if (at !== undefined) place.show(at, shown);
      tree.root.hidden = values === undefined;
      if (values !== undefined) tree.show(values);
    },
  };
}
