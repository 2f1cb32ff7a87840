// The runs of the recording.
import { count, element, setText } from "../dom.js";
import { runsOf, type RecordedRun } from "../part.js";
import { Cards, Line, PlaceButton, timeOf, type Card } from "./cards.js";
import type { Shown, View } from "./view.js";

export class RunsView implements View {
  readonly label = "Runs";
  readonly #cards = new Cards<RecordedRun>("No run yet. A run appears here when its first part arrives.", runCard);
  readonly root = this.#cards.root;

  badge({ parts }: Shown): { count: number } {
    return { count: runsOf(parts).length };
  }

  show(shown: Shown): void {
    const { dropped } = shown.found.recording;
    this.#cards.show(runsOf(shown.parts), ({ from }) => `${shown.found.number} ${dropped + from}`, shown);
  }
}

function runCard(): Card<RecordedRun> {
  const line = new Line();
  const start = new PlaceButton("Start", "Show the thread at the run's start");
  const end = new PlaceButton("End", "Show the thread at the run's last part");
  const error = element("p");
  line.root.append(start.root, end.root);
  return {
    root: element("article", { class: "card" }, line.root, error),
    show(run, shown) {
      const { id, from, to, result } = run;
      const [first, last] = [shown.parts[from]?.at ?? 0, shown.parts[to]?.at ?? 0];
      const took = `${((last - first) / 1_000).toFixed(2)} s`;
      const words = `${timeOf(shown, from)} – ${timeOf(shown, to)}, ${took}, ${count(to - from + 1)} parts`;
      line.show(id ?? "run without an id", result ?? "streaming", words);
      start.show(from, shown);
      end.show(to, shown);
      error.hidden = run.error === undefined;
      setText(error, run.error ?? "");
    },
  };
}
