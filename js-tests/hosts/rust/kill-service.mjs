// Kills examples/rust-service at random points, with three clients at it: one that posts by itself, one whose page
// reloads, one that answers questions. `node js-tests/hosts/rust/kill-service.mjs 200` kills it 200 times.
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Thread } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { target } from "../../../scripts/rust.mjs";
import { randomOf } from "../../support/random.js";

const example = fileURLToPath(new URL("../../../examples/rust-service", import.meta.url));

/** After so many tries without a success something is wrong. */
const MOST_TRIES = 50;

/** How long the clients may take to end their turns once nothing is killed any more, in milliseconds. */
const PATIENCE = 20_000;

/** The mark in the file of effects where a process was started anew. */
const START = "start";

/** Builds the service. Returns its program. */
export async function builtService() {
  const folder = join(target, "rust-service");
  await promisify(execFile)("cargo", ["build", "--quiet", "--target-dir", folder], { cwd: example });
  return join(folder, "debug", "rust-service");
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Kills the service so many times, and returns how many turns the clients had and the problems.
 *
 * @param program - The service's binary.
 */
export async function killService(program, { kills, seed }) {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-kill-"));
  const trial = new Trial(program, folder, await freePort(), kills, seed);
  try {
    return await trial.run();
  } finally {
    trial.child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

class Trial {
  /** Whether clients begin another turn. */
  isOver = false;
  problems = [];
  /** The work of each client, by its name. */
  busy = new Map();
  turns = 0;
  answers = 0;
  joins = 0;
  /** How many nodes have run again. */
  again = 0;

  constructor(program, folder, port, kills, seed) {
    Object.assign(this, { program, port, kills, random: randomOf(seed) });
    this.url = `http://127.0.0.1:${port}/agent`;
    this.effects = join(folder, "effects");
    this.env = { ...process.env, DATABASE: join(folder, "shop.sqlite"), EFFECTS: this.effects, PORT: String(port) };
  }

  async run() {
    await this.start();
    const clients = [posts(this), reloads(this), asks(this)];
    for (let kill = 0; kill < this.kills; kill++) {
      await after(20 + this.random() * 380);
      await this.kill();
      await this.start();
    }
    this.isOver = true;
    const left = new AbortController();
    const late = after(PATIENCE, undefined, { signal: left.signal }).then(
      () => this.problems.push(`clients are stuck: ${[...this.busy].map((one) => one.join(" "))}`),
      () => {},
    );
    const threads = (await Promise.race([Promise.all(clients), late.then(() => [])])) ?? [];
    left.abort();
    for (const thread of threads) await this.check(thread);
    await this.kill();
    this.checkEffects();
    const { kills, turns, answers, joins, again, problems } = this;
    return { kills, turns, answers, joins, again, problems };
  }

  async start() {
    appendFileSync(this.effects, `${START}\n`);
    this.child = spawn(this.program, { env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.child.once("exit", resolve));
    await new Promise((resolve, reject) => {
      this.child.stdout.once("data", resolve);
      this.child.once("exit", (code) => reject(new Error(`The service ended with ${code}.`)));
    });
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** Checks that the thread has each turn once, in order. */
  async check({ name, threadId, said, shown }) {
    const { messages, state, interrupts, next, run } = await (await fetch(`${this.url}/threads/${threadId}`)).json();
    const problem = (text) => this.problems.push(`${name}: ${text}`);
    if (interrupts.length > 0 || next.length > 0 || run)
      problem(`the thread has not ended: ${JSON.stringify({ next, run })}`);
    const roles = messages.map(({ role, content }) => `${role}: ${content}`);
    const expected = said.flatMap((text) => turnOf(text));
    if (String(roles) !== String(expected))
      problem(`the messages are\n${roles.join("\n")}\ninstead of\n${expected.join("\n")}`);
    const ids = messages.map(({ id }) => id);
    if (new Set(ids).size < ids.length) problem("a message is there twice");
    const cart = new Map(said.flatMap((text) => (text === "order" ? [] : [text.split(" ").toReversed()])));
    const has = new Map(state.cart.map(({ sku, qty }) => [sku, String(qty)]));
    if (String([...cart].toSorted()) !== String([...has].toSorted()))
      problem(`the cart is ${[...has]} instead of ${[...cart]}`);
    if (!shown) return;
    const there = shown.map(({ role, content }) => `${role}: ${content}`);
    if (String(there) !== String(expected))
      problem(`the page shows\n${there.join("\n")}\ninstead of\n${expected.join("\n")}`);
  }

  /**
   * A node runs again only in another process, never once a node after it has run, and at most one for each client and
   * kill.
   */
  checkEffects() {
    const lines = readFileSync(this.effects, "utf8").trimEnd().split("\n");
    const ran = new Map();
    let process = 0;
    for (const line of lines) {
      if (line === START) process++;
      else {
        if (ran.get(line) === process) this.problems.push(`"${line}" happened twice in one process`);
        if (ran.has(line)) this.again++;
        const [what, id] = line.split(" ");
        if (what === "model" && ran.has(`order call-${id}`)) this.problems.push(`the model ${id} ran after its order`);
        ran.set(line, process);
      }
    }
    if (this.again > 3 * this.kills) this.problems.push(`${this.again} nodes ran again after ${this.kills} kills`);
  }
}

/** The messages of a turn. */
function turnOf(text) {
  const isOrder = text === "order";
  const result = isOrder ? "Ordered." : text;
  const answer = isOrder ? "I order it." : "I put it into the cart.";
  return [`user: ${text}`, `assistant: ${answer}`, `tool: ${result}`, `assistant: Done: ${result}`];
}

const GOODS = ["tea", "milk", "bread", "salt"];
const wish = (random) => `${1 + Math.floor(random() * 9)} ${GOODS[Math.floor(random() * GOODS.length)]}`;

/** Posts a run until it has ended: the same request again, if the connection breaks. */
async function ended(trial, body) {
  for (;;) {
    try {
      trial.busy.set("posts", body.runId);
      const response = await fetch(trial.url, { method: "POST", body: JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status}: ${text}`);
      const last = JSON.parse(/data: (.*)\s*$/.exec(text)?.[1] ?? "{}");
      if (last.type === "RUN_FINISHED") return last;
      if (last.type === "RUN_ERROR") throw new Error(`The run failed: ${last.message}`);
    } catch (error) {
      if (/^\d|run failed/.test(error.message)) {
        trial.problems.push(`a post was answered: ${error.message}`);
        return {};
      }
    }
    await after(10);
  }
}

const approvals = ({ outcome }) =>
  outcome.interrupts.map(({ id }) => ({
    interruptId: id,
    status: "resolved",
    payload: { decisions: [{ type: "approve" }] },
  }));

/** A program of its own that knows only HTTP. */
async function posts(trial) {
  const random = randomOf(1);
  const [threadId, said] = ["posts", []];
  for (let turn = 1; !trial.isOver; turn++) {
    const text = random() < 0.3 ? "order" : wish(random);
    said.push(text);
    const message = { id: `user-${turn}`, role: "user", content: text };
    let last = await ended(trial, { threadId, runId: `run-${turn}`, messages: [message] });
    if (last.outcome?.type === "interrupt") {
      trial.answers++;
      last = await ended(trial, { threadId, runId: `answer-${turn}`, messages: [], resume: approvals(last) });
    }
    if (last.outcome?.type === "interrupt") trial.problems.push("posts: an answer was asked for twice");
    trial.turns++;
  }
  return { name: "posts", threadId, said };
}

/** A page: its thread and its runner. */
class Page {
  constructor(trial, threadId) {
    Object.assign(this, { trial, threadId });
    this.open();
  }

  open() {
    this.runner?.dispose();
    this.thread = new Thread({ threadId: this.threadId });
    const rejoinDelays = [5, 20, 50, 100, 200, 400];
    this.runner = new AgUiRunner(this.thread, { url: this.trial.url, resumable: true, rejoinDelays });
  }

  /** Reloads until the thread is what the server has, and no run is under way. */
  async reload() {
    let last;
    // By time: a killed service is away for a while.
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
      this.trial.joins++;
      this.trial.busy.set(this.threadId, `load, ${last?.status}`);
      this.open();
      last = await this.runner.load();
      if (last.status === "finished" || last.status === "interrupted") return;
      await after(20);
    }
    throw new Error(`The thread ${this.threadId} cannot be loaded: ${last.status}, ${last.error?.message}`);
  }

  /** Sends a message until the server has it, and its run has ended. */
  async send(content) {
    const id = randomUUID();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      this.trial.busy.set(this.threadId, `send ${tries}`);
      const { status } = await this.runner.sendMessage({ id, role: "user", content });
      if (status === "finished" || status === "interrupted") return;
      await this.reload();
      if (this.thread.getMessage(id)) return;
    }
    throw new Error(`The message to ${this.threadId} cannot be sent.`);
  }

  /** Says yes until nothing is asked. */
  async approve() {
    for (let tries = 0; this.runner.interrupts.length > 0; tries++) {
      if (tries === MOST_TRIES) throw new Error(`The question of ${this.threadId} cannot be answered.`);
      this.trial.answers++;
      this.trial.busy.set(this.threadId, `resume ${tries}`);
      const answers = this.runner.interrupts.map(({ id }) => ({ id, value: { decisions: [{ type: "approve" }] } }));
      const { status } = await this.runner.resume(answers);
      if (status !== "finished" && status !== "interrupted") await this.reload();
    }
  }
}

/** A page that the user reloads after each turn, and in the middle of some. */
async function reloads(trial) {
  const random = randomOf(2);
  const said = [];
  const page = new Page(trial, "reloads");
  while (!trial.isOver) {
    const text = wish(random);
    said.push(text);
    const sending = page.send(text);
    if (random() < 0.5) {
      // Another tab joins in the middle.
      await after(random() * 200);
      const tab = new Page(trial, "reloads");
      await tab.reload();
      tab.runner.dispose();
    }
    await sending;
    trial.turns++;
    await page.reload();
  }
  return { name: "reloads", threadId: "reloads", said, shown: page.thread.getState().messages };
}

/** A page that orders, and answers what the agent asks. */
async function asks(trial) {
  const said = [];
  const page = new Page(trial, "asks");
  while (!trial.isOver) {
    said.push("order");
    await page.send("order");
    await page.approve();
    trial.turns++;
  }
  return { name: "asks", threadId: "asks", said, shown: page.thread.getState().messages };
}

if (import.meta.filename === process.argv[1]) {
  const [kills = "20", seed = "1", program = await builtService()] = process.argv.slice(2);
  const figures = await killService(program, { kills: Number(kills), seed: Number(seed) });
  console.log(figures);
  process.exit(figures.problems.length > 0 ? 1 : 0);
}
