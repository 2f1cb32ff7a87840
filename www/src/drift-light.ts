// One light: green while the server's snapshots say what the thread had worked out by itself.
import { element, setText } from "./dom";

const SHOWN = 20;

export interface DriftLight {
  drift(patch: readonly object[]): void;
  error(message: string): void;
  reset(): void;
}

/** The light is in `host`; what differed, once something does, in `below`. */
export function createDriftLight(host: HTMLElement, below: HTMLElement): DriftLight {
  const light = element("span", { class: "light", "aria-hidden": "true" });
  const said = element("span", { id: "drift-status", role: "status" });
  const list = element("ol", { class: "drifts" });
  const details = element(
    "details",
    { class: "drift-details", hidden: true },
    element("summary", {}, "What differed: the server's word was taken"),
    list,
  );
  host.append(light, said);
  below.append(details);
  let [drifts, errors] = [0, 0];

  function show(): void {
    host.dataset["drift"] = String(drifts);
    host.dataset["errors"] = String(errors);
    const parts = [
      drifts > 0 ? `Drifted ${drifts === 1 ? "once" : `${drifts} times`}` : "",
      errors > 0 ? `${errors} ${errors === 1 ? "event" : "events"} refused` : "",
    ].filter(Boolean);
    setText(said, parts.join(", ") || "In sync: no drift");
    details.hidden = list.childElementCount === 0;
  }

  function note(text: string): void {
    list.prepend(element("li", {}, element("code", {}, text)));
    if (list.childElementCount > SHOWN) list.lastElementChild?.remove();
    show();
  }

  show();
  return {
    drift(patch) {
      drifts++;
      note(JSON.stringify(patch).slice(0, 600));
    },
    error(message) {
      errors++;
      note(message);
    },
    reset() {
      [drifts, errors] = [0, 0];
      list.replaceChildren();
      show();
    },
  };
}
