// A runner's rules: one explicit state, one pure step.
import type {
  After,
  Chain,
  Command,
  Cut,
  CutRun,
  Event,
  Found,
  Joined,
  Later,
  Machine,
  Refusal,
  Result,
  Rules,
  RunStanding,
  Standing,
  State,
  Who,
} from "./machine-types.js";

export function machineOf(run: RunStanding | { readonly is: "elsewhere" }, unsent: readonly string[]): Machine {
  return {
    state: run.is === "elsewhere" ? { is: "elsewhere", isNamed: true } : { is: "rest", run },
    n: 0,
    unsent: unsent.reduce<Chain<string>>(chained, undefined),
    wants: false,
    waiters: undefined,
    own: [],
    stops: [],
    later: [],
    mayLack: false,
    isAwake: false,
  };
}

/** Returns the next state and the commands. The same machine and no commands, if the event changes nothing. */
export function step(before: Machine, event: Event, rules: Rules): { machine: Machine; commands: readonly Command[] } {
  const turn = new Turn(before, rules);
  turn.take(event);
  return { machine: turn.m, commands: turn.commands };
}

/** The run's own standing, whatever became of a load. */
export const standingOf = (run: Standing): RunStanding => (run.is === "unloaded" ? run.behind : run);

/** The open interrupts of a standing. */
export const openOf = (run: Standing): readonly string[] => {
  const own = standingOf(run);
  return own.is === "asks" || own.is === "failed" ? own.open : NONE;
};

/** Whether a run is under way that this runner asked for or joined. */
export const isUnderWay = ({ is }: State): boolean => is === "requesting" || is === "reading" || is === "rejoining";

/** Whether what waits would go out now. */
export const isDue = ({ state, unsent, waiters, wants, isAwake }: Machine): boolean =>
  state.is === "rest" && isAwake && (unsent !== undefined || waiters !== undefined || wants);

export function listOf<T>(chain: Chain<T>): T[] {
  const list: T[] = [];
  for (let at = chain; at; at = at.rest) list.push(at.last);
  list.reverse();
  return list;
}

const NONE: readonly never[] = [];
const chained = <T>(rest: Chain<T>, last: T): Chain<T> => ({ last, rest });
const without = <T>(chain: Chain<T>, drop: (item: T) => boolean): Chain<T> =>
  listOf(chain)
    .filter((item) => !drop(item))
    .reduce<Chain<T>>(chained, undefined);

const resultOf = (run: Standing): Result => {
  if (run.is === "none") return "finished";
  if (run.is === "ended") return run.how;
  if (run.is === "asks") return "interrupted";
  return run.is === "cut" ? "disconnected" : "error";
};

/** The standing of a run found so; pending answers are kept while the interrupts are the same. */
function found(how: Found, before: Standing): RunStanding {
  const was = standingOf(before);
  if (how.is === "asks") {
    const kept = was.is === "asks" ? was.kept.filter((id) => how.open.includes(id)) : NONE;
    return { is: "asks", open: how.open, kept };
  }
  if (how.is === "failed") return { ...how, answers: was.is === "failed" ? was.answers : undefined };
  if (how.is === "cut") return { ...how, tired: false };
  return { is: "ended", how: how.is };
}

type Draft = { -readonly [Field in keyof Machine]: Machine[Field] };

/** One step. */
class Turn {
  m: Draft;
  readonly commands: Command[] = [];
  readonly #rules: Rules;

  constructor(before: Machine, rules: Rules) {
    this.m = { ...before };
    this.#rules = rules;
  }

  take(event: Event): void {
    const { state } = this.m;
    if (state.is === "disposed") return this.#afterDispose(event);
    if ("n" in event && (event.n !== this.m.n || !("n" in state))) return;
    switch (event.is) {
      case "send":
        return this.#send(event);
      case "edit":
      case "resume":
        return this.#change(event);
      case "retry":
        return this.#retry(event);
      case "load":
        return this.#load(event);
      case "stop":
        return this.#stop(event.w);
      case "dispose":
        return this.#dispose("disconnected");
      case "freed":
        return this.#dispose("DISPOSED");
      case "shown":
      case "wanted":
        return this.#queue(event);
      case "answered":
        return this.#answer(event);
      case "stands":
        if (state.is === "rest") this.#settle(event.ws, resultOf(state.run));
        else this.m.own = [...this.m.own, ...event.ws];
        return;
      case "began":
      case "part":
        return this.#hear(event.is === "part");
      case "ended":
        return this.#ended(event.how);
      case "cut":
        return this.#cut(event);
      case "timer":
        if (state.is === "rejoining") this.#do({ do: "join", n: state.n });
        return;
      case "loaded":
        return this.#loaded(event);
      case "unloaded":
        if (state.is === "loading") this.#rest({ is: "unloaded", behind: state.run, again: state.again });
        return;
      case "cancelled":
        if (state.is !== "stopping") return;
        this.#settle(this.m.stops, "stopped", "cancel");
        this.m.stops = NONE;
        this.m.state = { is: "rest", run: state.run };
        return;
      case "otherBegan":
        return this.#otherBegan(event);
      case "otherEnded":
        return this.#otherEnded(event.how);
      case "rolledBack":
        return this.#rolledBack(event.id);
      case "next":
        return this.#next();
    }
  }

  // ── calls ──

  #send({ w }: { readonly w: Who }): void {
    const { state } = this.m;
    this.m.isAwake = true;
    const isBusy = isUnderWay(state) || (state.is === "rest" && openOf(state.run).length > 0);
    if (state.is === "elsewhere" || (this.#rules.refuses && isBusy)) return this.#refuse(w, "BUSY");
    this.#do({ do: "act", w });
  }

  /** An edit and an answer go by what stands in the thread. */
  #change(event: Extract<Event, { is: "edit" | "resume" }>): void {
    const { state } = this.m;
    this.m.isAwake = true;
    if (state.is === "loading" || state.is === "stopping") return this.#later(event);
    if (state.is !== "rest") return this.#refuse(event.w, "BUSY");
    const run = standingOf(state.run);
    const asks = openOf(run).length > 0;
    if (event.is === "resume" && !asks) return this.#refuse(event.w, "INVALID_STATE");
    if (event.is === "edit" && (asks || (run.is === "cut" && run.joins))) return this.#refuse(event.w, "BUSY");
    this.#do({ do: "act", w: event.w });
  }

  #retry(event: Extract<Event, { is: "retry" }>): void {
    const { state, own } = this.m;
    const { w, named, edits } = event;
    this.m.isAwake = true;
    if (state.is === "rest") return this.#retryAtRest(event, state.run);
    const isBusy = state.is === "elsewhere" || (isUnderWay(state) && (this.#rules.refuses || (named && edits)));
    if (isBusy) return this.#refuse(w, "BUSY");
    if (state.is === "stopping" ? !named || edits : named && edits) return this.#later(event);
    if (named) return this.#do({ do: "act", w });
    this.m.own = [...own, w];
  }

  #retryAtRest({ w, ids, named, edits }: Extract<Event, { is: "retry" }>, standing: Standing): void {
    if (!named && standing.is === "unloaded") return this.#ask([w], standing.again);
    const run = standingOf(standing);
    const asks = openOf(run).length > 0;
    if (!named && run.is === "failed" && asks) {
      if (run.answers) return this.#request([w], run.answers);
      this.#do({ do: "ask" });
      this.m.state = { is: "rest", run: { is: "asks", open: run.open, kept: NONE } };
      return this.#settle([w], "interrupted");
    }
    if (asks && (this.#rules.refuses || edits)) return this.#refuse(w, "BUSY");
    if (!named && run.is === "cut") return this.#rejoin([w], run, { is: "remake" });
    if (ids.length > 0) {
      if (this.#rules.canLoad && run.is === "failed" && run.lost) return this.#ask([w], ids);
      return this.#do({ do: "act", w });
    }
    if (named) return this.#refuse(w, "INVALID_ARGUMENT");
    if (run.is !== "failed") return this.#refuse(w, "INVALID_STATE");
    if (!this.#rules.answersAgain) return this.#queue({ is: "wanted", ws: [w] });
    if (run.answers) return this.#request([w], run.answers);
    this.#do({ do: "act", w });
  }

  #load(event: Extract<Event, { is: "load" }>): void {
    const { state, own } = this.m;
    this.m.isAwake = true;
    if (state.is === "stopping") return this.#later(event);
    if (state.is !== "rest") {
      this.m.own = [...own, event.w];
      return;
    }
    const run = standingOf(state.run);
    if (run.is === "cut") return this.#rejoin([event.w], run);
    if (this.#rules.canLoad) return this.#ask([event.w], undefined);
    this.#settle([event.w], resultOf(run));
  }

  #stop(w: Who): void {
    const { state } = this.m;
    this.m.isAwake = true;
    if (state.is === "elsewhere") return this.#settle([w], "stopped", "other");
    if (state.is === "rest") {
      const run = standingOf(state.run);
      if (run.is === "cut") return this.#cancel(w, run.heard, undefined);
      this.#dismiss(run);
      return this.#settle([w], "stopped");
    }
    this.#settle(
      this.m.later.map((call) => call.w),
      "stopped",
    );
    this.m.later = NONE;
    if (state.is === "stopping") {
      this.m.stops = [...this.m.stops, w];
      this.#dismiss(state.run);
    } else if (state.is === "loading") {
      this.#leave(false);
      this.#settle([...this.m.own, w], "stopped");
      this.m.own = NONE;
      this.m.state = { is: "rest", run: state.run };
    } else if (state.is === "requesting") this.#cancel(w, false, state.answers);
    else if (state.is === "reading" || state.is === "rejoining") this.#cancel(w, state.heard, undefined);
  }

  /** Puts the questions aside. */
  #dismiss(run: RunStanding): void {
    const { state } = this.m;
    if (openOf(run).length === 0 || (state.is !== "rest" && state.is !== "stopping")) return;
    this.#do({ do: "end", unsends: false, asks: false });
    this.m.state = { ...state, run: { is: "ended", how: "stopped" } };
  }

  /** Stops the run here at once, and has the server stop it. Answers that it had not begun with are asked for again. */
  #cancel(w: Who, heard: boolean, answers: readonly string[] | undefined): void {
    this.#leave(false);
    this.#do({ do: "end", unsends: !heard, asks: answers !== undefined }, { do: "cancel", n: this.m.n });
    this.#settle(this.m.own, "stopped");
    this.m.own = NONE;
    this.m.stops = [w];
    const run: RunStanding = answers ? { is: "asks", open: answers, kept: NONE } : { is: "ended", how: "stopped" };
    this.m.state = { is: "stopping", n: this.m.n, run };
  }

  /** A thread that was freed can say no more of a run. */
  #dispose(how: "disconnected" | "DISPOSED"): void {
    this.#leave(isUnderWay(this.m.state));
    const ws = [...this.m.own, ...[...listOf(this.m.waiters), ...this.m.later].map(({ w }) => w)];
    if (how === "disconnected") this.#settle(ws, how);
    else for (const w of ws) this.#refuse(w, how);
    this.#settle(this.m.stops, "stopped");
    this.m = { ...machineOf({ is: "none" }, NONE), state: { is: "disposed" }, n: this.m.n };
  }

  #afterDispose(event: Event): void {
    if (event.is === "stop") this.#settle([event.w], "stopped");
    else if ("w" in event) this.#refuse(event.w, "DISPOSED");
    else if ("ws" in event) this.#settle(event.ws, "disconnected");
  }

  // ── what calls have made ──

  #queue(event: Extract<Event, { is: "shown" | "wanted" }>): void {
    const id = event.is === "shown" ? event.ids.at(-1) : undefined;
    if (event.is === "shown") this.m.unsent = event.ids.reduce<Chain<string>>(chained, this.m.unsent);
    else this.m.wants = true;
    for (const w of event.ws) this.m.waiters = { last: { w, id }, rest: this.m.waiters };
    const { state } = this.m;
    if (state.is !== "rest") return;
    // A call continues where retries were exhausted.
    if (state.run.is === "cut") this.m.state = { is: "rest", run: { ...state.run, tired: false } };
    if (event.is === "shown" && event.now) this.#go();
  }

  #answer({ w, ids }: Extract<Event, { is: "answered" }>): void {
    const { state } = this.m;
    if (state.is !== "rest") return this.#refuse(w, "BUSY");
    const run = standingOf(state.run);
    const open = openOf(run);
    const given = new Set([...(run.is === "asks" ? run.kept : NONE), ...ids]);
    const kept = open.filter((id) => given.has(id));
    if (open.length === 0) return this.#refuse(w, "INVALID_STATE");
    if (kept.length === open.length) return this.#request([w], open);
    if (run.is === "failed") this.#do({ do: "ask" });
    this.m.state = { is: "rest", run: { is: "asks", open, kept } };
    this.#settle([w], "interrupted");
  }

  // ── the transport ──

  #hear(isPart: boolean): void {
    const { state } = this.m;
    if (state.is === "requesting")
      this.m.state = { ...state, is: "reading", heard: isPart, tries: -1, answered: false };
    else if (state.is === "rejoining") this.m.state = { ...state, is: "reading", heard: state.heard || isPart };
    else if (state.is === "reading" && isPart) this.m.state = { ...state, heard: true };
  }

  #ended(how: Exclude<Found, { is: "cut" }>): void {
    const { state, own } = this.m;
    if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
    const after = state.is === "requesting" ? undefined : state.after;
    const { answers } = state;
    const run = how.is === "failed" ? { ...how, answers } : found(how, { is: "none" });
    if (how.is !== "failed") this.m.mayLack = false;
    this.m.state = { is: "rest", run };
    if (after?.is === "load" && (how.is === "finished" || how.is === "asks"))
      return this.#ask(NONE, after.again, after.joined);
    if (after?.is === "load" && after.again && how.is === "failed") return this.#again(after.again, false);
    if (after?.is === "remake" && how.is === "failed" && how.gone) {
      const [first, ...others] = own;
      this.m.own = NONE;
      if (first !== undefined) this.#do({ do: "remake", w: first });
      return this.#settle(others, "error");
    }
    this.#rest(run);
  }

  #cut({ n, joins, parts, answered, auth }: Cut): void {
    const { state } = this.m;
    if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
    const was: Joined =
      state.is === "requesting" ? { n, answers: state.answers, heard: false, tries: -1, answered: false } : state;
    const heard = was.heard || parts;
    const tries = parts ? 0 : was.tries + 1;
    const isAnswered = was.answered || answered;
    const isOver = tries >= this.#rules.patience;
    this.m.state = { ...was, is: "rejoining", heard, tries, answered: isAnswered };
    if (auth) return this.#tire(joins, heard);
    if (!joins || (isOver && isAnswered)) return this.#do({ do: "giveUp", n });
    if (!isOver) return this.#do({ do: "wait", n, tries });
    this.#do({ do: "tire" });
    this.#tire(joins, heard);
  }

  #tire(joins: boolean, heard: boolean): void {
    this.#rest({ is: "cut", joins, heard, tired: true });
  }

  #loaded({ how, run, isDone, n }: Extract<Event, { is: "loaded" }>): void {
    const { state } = this.m;
    if (state.is !== "loading") return;
    const { again } = state;
    if (run !== undefined) {
      const after: After = { is: "load", joined: run, again };
      this.m.state = { is: "rejoining", n, heard: false, tries: -1, answered: false, after };
      return this.#do({ do: "join", n });
    }
    const standing = found(how, state.run);
    this.m.state = { is: "rest", run: standing };
    if (again && standing.is !== "asks") return this.#again(again, isDone);
    this.#rest(standing);
  }

  // ── the thread ──

  #otherBegan({ took, isNamed }: Extract<Event, { is: "otherBegan" }>): void {
    const { state } = this.m;
    if (state.is === "elsewhere") {
      if (state.isNamed !== isNamed) this.m.state = { is: "elsewhere", isNamed };
      return;
    }
    if (state.is === "requesting" || state.is === "reading") return;
    if (state.is === "rejoining" || (state.is === "rest" && standingOf(state.run).is === "cut"))
      this.#do({ do: "fail" });
    if (state.is === "rejoining") {
      this.m.n++;
      this.#settle(this.m.own, "disconnected");
      this.m.own = NONE;
    } else if (state.is !== "rest") this.#leave(false);
    this.#settle(this.m.stops, "stopped", "cancel");
    this.m.stops = NONE;
    this.m.state = { is: "elsewhere", isNamed };
    // It carries the pending updates, as every run does.
    const isTaken = (id: string | undefined) => id !== undefined && took.includes(id);
    this.m.unsent = without(this.m.unsent, isTaken);
    this.m.own = [
      ...this.m.own,
      ...listOf(this.m.waiters)
        .filter(({ id }) => isTaken(id))
        .map(({ w }) => w),
    ];
    this.m.waiters = without(this.m.waiters, ({ id }) => isTaken(id));
  }

  #otherEnded(how: Found): void {
    const { state } = this.m;
    if (state.is === "elsewhere") return this.#rest(found(how, { is: "none" }));
    if (state.is === "rest") this.m.state = { is: "rest", run: { ...found(how, state.run), ...NO_ANSWERS(how) } };
    if (state.is === "loading" || state.is === "stopping") this.m.state = { ...state, run: found(how, state.run) };
  }

  #rolledBack(gone: string): void {
    this.m.unsent = without(this.m.unsent, (id) => id === gone);
    const isGone = ({ id }: { id: string | undefined }) => id === gone;
    this.#settle(
      listOf(this.m.waiters)
        .filter(isGone)
        .map(({ w }) => w),
      "stopped",
    );
    this.m.waiters = without(this.m.waiters, isGone);
  }

  // ── what goes on by itself ──

  /** At rest the calls that waited come first, in their order; then what waits for a run. */
  #next(): void {
    const { state, later } = this.m;
    const [call, ...rest] = later;
    if (call && state.is !== "loading" && state.is !== "stopping") {
      this.m.later = rest;
      return this.take(call);
    }
    if (isDue(this.m)) this.#go();
  }

  #go(): void {
    const { state } = this.m;
    if (state.is !== "rest") return;
    const run = standingOf(state.run);
    const waiting = listOf(this.m.waiters).map(({ w }) => w);
    if (run.is === "cut" && !run.tired) return this.#rejoin(NONE, run);
    if (run.is === "cut" || openOf(run).length > 0) {
      this.m.waiters = undefined;
      return this.#settle(waiting, resultOf(run));
    }
    this.m.waiters = this.m.unsent = undefined;
    this.m.wants = false;
    this.#request(waiting, undefined);
  }

  #request(own: readonly Who[], answers: readonly string[] | undefined): void {
    const { state } = this.m;
    const run = state.is === "rest" ? standingOf(state.run) : undefined;
    this.m.mayLack ||= run?.is === "failed" && (run.begun || run.lost);
    const n = ++this.m.n;
    this.m.own = own;
    this.m.state = { is: "requesting", n, answers };
    this.#do({ do: "begin", n, carries: !answers }, { do: "request", n, answers, mayLack: this.m.mayLack });
  }

  #rejoin(own: readonly Who[], { joins, heard }: CutRun, after?: After): void {
    const n = ++this.m.n;
    this.m.own = own;
    this.m.state = { is: "rejoining", n, heard, tries: -1, answered: false, after };
    this.#do(joins ? { do: "join", n } : { do: "giveUp", n });
  }

  /** Asks for the server's state of the thread; `again`: what to send then, if the server lacks it. */
  #ask(own: readonly Who[], again: readonly string[] | undefined, joined?: string): void {
    const { state } = this.m;
    if (state.is !== "rest") return;
    const n = ++this.m.n;
    this.m.own = [...this.m.own, ...own];
    this.m.state = { is: "loading", n, run: standingOf(state.run), again };
    this.#do({ do: "load", n, joined });
  }

  #again(ids: readonly string[], isDone: boolean): void {
    this.#do({ do: "again", ws: this.m.own, ids, isDone });
    this.m.own = NONE;
  }

  // ── small ──

  /** Comes to rest, and resolves the promises of the ended work. A run that stays cut off resolves all others, too. */
  #rest(run: Standing): void {
    this.m.state = { is: "rest", run };
    const waiting = run.is === "cut" ? listOf(this.m.waiters).map(({ w }) => w) : NONE;
    if (run.is === "cut") this.m.waiters = undefined;
    this.#settle([...this.m.own, ...waiting], resultOf(run));
    this.m.own = NONE;
  }

  #later(call: Later): void {
    this.m.later = [...this.m.later, call];
  }

  #leave(goesOn: boolean): void {
    this.m.n++;
    this.#do({ do: "leave", goesOn });
  }

  #settle(ws: readonly Who[], how: Result, why?: "cancel" | "other"): void {
    if (ws.length > 0) this.#do({ do: "settle", ws, how, ...(why && { why }) });
  }

  #refuse(w: Who, code: Refusal): void {
    this.#do({ do: "refuse", w, code });
  }

  #do(...commands: Command[]): void {
    this.commands.push(...commands);
  }
}

/** Another run's failure is not answered again. */
const NO_ANSWERS = (how: Found) => (how.is === "failed" ? { answers: undefined } : {});
