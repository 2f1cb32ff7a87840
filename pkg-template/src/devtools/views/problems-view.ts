// Parts that could not be folded, snapshots that contradict what came before, and fields in doubt.
import { count, element, errorWords, setText } from "../dom.js";
import type { RecordedPart } from "../part.js";
import { Tree } from "../tree.js";
import { Cards, Line, PlaceButton, timeOf, type Card } from "./cards.js";
import type { Shown, View } from "./view.js";

interface Problem {
  readonly at: number;
  readonly part: RecordedPart;
}

export class ProblemsView implements View {
  readonly label = "Problems";
  readonly #cards = new Cards<Problem>("No error, no drift and no doubt in what was recorded.", problemCard);
  readonly root = this.#cards.root;

  badge({ parts }: Shown): { count: number; isBad: boolean } {
    return { count: problemsOf(parts).length, isBad: true };
  }

  show(shown: Shown): void {
    const { number, recording } = shown.found;
    this.#cards.show(problemsOf(shown.parts), ({ at }) => `${number} ${recording.dropped + at}`, shown);
  }
}

function problemsOf(parts: readonly RecordedPart[]): Problem[] {
  const problems: Problem[] = [];
  parts.forEach((part, at) => {
    if (part.error || part.drift || part.doubts || part.kind === "run-error") problems.push({ at, part });
  });
  return problems;
}

function problemCard(): Card<Problem> {
  const line = new Line();
  const place = new PlaceButton("Show", "Show the thread after this part");
  const text = element("p");
  const drift = new Tree("drift", false);
  const event = new Tree("event", false);
  line.root.append(place.root);
  return {
    root: element("article", { class: "card" }, line.root, text, drift.root, event.root),
    show({ at, part }, shown) {
      const failed = part.kind === "run-error" ? (part.event as { error?: unknown }).error : undefined;
      const status = part.error ? "error" : part.drift ? "drift" : part.doubts ? "doubt" : "failed";
      line.show(part.kind, status, `part ${count(shown.found.recording.dropped + at)}, ${timeOf(shown, at)}`);
      place.show(at, shown);
      const { code, message } = part.error ?? {};
      setText(
        text,
        [code, message ?? (failed && errorWords(failed)), part.doubts?.join(", ")].filter(Boolean).join(" · "),
      );
      drift.root.hidden = !part.drift;
      if (part.drift) drift.show(part.drift);
      event.root.hidden = !part.event;
      if (part.event) event.show(part.event);
    },
  };
}
