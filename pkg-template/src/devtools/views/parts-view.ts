// The recorded parts, each with its kind, time and bytes, and the chosen one in full.
import { count, element, errorWords, shortened, size, time } from "../dom.js";
import { LongList } from "../long-list.js";
import { bytesOf, type RecordedPart } from "../part.js";
import { Tree } from "../tree.js";
import type { Shown, View } from "./view.js";

export class PartsView implements View {
  readonly label = "Parts";
  readonly root = element("div", { class: "view split" });
  readonly #detail = element("div", { class: "detail" });
  readonly #list = new LongList({
    label: "Parts",
    fill: (row, at) => this.#fill(row, at),
    choose: (at) => this.#shown?.travel(at),
  });
  readonly #hint = element("p", { class: "none" }, "Choose a part to see it, and the thread as it was after it.");
  #shown: Shown | undefined;
  #part: RecordedPart | undefined;

  constructor() {
    this.root.append(this.#list.root, this.#detail);
    this.#detail.append(this.#hint);
  }

  badge({ found, parts }: Shown): { count: number } {
    return { count: found.recording.dropped + parts.length };
  }

  show(shown: Shown): void {
    const { found, parts, at } = shown;
    this.#shown = shown;
    this.#list.show(parts.length, at, `${found.number} ${found.recording.dropped}`);
    const part = at === undefined ? undefined : parts[at];
    if (part === this.#part) return;
    this.#part = part;
    this.#detail.replaceChildren(part ? detailOf(part) : this.#hint);
  }

  #fill(row: HTMLElement, at: number): void {
    const part = this.#shown?.parts[at];
    if (!part) return;
    const mark = part.error ? "bad" : part.drift || part.doubts ? "warn" : "";
    row.append(
      element("span", { class: "no" }, count((this.#shown?.found.recording.dropped ?? 0) + at)),
      element("span", { class: "at" }, time(part.at)),
      element("span", { class: `kind ${mark}` }, part.kind),
      element("span", { class: "what" }, gist(part)),
      element("span", { class: "bytes" }, part.event ? size(bytesOf(part)) : ""),
    );
  }
}

function detailOf(part: RecordedPart): HTMLElement {
  const { error, drift, doubts, event, note } = part;
  const tree = new Tree("part");
  tree.show({
    ...(error && { error }),
    ...(drift && { drift }),
    ...(doubts && { doubts }),
    ...(note !== undefined && { note }),
    ...event,
  });
  return tree.root;
}

/** Returns a few words about a part. */
function gist({ event, note, error, drift, doubts }: RecordedPart): string {
  if (error) return error.message;
  const fields = (event ?? {}) as Record<string, unknown>;
  const { text, messageId, message, runId, update, values, messages, operations, step, checkpointId } = fields;
  const { error: failure } = fields;
  const { id, type, role } = (message ?? {}) as Record<string, unknown>;
  const names = (fields: unknown) => Object.keys(fields as object).join(", ");
  const words = [
    runId ?? messageId ?? id,
    type ?? role,
    text !== undefined && JSON.stringify(shortened(String(text), 80)),
    (update ?? values) && names(update ?? values),
    Array.isArray(messages) && `${count(messages.length)} messages`,
    Array.isArray(operations) && `${operations.length} operations`,
    note,
    failure !== undefined && errorWords(failure),
    step !== undefined && `step ${String(step)}`,
    checkpointId,
    drift && "drift",
    doubts && "in doubt",
  ];
  return words.filter((word) => word !== undefined && word !== false).join(" ");
}
