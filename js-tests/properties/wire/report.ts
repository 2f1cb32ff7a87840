// Prints a scenario in which a thread was wrong without knowing it, in a short form.
import type { Loose } from "./graphs.js";
import type { Played, Wrong } from "./replay.js";
import type { Part } from "./server.js";
import type { Act, Scenario, Write } from "./specs.js";

const written = (writes: readonly Write[]): string =>
  writes
    .map((write) => {
      const what =
        write.field === "messages" ? `messages[${write.messages.map(({ kind }) => kind).join(", ")}]` : write.field;
      return write.overwrite ? `Overwrite(${what})` : what;
    })
    .join(" ") || "nothing";

function actText({ kind, writes, more, to, wait, always }: Act): string {
  const parts = [kind === "update" ? "" : kind, written(writes), ...more.map((list) => `+ ${written(list)}`)];
  if (to.length > 0) parts.push(`→ ${to.join(" ")}`);
  if (wait > 0) parts.push(`after ${wait}`);
  if (kind === "fail" && always) parts.push("always");
  return parts.filter(Boolean).join(" ");
}

function partText({ id, event, data }: Part): string {
  const short = (value: unknown) =>
    JSON.stringify(value, (key, one) => (NOISE.has(key) && isEmpty(one) ? undefined : (one as unknown)));
  if (!event.startsWith("messages")) return `  ${id} ${event} ${short(data)}`;
  const [message, { langgraph_step: step, langgraph_path: path }] = data as [Loose, Loose];
  return `  ${id} ${event} ${short(message)} step ${step} ${JSON.stringify(path)}`;
}

/** Fields of messages that say nothing when they are empty. */
const NOISE = new Set([
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
]);

const isEmpty = (one: unknown): boolean =>
  one === undefined || one === null || (typeof one === "object" && Object.keys(one).length === 0);

export function reportOf(scenario: Scenario, wrong: Wrong): string {
  const nodes = scenario.nodes.flatMap(({ name, acts, inside, to, sends, cached }) => [
    `  ${name}${cached ? " (cached)" : ""}: ${inside ? "a subgraph" : acts.map(actText).join(" | ")}` +
      `${to.length > 0 ? ` → ${to.join(" ")}` : ""}${sends.length > 0 ? ` → Send ${sends.join(" ")}` : ""}`,
    ...(inside ?? []).map((one) => `    ${one.name}: ${one.acts.map(actText).join(" | ")}`),
  ]);
  const turns = scenario.turns.map(
    ({ kind, writes, fault, choice, limit, isReloaded, settles }, at) =>
      `  ${at} ${kind}: ${written(writes)}; ${JSON.stringify(fault)}; choice ${choice.toFixed(2)}${limit < 25 ? `; limit ${limit}` : ""}${isReloaded ? "; reloaded" : ""}${settles ? "" : "; not settled"}`,
  );
  return [
    `seed ${scenario.seed}: ${wrong.field} is wrong at turn ${wrong.turn} (${wrong.when}, ${wrong.end}), and the thread does not know it`,
    `fields ${scenario.fields.join(" ")}; unknown to the page: ${scenario.unknown?.join(" ") ?? "all"}; start → ${scenario.start.join(" ")}`,
    ...(scenario.before.length > 0 ? [`stops before ${scenario.before.join(" ")}`] : []),
    ...(scenario.after.length > 0 ? [`stops after ${scenario.after.join(" ")}`] : []),
    ...nodes,
    ...turns,
    `thread ${JSON.stringify(wrong.thread)}`,
    `server ${JSON.stringify(wrong.server)}`,
    ...wrong.runs.flatMap((parts, at) => [`run ${at}`, ...parts.map(partText)]),
  ].join("\n");
}

/** Sums over threads. */
export class Tally {
  threads = 0;
  turns = 0;
  doubtful = 0;
  needless = 0;
  unreadable = 0;
  wrong = 0;
  readonly reasons: Record<string, number> = {};

  add(played: Played): void {
    this.threads++;
    this.turns += played.turns;
    this.doubtful += played.doubtful;
    this.needless += played.needless;
    this.unreadable += played.unreadable;
    if (played.wrong.length > 0) this.wrong++;
    for (const [reason, count] of played.reasons) this.reasons[reason] = (this.reasons[reason] ?? 0) + count;
  }

  toString(): string {
    const reasons = Object.entries(this.reasons).map(([reason, count]) => `${reason} ${count}`);
    return [
      `${this.threads} threads, ${this.turns} turns`,
      `in doubt after ${this.doubtful} (${reasons.join(", ") || "no reason"}), ${this.needless} of them right`,
      `${this.unreadable} states that the server could not give`,
      `${this.wrong} threads that were wrong and did not know it`,
    ].join("; ");
  }
}
