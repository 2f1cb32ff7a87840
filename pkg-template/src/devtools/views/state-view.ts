// The state as a tree: the shown one, the server's, and the run.
import { element } from "../dom.js";
import { Tree } from "../tree.js";
import type { Shown, View } from "./view.js";

export class StateView implements View {
  readonly label = "State";
  readonly root = element("div", { class: "view" });
  readonly #state = new Tree("state");
  readonly #confirmed = new Tree("confirmed", false);
  readonly #run = new Tree("run", false);

  constructor() {
    this.root.append(this.#state.root, this.#confirmed.root, this.#run.root);
  }

  show({ thread, status }: Shown): void {
    this.#state.show(thread.getState());
    this.#confirmed.show(thread.getConfirmedState());
    this.#run.show(thread.run.status === status ? thread.run : { ...thread.run, status });
  }
}
