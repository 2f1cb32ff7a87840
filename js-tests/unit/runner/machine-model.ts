// A small world around the runner's machine: a thread as the contract has it, promises, and a server's possible
// actions. Every word of events is walked, and the rules are checked after each.
import { step } from "../../../pkg-template/src/runner/machine.js";
import { listOf } from "../../../pkg-template/src/runner/machine/chain.js";
import { machineOf } from "../../../pkg-template/src/runner/machine/machine-of.js";
import { isDue, isUnderWay, openOf, standingOf } from "../../../pkg-template/src/runner/machine/standing.js";
import type { Command, Event, Found, Machine, Rules } from "../../../pkg-template/src/runner/machine/types.js";
import { showsError } from "../../../pkg-template/src/runner/shown.js";

type Kind = "send" | "steer" | "empty" | "edit" | "bad edit" | "retry" | "whole" | "part" | "bad answer" | "other";
type Status = "pending" | "sent" | "failed" | "done" | "gone";

/** Everything is copied when it changes: words share their common parts. */
interface World {
  readonly machine: Machine;
  /** How each promise was settled, by its number. */
  readonly settled: readonly (string | undefined)[];
  readonly calls: readonly { readonly kind: Kind; readonly ids: readonly string[] }[];
  /** The thread: its run, and the status of each update. */
  readonly run: "ready" | "streaming" | "error" | "interrupted" | "disconnected";
  readonly isOurs: boolean;
  readonly updates: Readonly<Record<string, Status>>;
  /** Updates that a stop, or a reload, left pending. */
  readonly held: readonly string[];
  /** Updates that were brought to the run under way, which may take them. */
  readonly brought: readonly string[];
  /** The attempt that reads, and whether a join waits for its time. */
  readonly live: number | undefined;
  readonly isWaiting: boolean;
  /** Whether the server has sent anything of the run. */
  readonly heard: boolean;
  readonly asked: number;
  /** Answers that went out, those of runs that ended well, and those of the run that has just failed. */
  readonly answered: readonly string[];
  readonly answeredWell: readonly string[];
  readonly failedWith: readonly string[];
  readonly underAnswers: readonly string[];
}

const FAILED: Found = { is: "error", begun: true, lost: false, gone: false, open: [] };
const LOST: Found = { is: "error", begun: false, lost: true, gone: false, open: [] };
const GONE: Found = { is: "error", begun: true, lost: false, gone: true, open: [] };

export type Start = "new" | "cut" | "failed" | "asks" | "queued";

export function worldOf(start: Start): World {
  const updates: Record<string, Status> = {};
  if (start === "cut") updates["u"] = "sent";
  if (start === "failed") updates["u"] = "failed";
  if (start === "queued") updates["u"] = "pending";
  const run = { new: "ready", queued: "ready", cut: "disconnected", failed: "error", asks: "interrupted" } as const;
  const machine = machineOf(
    {
      new: { is: "none" } as const,
      queued: { is: "none" } as const,
      cut: { is: "disconnected", joins: true, heard: false, tired: false } as const,
      failed: { ...(FAILED as Extract<Found, { is: "error" }>), answers: undefined },
      asks: { is: "interrupted", open: ["q0a", "q0b"], kept: [] } as const,
    }[start],
    start === "queued" ? ["u"] : [],
  );
  return {
    machine,
    settled: [],
    calls: [],
    run: run[start],
    isOurs: true,
    updates,
    held: [],
    brought: [],
    live: undefined,
    isWaiting: false,
    heard: false,
    asked: 1,
    answered: [],
    answeredWell: [],
    failedWith: [],
    underAnswers: [],
  };
}

class Broken extends Error {}

function check(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Broken(rule);
}

/** One drain of events, as the runner's shell does it. */
class Drain {
  w: { -readonly [Field in keyof World]: World[Field] };
  readonly #rules: Rules;
  readonly #queue: Event[] = [];

  constructor(world: World, rules: Rules) {
    this.w = { ...world };
    this.#rules = rules;
  }

  get how(): "refuse" | "queue" {
    return this.#rules.refuses ? "refuse" : "queue";
  }

  run(...events: Event[]): World {
    this.#queue.push(...events);
    for (let rounds = 0; ; rounds++) {
      check(rounds < 60, "a drain ends");
      const event = this.#queue.shift();
      if (event) this.#step(event);
      else if (!this.#goesOn()) return this.w;
    }
  }

  #goesOn(): boolean {
    if (isDue(this.w.machine))
      for (const id of listOf(this.w.machine.unsent))
        if (this.w.updates[id] !== "pending")
          this.#step({ is: "rolledBack", id, isAtServer: this.w.updates[id] === "done" });
    const before = this.w.machine;
    const { machine, commands } = step(before, { is: "next" }, this.#rules);
    if (commands.length === 0 && machine.state === before.state && machine.later === before.later) return false;
    this.#step({ is: "next" });
    return true;
  }

  #step(event: Event): void {
    const before = this.w.machine;
    const { machine, commands } = step(before, event, this.#rules);
    this.w.machine = machine;
    const made: Event[] = [];
    for (const command of commands) made.push(...this.#execute(command));
    // A stop of what waits for the network leaves it pending.
    if (before.state.is === "offline" && event.is === "stop") this.w.held = [...this.w.held, ...listOf(before.unsent)];
    this.#queue.unshift(...made);
  }

  #mark(from: Status, to: Status): void {
    this.w.updates = Object.fromEntries(
      Object.entries(this.w.updates).map(([id, status]) => [id, status === from ? to : status]),
    );
  }

  /** The transition when the thread's run fails here. */
  #fails(): void {
    this.#mark("sent", "failed");
    this.w.run = "error";
    this.w.failedWith = this.w.underAnswers;
    this.w.underAnswers = [];
  }

  #show(): string {
    const id = `u${Object.keys(this.w.updates).length}`;
    this.w.updates = { ...this.w.updates, [id]: "pending" };
    return id;
  }

  #settle(ws: readonly number[], how: string): void {
    const settled = [...this.w.settled];
    for (const w of ws) {
      check(settled[w] === undefined, `promise ${w} settles once (${settled[w]}, ${how})`);
      settled[w] = how;
    }
    this.w.settled = settled;
  }

  #resend(ids: readonly string[]): string[] {
    const failed = ids.filter((id) => this.w.updates[id] === "failed");
    this.w.updates = { ...this.w.updates, ...Object.fromEntries(failed.map((id) => [id, "pending" as const])) };
    return failed;
  }

  #act(w: number): Event[] {
    const { kind, ids } = this.w.calls[w] ?? { kind: "other", ids: [] };
    const open = this.w.machine.state.is === "rest" ? openOf(this.w.machine.state.run) : [];
    switch (kind) {
      case "send":
        return [{ is: "shown", callIds: [w], ids: [this.#show()] }];
      case "steer":
        return [{ is: "shown", callIds: [w], ids: [this.#show()], steers: true }];
      case "empty":
        return [{ is: "wanted", callIds: [w] }];
      case "edit": {
        const isCut = this.w.run === "disconnected";
        if (isCut) this.#fails();
        const shown: Event = { is: "shown", callIds: [w], ids: [this.#show()], now: true };
        return isCut ? [{ is: "otherEnded", how: LOST }, shown] : [shown];
      }
      case "retry": {
        const resent = this.#resend(ids);
        return [resent.length > 0 ? { is: "shown", callIds: [w], ids: resent } : { is: "wanted", callIds: [w] }];
      }
      case "whole":
        return [{ is: "answered", callId: w, ids: open }];
      case "part":
        return [{ is: "answered", callId: w, ids: open.slice(0, 1) }];
      default:
        this.#settle([w], "INVALID_ARGUMENT");
        return [];
    }
  }

  #execute(command: Command): Event[] {
    const { w } = this;
    switch (command.do) {
      case "act":
        return this.#act(command.callId);
      case "begin":
        check(w.run !== "streaming" && w.run !== "disconnected", `one run at a time (${w.run})`);
        if (command.carries) {
          const { state } = w.machine;
          const isWanted = state.is === "requesting" && state.sent?.wants;
          check(isWanted || Object.values(w.updates).includes("pending"), "no run goes out for nothing");
          this.#mark("pending", "sent");
          w.held = [];
        }
        w.run = "streaming";
        w.isOurs = true;
        w.heard = false;
        w.brought = [];
        w.failedWith = command.carries ? [] : w.failedWith;
        w.underAnswers = [];
        return [];
      case "request": {
        check(w.live === undefined, "one request at a time");
        w.isWaiting = false;
        w.live = command.n;
        const { answers = [] } = command;
        check(!answers.some((id) => w.answeredWell.includes(id)), "an answer goes out once");
        check(
          answers.every((id) => !w.answered.includes(id) || w.failedWith.includes(id) || w.held.includes(id)),
          "an answer goes out again only by retry() of the run that failed with it",
        );
        w.answered = [...w.answered, ...answers];
        w.underAnswers = answers;
        w.failedWith = [];
        return [];
      }
      case "join":
        check(w.live === undefined || w.live === command.n, "one attempt reads");
        check(w.run === "disconnected", "what is joined is cut");
        w.live = command.n;
        w.isWaiting = false;
        return [];
      case "wait":
        w.live = undefined;
        w.isWaiting = true;
        return [];
      case "load":
        check(w.live === undefined || w.live < command.n, "one load at a time");
        w.isWaiting = false;
        w.live = command.n;
        return [];
      case "giveUp":
        this.#fails();
        w.live = undefined;
        return [{ is: "ended", n: command.n, how: GONE as Extract<Found, { is: "error" }> }];
      case "leave":
        w.live = undefined;
        w.isWaiting = false;
        if (command.goesOn && w.run === "streaming" && w.isOurs) w.run = "disconnected";
        return [];
      case "end": {
        const carries = Object.values(w.updates).includes("sent");
        check(
          !carries || command.unsends === !w.heard || w.run === "interrupted",
          "what the server has not heard of is not taken for confirmed",
        );
        if (command.unsends) {
          const sent = Object.keys(w.updates).filter((id) => w.updates[id] === "sent");
          this.#mark("sent", "pending");
          w.held = [...w.held, ...sent];
        } else this.#mark("sent", "done");
        w.run = command.reopens ? "interrupted" : "ready";
        if (command.reopens) w.held = [...w.held, ...w.underAnswers];
        w.underAnswers = [];
        return [];
      }
      case "steer":
        check(w.run === "streaming" && w.isOurs && w.machine.state.is === "reading", "a run under way is steered");
        check(
          command.ids.every((id) => w.updates[id] === "pending" || w.updates[id] === "gone"),
          "what the server has is not brought again",
        );
        w.brought = command.ids;
        return [];
      case "reopen":
        w.run = "interrupted";
        // The user answers again.
        w.held = [...w.held, ...w.answered];
        return [];
      case "fail":
        return [];
      case "resend": {
        const lacking = command.ids.filter((id) => ["pending", "sent", "failed"].includes(w.updates[id] ?? "gone"));
        const failed = this.#resend(lacking);
        if (failed.length > 0) return [{ is: "shown", callIds: command.callIds, ids: failed }];
        if (lacking.length > 0) return [{ is: "wanted", callIds: command.callIds }];
        if (w.run !== "error") return [{ is: "stands", callIds: command.callIds }];
        if (!command.isDone) return [{ is: "wanted", callIds: command.callIds }];
        w.run = "ready";
        return [
          { is: "otherEnded", how: { is: "finished" } },
          { is: "stands", callIds: command.callIds },
        ];
      }
      case "look":
        check(
          w.machine.state.is === "rest" && w.live === undefined,
          "what was announced is looked at when nothing reads",
        );
        return command.announced.includes("known") ? [] : [{ is: "refresh", known: "known" }];
      case "retry":
        return [{ is: "retry", callId: command.callId, ids: this.failed(), named: false, edits: false }];
      case "settle":
        this.#settle(command.callIds, command.how);
        return [];
      case "refuse":
        this.#settle([command.callId], command.code);
        return [];
      case "tire":
        w.live = undefined;
        return [];
      default:
        return [];
    }
  }

  failed(): string[] {
    return Object.keys(this.w.updates).filter((id) => this.w.updates[id] === "failed");
  }

  /** The server ends the run so. */
  ended(how: Exclude<Found, { is: "disconnected" }>): World {
    const { n } = this.w.machine;
    this.w.live = undefined;
    if (how.is === "error") this.#fails();
    else {
      this.#mark("sent", "done");
      this.w.run = how.is === "interrupted" ? "interrupted" : "ready";
      this.w.answeredWell = [...this.w.answeredWell, ...this.w.underAnswers];
      this.w.underAnswers = [];
    }
    return this.run({ is: "ended", n, how });
  }

  cut(joins: boolean, parts = false, answered = false, auth = false): World {
    this.w.run = "disconnected";
    this.w.live = undefined;
    this.w.heard ||= parts;
    return this.run({ is: "disconnected", n: this.w.machine.n, joins, parts, answered, auth, unreached: false });
  }

  /** The request does not reach the server. */
  unreached(): World {
    const { state, n } = this.w.machine;
    if (state.is === "loading") {
      this.w.live = undefined;
      return this.run({ is: "unloaded", n, unreached: true });
    }
    const joins = state.is === "rejoining";
    // A runner that does not wait has its run fail by itself.
    if (!joins && !this.#rules.waits) return this.ended({ ...lost, open: [] });
    if (!joins) this.w.live = undefined;
    return this.run({ is: "disconnected", n, joins, parts: false, answered: false, auth: false, unreached: true });
  }

  loaded(how: Found | undefined, isDone: boolean, goesOn?: string): World {
    this.w.live = undefined;
    if (how?.is === "finished") {
      this.w.run = "ready";
      for (const [id, status] of Object.entries(this.w.updates))
        if (status === "failed") this.w.updates = { ...this.w.updates, [id]: "done" };
    }
    if (how?.is === "interrupted") this.w.run = "interrupted";
    if (goesOn !== undefined) [this.w.run, this.w.isOurs, this.w.heard] = ["disconnected", true, false];
    const n = this.w.machine.n;
    return this.run({ is: "loaded", n, how: how ?? this.stands(), run: goesOn, isDone });
  }

  /** The server has what seemed lost on its way. */
  loadedAll(): World {
    this.#mark("pending", "done");
    return this.loaded({ is: "finished" }, true);
  }

  /** The run as the thread has it. */
  stands(): Found {
    const { state } = this.w.machine;
    if (this.w.run === "error") return { ...FAILED, open: "run" in state ? openOf(state.run) : [] } as Found;
    if (this.w.run === "interrupted") return { is: "interrupted", open: "run" in state ? openOf(state.run) : [] };
    return { is: "finished" };
  }

  otherBegan(): World {
    if (this.w.run === "disconnected") this.#mark("sent", "failed");
    const took = Object.keys(this.w.updates).filter((id) => this.w.updates[id] === "pending");
    this.#mark("pending", "sent");
    [this.w.run, this.w.isOurs, this.w.held] = ["streaming", false, []];
    [this.w.failedWith, this.w.underAnswers] = [[], []];
    [this.w.live, this.w.isWaiting] = [undefined, false];
    return this.run({ is: "otherBegan", took, isNamed: true });
  }

  otherEnded(how: Found): World {
    if (how.is === "error") this.#fails();
    else {
      this.#mark("sent", "done");
      this.w.run = how.is === "interrupted" ? "interrupted" : "ready";
    }
    return this.run({ is: "otherEnded", how });
  }

  /** The run takes what was brought to it. */
  taken(): World {
    const ids = this.w.brought.filter((id) => this.w.updates[id] === "pending").slice(0, 1);
    for (const id of ids) this.w.updates = { ...this.w.updates, [id]: "done" };
    const world = this.run({ is: "taken", ids });
    const { unsent, waiters } = world.machine;
    check(!listOf(unsent).some((id) => ids.includes(id)), "what was taken waits no more");
    check(!listOf(waiters).some(({ id }) => ids.includes(id ?? "")), "its call ends with the run that took it");
    return world;
  }

  rolledBack(): World {
    const id = Object.keys(this.w.updates).findLast((one) => this.w.updates[one] === "pending");
    if (id !== undefined) this.w.updates = { ...this.w.updates, [id]: "gone" };
    return this.run();
  }

  call(kind: Kind, event: (w: number) => Event, ids: readonly string[] = []): World {
    const w = this.w.calls.length;
    this.w.calls = [...this.w.calls, { kind, ids }];
    this.w.settled = [...this.w.settled, undefined];
    return this.run(event(w));
  }
}

type Letter = readonly [name: string, go: (drain: Drain) => World];

const CALLS: readonly Letter[] = [
  ["send", (d) => d.call("send", (w) => ({ is: "send", callId: w, how: d.how }))],
  ["empty", (d) => d.call("empty", (w) => ({ is: "send", callId: w, how: d.how }))],
  ["edit", (d) => d.call("edit", (w) => ({ is: "edit", callId: w }))],
  ["bad edit", (d) => d.call("bad edit", (w) => ({ is: "edit", callId: w }))],
  ["resume all", (d) => d.call("whole", (w) => ({ is: "resume", callId: w }))],
  ["resume one", (d) => d.call("part", (w) => ({ is: "resume", callId: w }))],
  [
    "retry",
    (d) =>
      d.call("retry", (w) => ({ is: "retry", callId: w, ids: d.failed(), named: false, edits: false }), d.failed()),
  ],
  [
    "retry(id)",
    (d) => {
      const ids = d.failed().slice(0, 1);
      return d.call("retry", (w) => ({ is: "retry", callId: w, ids, named: true, edits: false }), ids);
    },
  ],
  [
    "retry(edit)",
    (d) => {
      const ids = d.failed().slice(0, 1);
      return d.call("retry", (w) => ({ is: "retry", callId: w, ids, named: true, edits: true }), ids);
    },
  ],
  ["load", (d) => d.call("other", (w) => ({ is: "load", callId: w }))],
  ["stop", (d) => d.call("other", (w) => ({ is: "stop", callId: w }))],
  ["dispose", (d) => d.run({ is: "dispose" })],
  ["freed", (d) => d.run({ is: "freed" })],
];

/** Messages that do not wait for the run under way. */
const AT_ONCE: readonly Letter[] = [
  ["steer", (d) => d.call("steer", (w) => ({ is: "send", callId: w, how: "steer" }))],
  ["interrupt", (d) => d.call("send", (w) => ({ is: "send", callId: w, how: "interrupt" }))],
  ["edit, interrupts", (d) => d.call("edit", (w) => ({ is: "edit", callId: w, how: "interrupt" }))],
];

/** A followed thread's server announces a run. */
const ANNOUNCED: readonly Letter[] = [
  ["announced", (d) => d.run({ is: "announced", run: "r" })],
  ["announced, known", (d) => d.run({ is: "announced", run: "known" })],
];

const asks = (d: Drain): Extract<Found, { is: "interrupted" }> => {
  const serial = d.w.asked++;
  return { is: "interrupted", open: [`q${serial}a`, `q${serial}b`] };
};

const failed = FAILED as Extract<Found, { is: "error" }>;
const lost = LOST as Extract<Found, { is: "error" }>;

/** Returns the letters allowed now. */
function letters({ machine, isWaiting, brought, updates }: World, { canLoad, refuses }: Rules): Letter[] {
  const { state, n } = machine;
  if (state.is === "disposed") return [];
  const all: Letter[] = [
    ...CALLS,
    ...(refuses ? [] : AT_ONCE),
    ...(canLoad ? ANNOUNCED : []),
    ["rollback", (d) => d.rolledBack()],
  ];
  if (["rest", "loading", "stopping", "rejoining", "offline"].includes(state.is))
    all.push(["other began", (d) => d.otherBegan()]);
  // Between two looks.
  if (state.is === "rest" && standingOf(state.run).is !== "disconnected")
    all.push(
      ["other began and failed", (d) => ((d.w.failedWith = d.w.underAnswers = []), d.otherEnded(failed))],
      ["other began and finished", (d) => d.otherEnded({ is: "finished" })],
    );
  if (state.is === "elsewhere")
    all.push(
      ["other finished", (d) => d.otherEnded({ is: "finished" })],
      ["other failed", (d) => d.otherEnded(failed)],
      ["other asks", (d) => d.otherEnded(asks(d))],
    );
  if (state.is === "requesting")
    all.push(
      ["began", (d) => d.run({ is: "began", n })],
      ["refused", (d) => d.ended({ ...failed, begun: false, open: state.answers ?? [] })],
      ["turned away", (d) => d.ended({ ...failed, begun: false, busy: true, open: state.answers ?? [] })],
      ["lost", (d) => d.ended({ ...lost, open: state.answers ?? [] })],
      ["cut", (d) => d.cut(false)],
      ["cut, named", (d) => d.cut(true)],
    );
  if (["requesting", "loading"].includes(state.is) || (state.is === "rejoining" && !isWaiting))
    all.push(["unreached", (d) => d.unreached()]);
  if (state.is === "offline") all.push(["timer", (d) => d.run({ is: "timer", n })]);
  if (state.is === "reading" && brought.some((id) => updates[id] === "pending")) all.push(["takes", (d) => d.taken()]);
  if (state.is === "reading")
    all.push(
      ["part", (d) => ((d.w.heard = true), d.run({ is: "part", n }))],
      ["finished", (d) => d.ended({ is: "finished" })],
      ["stopped", (d) => d.ended({ is: "stopped" })],
      ["asks", (d) => d.ended(asks(d))],
      ["failed", (d) => d.ended(failed)],
      ["failed, asks", (d) => d.ended({ ...failed, open: state.answers ?? [] })],
      ["cut", (d) => d.cut(true, true)],
      ["cut for good", (d) => d.cut(false)],
    );
  if (state.is === "rejoining" && isWaiting) all.push(["timer", (d) => d.run({ is: "timer", n })]);
  if (state.is === "rejoining" && !isWaiting)
    all.push(
      ["began", (d) => ((d.w.run = "streaming"), d.run({ is: "began", n }))],
      ["finished", (d) => d.ended({ is: "finished" })],
      ["asks", (d) => d.ended(asks(d))],
      ["failed", (d) => d.ended(failed)],
      ["cut", (d) => d.cut(true)],
      ["cut after a part", (d) => d.cut(true, true, true)],
      ["gone", (d) => d.cut(false)],
      ["401", (d) => d.cut(true, false, false, true)],
    );
  if (state.is === "loading")
    all.push(
      ["loaded", (d) => d.loaded({ is: "finished" }, true)],
      ["loaded, not done", (d) => d.loaded(undefined, false)],
      ["loaded, asks", (d) => d.loaded(asks(d), true)],
      ["loaded, goes on", (d) => d.loaded(undefined, false, "r")],
      ["not loaded", (d) => ((d.w.live = undefined), d.run({ is: "unloaded", n, unreached: false }))],
      ["loaded, and it is there", (d) => d.loadedAll()],
    );
  if (state.is === "stopping") all.push(["cancelled", (d) => d.run({ is: "cancelled", n })]);
  return all;
}

/** The thread's run status that fits a machine in this state. */
function expected({ state }: Machine, world: World): boolean {
  const { run, isOurs } = world;
  if (state.is === "disposed") return true;
  if (state.is === "elsewhere") return run === "streaming" && !isOurs;
  if (state.is === "requesting" || state.is === "reading") return run === "streaming" && isOurs;
  if (state.is === "rejoining") return run === "disconnected";
  const { is } = standingOf(state.run);
  return (
    run ===
    { none: "ready", ended: "ready", interrupted: "interrupted", error: "error", disconnected: "disconnected" }[is]
  );
}

function checkRules(world: World, rules: Rules): void {
  const { machine, updates, held } = world;
  const { state, n } = machine;
  check(expected(machine, world), `the machine (${state.is}) and the thread (${world.run}) agree`);
  if (state.is === "disposed") {
    check(
      world.settled.every((how) => how !== undefined),
      "dispose settles every promise",
    );
    return;
  }
  const unsent = listOf(machine.unsent);
  check(new Set(unsent).size === unsent.length, "an update waits once");
  check(
    machine.steering.every((id) => unsent.includes(id)),
    "what steers waits for a run, too",
  );
  if (state.is === "reading")
    check(
      machine.steering.every((id) => world.brought.includes(id)),
      "what steers is brought to the run that is read",
    );
  for (const [id, status] of Object.entries(updates))
    check(status !== "pending" || unsent.includes(id) || held.includes(id), `${id} is pending, and in nobody's hands`);
  const isReading = isUnderWay(state) || state.is === "loading" || state.is === "offline";
  check(isReading || world.live === undefined, "nobody reads at rest");
  check(!isReading || world.live === n || world.isWaiting, `somebody reads (${world.live}, ${n})`);
  check(isReading || state.is === "elsewhere" || machine.own.length === 0, "nobody waits for nothing");
  check(state.is === "stopping" || machine.stops.length === 0, "nobody waits for a stop that is over");
  // An error is there exactly when retry() can be called.
  if (showsError(machine)) {
    const ids = Object.keys(updates).filter((id) => updates[id] === "failed");
    const { commands } = step(machine, { is: "retry", callId: 0, ids, named: false, edits: false }, rules);
    check(!commands.some((command) => command.do === "refuse"), "an error can be tried again");
  }
  const stale = n - 1;
  for (const event of [
    { is: "began", n: stale },
    { is: "part", n: stale },
    { is: "ended", n: stale, how: { is: "finished" } },
    { is: "disconnected", n: stale, joins: true, parts: true, answered: true, auth: false, unreached: true },
    { is: "loaded", n: stale, how: { is: "finished" }, run: "r", isDone: true },
    { is: "unloaded", n: stale, unreached: true },
    { is: "cancelled", n: stale },
    { is: "timer", n: stale },
  ] as const) {
    const after = step(machine, event, rules);
    check(after.commands.length === 0 && after.machine.state === state, `a stale ${event.is} changes nothing`);
  }
}

/** A healthy server, timers that fire, other code that ends: all comes to rest. */
function checkEnd(word: World, rules: Rules): void {
  let world = word;
  for (let steps = 0; ; steps++) {
    check(steps < 30, `it comes to rest (${world.machine.state.is})`);
    const { state, n } = world.machine;
    const drain = new Drain(world, rules);
    if (state.is === "rest" || state.is === "disposed") break;
    if (state.is === "requesting") world = drain.run({ is: "began", n });
    else if (state.is === "reading") world = drain.ended({ is: "finished" });
    else if (state.is === "rejoining")
      world = world.isWaiting ? drain.run({ is: "timer", n }) : drain.ended({ is: "finished" });
    else if (state.is === "loading") world = drain.loaded({ is: "finished" }, true);
    else if (state.is === "offline") world = drain.run({ is: "timer", n });
    else if (state.is === "stopping") world = drain.run({ is: "cancelled", n });
    else world = drain.otherEnded({ is: "finished" });
    checkRules(world, rules);
  }
  const { machine, settled } = world;
  const open = settled.findIndex((how) => how === undefined);
  check(open < 0, `promise ${open} settles`);
  if (machine.state.is !== "rest") return;
  const { run } = machine.state;
  const mayWait = openOf(run).length > 0 || standingOf(run).is === "disconnected" || !machine.isAwake;
  check(machine.announced.length === 0, "what was announced is looked at");
  check(mayWait || (machine.unsent === undefined && !machine.wants), "what waits goes out");
}

export interface Walked {
  words: number;
  /** Pairs of a state and a standing, and of those and an event, that were seen. */
  readonly states: Set<string>;
  readonly pairs: Set<string>;
}

/** Walks every word up to this length. Throws with the word that breaks a rule. */
export function walk(start: Start, rules: Rules, length: number, walked: Walked): void {
  const word: string[] = [];
  const visit = (world: World, rest: number) => {
    walked.words++;
    const { state } = world.machine;
    const name = "run" in state ? `${state.is} ${state.run.is}` : state.is;
    walked.states.add(name);
    checkEnd(world, rules);
    if (rest === 0) return;
    for (const [letter, go] of letters(world, rules)) {
      walked.pairs.add(`${name} · ${letter}`);
      word.push(letter);
      const next = go(new Drain(world, rules));
      checkRules(next, rules);
      visit(next, rest - 1);
      word.pop();
    }
  };
  try {
    const world = worldOf(start);
    checkRules(world, rules);
    visit(world, length);
  } catch (error) {
    if (error instanceof Broken)
      throw new Error(`${start}: ${word.join(", ")}: not "${error.message}"`, { cause: error });
    throw error;
  }
}
