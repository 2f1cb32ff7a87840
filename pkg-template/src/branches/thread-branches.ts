// The branches of a runner's thread, asked for after what went back.
import { sameJson } from "../shared/same-json.js";
import { BRANCHES, type BranchSource } from "../runner/branch-source.js";
import { isConnected } from "../thread/run-status.js";
import { BranchTree, type Branches } from "./branch-tree.js";

interface Message {
  readonly id?: unknown;
  readonly content?: unknown;
}

/** How many of the newest checkpoints are read: at first, and after a change. */
const ALL = 200;
const NEWS = 20;

export class ThreadBranches {
  readonly #source: BranchSource;
  readonly #listeners = new Set<() => void>();
  #tree = new BranchTree();
  #threadId: string | undefined;
  #found: ReadonlyMap<string, { readonly message: object; readonly branches: Branches }> = new Map();
  #all: ReadonlyMap<string, Branches> = new Map();
  #shown: unknown;
  #messageIds: readonly string[] | undefined;
  /** The last message of the list that the tree is known to have, or to lack nothing of but its end. */
  #last: Message | undefined;
  #isKnown = false;
  #isAsking = false;
  #end: (() => void) | undefined;

  constructor(source: BranchSource) {
    this.#source = source;
    this.subscribe = this.subscribe.bind(this);
  }

  subscribe(listener: () => void): () => void {
    const heard = () => listener();
    this.#listeners.add(heard);
    this.#end ??= this.#source.thread.subscribe(() => this.#look());
    this.#look();
    return () => {
      this.#listeners.delete(heard);
      if (this.#listeners.size > 0) return;
      this.#end?.();
      this.#end = undefined;
    };
  }

  /** The branches of a message, unless it is being edited. The same object until they change. */
  of(messageId: string): Branches | undefined {
    const { thread } = this.#source;
    const found = this.#found.get(messageId);
    return found && !thread.isDisposed && thread.getMessage(messageId) === found.message ? found.branches : undefined;
  }

  /** The branches of all messages that have any. The same map until they change. */
  all(): ReadonlyMap<string, Branches> {
    const ids = [...this.#found.keys()];
    const now = new Map(ids.flatMap((id) => [[id, this.of(id)] as const]).filter(hasBranches));
    const before = this.#all;
    if (now.size !== before.size || [...now].some(([id, branches]) => before.get(id) !== branches)) this.#all = now;
    return this.#all;
  }

  #look(): void {
    const { thread } = this.#source;
    if (thread.isDisposed) return;
    const hasMoved = thread.messageIds !== this.#messageIds;
    this.#messageIds = thread.messageIds;
    // A conversation that begins here has no branches yet.
    if (isConnected(thread) && thread.threadId === undefined) this.#isKnown = true;
    const { messages = [] } = thread.getConfirmedState() as { messages?: readonly Message[] };
    if (isConnected(thread) || this.#isAsking || messages === this.#shown) {
      if (hasMoved) this.#tell();
      return;
    }
    this.#shown = messages;
    if (thread.threadId !== this.#threadId) {
      if (this.#threadId !== undefined) this.#isKnown = false;
      this.#threadId = thread.threadId;
      this.#tree = new BranchTree();
    }
    const last = this.#last;
    const goesOn =
      last === undefined || messages.some((one) => one.id === last.id && sameJson(one.content, last.content));
    if (this.#isKnown && goesOn && !this.#tree.lacks(messages)) {
      this.#last = messages.at(-1) ?? last;
      return this.#find(messages);
    }
    void this.#ask(messages);
  }

  async #ask(messages: readonly Message[]): Promise<void> {
    const { history } = this.#source[BRANCHES];
    this.#isAsking = true;
    const tree = this.#tree;
    try {
      const news = (await history?.(tree.isEmpty ? ALL : NEWS)) ?? [];
      const isWhole = news.length < NEWS || news.some(({ id }) => tree.has(id));
      tree.add(isWhole || news.length > NEWS ? news : ((await history?.(ALL)) ?? []));
      this.#isKnown = true;
      this.#last = messages.at(-1);
      this.#find(messages);
    } catch {
      // The next change asks again.
    }
    this.#isAsking = false;
    this.#look();
  }

  #find(messages: readonly Message[]): void {
    const before = this.#found;
    const found = new Map<string, { readonly message: object; readonly branches: Branches }>();
    for (const [message, branches] of this.#tree.of(messages)) {
      const id = message.id as string;
      const known = before.get(id)?.branches;
      found.set(id, { message, branches: known && sameJson(known, branches) ? known : branches });
    }
    this.#found = found;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const hasBranches = (one: readonly [string, Branches | undefined]): one is readonly [string, Branches] =>
  one[1] !== undefined;

const known = new WeakMap<BranchSource, ThreadBranches>();

/** Returns the one that all readers of a runner share. */
export function branchesOf(runner: BranchSource): ThreadBranches {
  let branches = known.get(runner);
  if (!branches) known.set(runner, (branches = new ThreadBranches(runner)));
  return branches;
}
