// The alternatives of a conversation: a tree of the message lists that its checkpoints have.
import { sameJson } from "../shared/same-json.js";
import type { CheckpointMessages } from "../runner/transport.js";

/** A message's alternatives. */
export interface Branches {
  /** The alternatives, the oldest first: pass one to `runner.switchBranch`. */
  readonly ids: readonly string[];
  /** The index of the one shown. */
  readonly current: number;
}

interface Message {
  readonly id?: unknown;
  readonly content?: unknown;
}

/** A message after all those above it. */
interface Node {
  readonly message: Message;
  readonly parent: Node | undefined;
  readonly depth: number;
  readonly children: Node[];
  /** The oldest checkpoint that has it, and the newest one under it that nothing goes on from. */
  first: string;
  leaf: string | undefined;
}

type Kept = Omit<CheckpointMessages, "messages"> & { readonly end: Node };

/** Ids of checkpoints grow with time. Equal starts of lists are the same nodes: each list costs what is new in it. */
export class BranchTree {
  readonly #root: Node = nodeOf({}, undefined, "");
  readonly #kept = new Map<string, Kept>();
  #last: readonly Node[] = [];

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  has(checkpointId: string): boolean {
    return this.#kept.has(checkpointId);
  }

  add(states: readonly CheckpointMessages[]): void {
    for (const { messages, ...state } of states)
      if (!this.#kept.has(state.id)) this.#kept.set(state.id, { ...state, end: this.#place(messages, state.id) });
    this.#mark();
  }

  /** Returns the branches of those shown messages that have any. Passes over those of no checkpoint, such as reasoning. */
  of(shown: readonly Message[]): Map<Message, Branches> {
    const found = new Map<Message, Branches>();
    let at = this.#root;
    for (const message of shown) {
      const alike = at.children.filter((one) => one.message.id === message.id);
      if (alike.length === 0) continue;
      const next = shownAmong(alike, message);
      if (!next) break;
      const living = at.children.filter((one) => one.leaf !== undefined || one === next);
      if (living.length > 1) {
        living.sort((a, b) => (a.first < b.first ? -1 : 1));
        found.set(message, { ids: living.map(({ leaf, first }) => leaf ?? first), current: living.indexOf(next) });
      }
      at = next;
    }
    return found;
  }

  /** Whether a list goes on after a message otherwise than the lists that are known. */
  lacks(shown: readonly Message[]): boolean {
    let at = this.#root;
    let isKnown = true;
    for (const message of shown) {
      const next = shownAmong(
        at.children.filter((one) => one.message.id === message.id),
        message,
      );
      isKnown = next !== undefined;
      at = next ?? at;
    }
    return !isKnown && at.children.some(({ leaf }) => leaf !== undefined);
  }

  #place(messages: readonly Message[], checkpointId: string): Node {
    const before = this.#last;
    const path: Node[] = [];
    let at = this.#root;
    for (const [index, message] of messages.entries()) {
      const known = before[index];
      let next = known?.parent === at && isSame(known.message, message) ? known : exactChildOf(at, message);
      if (!next) at.children.push((next = nodeOf(message, at, checkpointId)));
      if (checkpointId < next.first) next.first = checkpointId;
      path.push((at = next));
    }
    this.#last = path;
    return at;
  }

  /** A checkpoint is a leaf unless one after it still has its last message: a summary makes no branch. */
  #mark(): void {
    const goneOn = new Set<string>();
    for (const one of this.#kept.values()) {
      if (one.isInput) continue;
      // An input's checkpoint has the list of the one before it.
      let before = this.#kept.get(one.parent ?? "");
      while (before?.isInput) before = this.#kept.get(before.parent ?? "");
      if (before && !goneOn.has(before.id) && hasStill(one.end, before.end)) goneOn.add(before.id);
    }
    const leaves = [...this.#kept.values()].filter(({ id, isInput }) => !isInput && !goneOn.has(id));
    const all = [this.#root];
    for (const node of all) {
      node.leaf = undefined;
      for (const child of node.children) all.push(child);
    }
    leaves.sort((a, b) => (a.id > b.id ? -1 : 1));
    for (const { id, end } of leaves)
      for (let node: Node | undefined = end; node && node.leaf === undefined; node = node.parent) node.leaf = id;
  }
}

const nodeOf = (message: Message, parent: Node | undefined, first: string): Node => ({
  message,
  parent,
  depth: parent ? parent.depth + 1 : 0,
  children: [],
  first,
  leaf: undefined,
});

const isSame = (one: Message, other: Message): boolean => one.id === other.id && sameJson(one.content, other.content);

const exactChildOf = (node: Node, message: Message): Node | undefined =>
  node.children.find((one) => isSame(one.message, message));

/** A shown message may have its content in another form. */
function shownAmong(alike: readonly Node[], message: Message): Node | undefined {
  return alike.length === 1 && typeof message.content !== "string"
    ? alike[0]
    : alike.find((one) => isSame(one.message, message));
}

/** Whether a list has the last message of another: as its start, or after others were removed. */
function hasStill(end: Node, last: Node): boolean {
  let at = end;
  while (at.parent && at.depth > last.depth) {
    if (isSame(at.message, last.message)) return true;
    at = at.parent;
  }
  for (let node: Node | undefined = at; node; node = node.parent)
    if (node === last || (node.parent && isSame(node.message, last.message))) return true;
  return false;
}
