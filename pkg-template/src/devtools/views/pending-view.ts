// The updates that the server does not have yet.
import { button, element, setText } from "../dom.js";
import type { PendingUpdate } from "../../thread/thread-types.js";
import { Tree } from "../tree.js";
import { Cards, Line, type Card } from "./cards.js";
import type { Shown, View } from "./view.js";

export class PendingView implements View {
  readonly label = "Pending";
  readonly #cards = new Cards<PendingUpdate>("Nothing is pending: the server has every update.", pendingCard);
  readonly root = this.#cards.root;

  badge({ thread }: Shown): { count: number; isBad: boolean } {
    const pending = thread.pending as readonly PendingUpdate[];
    return { count: pending.length, isBad: pending.some(({ status }) => status === "failed") };
  }

  show(shown: Shown): void {
    this.#cards.show(
      shown.thread.pending as readonly PendingUpdate[],
      ({ id }) => `${shown.found.number} ${id}`,
      shown,
    );
  }
}

function pendingCard(): Card<PendingUpdate> {
  let update: PendingUpdate | undefined;
  const line = new Line();
  const tree = new Tree("update");
  const error = element("p");
  const retry = button("Retry", "Make it pending again", () => update?.retry());
  const rollback = button("Roll back", "Take the update back", () => update?.rollback());
  line.root.append(retry, rollback);
  return {
    root: element("article", { class: "card" }, line.root, error, tree.root),
    show(now, { at }) {
      update = now;
      line.show(now.id, now.status, now.manual ? "manual" : "");
      retry.hidden = at !== undefined || now.status !== "failed";
      rollback.hidden = at !== undefined;
      error.hidden = !now.error;
      setText(error, now.error?.message ?? "");
      tree.show(now.update);
    },
  };
}
