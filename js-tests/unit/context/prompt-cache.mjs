// `node js-tests/unit/context/prompt-cache.mjs`: the cost of each policy with a provider's prompt cache, over one long
// conversation with an agent. The part that a request shares with the start of the last one costs a tenth, all else a
// quarter more.
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import {
  clearToolUses,
  Context,
  estimateMessageTokens,
  estimateTokens,
  langChainSummarization,
  trimMessages,
} from "threadfold/context";

const CACHED = 0.1;
const WRITTEN = 1.25;
const TRIGGER = 24_000;
const SYSTEM = 2_500;
const SUMMARY_WORDS = 300;

/** Random numbers (mulberry32), the same ones each time. */
function dice(seed) {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

const WORDS =
  "the file returns a value when its caller asks for more than one row of data so we check each index and write it back".split(
    " ",
  );

/** An agent at work on code: questions, runs of tool calls with short and long results, answers. */
export function conversation(requests = 233) {
  const below = dice(8);
  const words = (count) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(" ");
  const messages = [];
  const add = (message) => messages.push({ id: `m${messages.length}`, ...message });
  /** How many messages there are at each request to the model. */
  const asked = [];
  while (asked.length < requests) {
    add({ type: "human", content: words(15 + below(60)) });
    for (let steps = 2 + below(7); steps > 0 && asked.length < requests - 1; steps--) {
      asked.push(messages.length);
      const calls = Array.from({ length: below(4) === 0 ? 2 : 1 }, (_, at) => {
        const id = `c${messages.length}-${at}`;
        if (below(5) === 0)
          return { id, name: "write_file", args: { path: "/src/a.ts", content: words(150 + below(500)) } };
        return { id, name: "read_file", args: { path: `/src/${words(1)}.ts` } };
      });
      add({ type: "ai", content: words(below(40)), tool_calls: calls });
      for (const { id, name } of calls) {
        const length = name === "write_file" ? 4 : below(3) === 0 ? 700 + below(1400) : 30 + below(300);
        add({ type: "tool", tool_call_id: id, name, content: words(length) });
      }
    }
    asked.push(messages.length);
    add({ type: "ai", content: words(40 + below(160)) });
  }
  return { messages, asked: asked.slice(0, requests) };
}

const counted = new Map();
const known = new WeakMap();

/** Returns a message's tokens by its content: a policy may rebuild the message at each request. */
function tokensOf(message) {
  const before = known.get(message);
  if (before) return before;
  const text = JSON.stringify(message);
  let tokens = counted.get(text);
  if (tokens === undefined) counted.set(text, (tokens = estimateMessageTokens(message)));
  known.set(message, [text, tokens]);
  return [text, tokens];
}

/**
 * Sends the conversation's requests under a policy, and adds up their cost.
 *
 * @param send - Returns the messages that are sent of the first messages, and what had to be summarized for it.
 */
function cost({ messages, asked }, send) {
  let [last, total, summarizing, breaks, most] = [[], 0, 0, 0, 0];
  for (const length of asked) {
    const { sent, summarized = [] } = send(messages.slice(0, length));
    const parts = sent.map(tokensOf);
    let same = 0;
    while (same < last.length && same < parts.length && parts[same][0] === last[same][0]) same++;
    if (same < last.length) breaks++;
    const sum = (some) => some.reduce((all, [, tokens]) => all + tokens, 0);
    const [cached, written] = [sum(parts.slice(0, same)), sum(parts.slice(same))];
    // The system prompt and the tools are written once.
    total += CACHED * cached + WRITTEN * written + SYSTEM * (last.length === 0 ? WRITTEN : CACHED);
    summarizing += WRITTEN * sum(summarized.map(tokensOf));
    most = Math.max(most, SYSTEM + cached + written);
    last = parts;
  }
  return { total, summarizing, breaks, most };
}

const summaryOf = (due) => `${due.cutoff}: ${WORDS.join(" ")} `.repeat(SUMMARY_WORDS / WORDS.length);

/** A context that is compacted whenever that is due. */
function compacted(context) {
  let record = null;
  return (messages) => {
    const { due } = context.of(messages, record);
    if (due) record = context.compact(due, due.summarize ? summaryOf(due) : null);
    return { sent: context.of(messages, record).messages, summarized: due?.summarize ? due.messages : [] };
  };
}

const ours = (options) => compacted(new Context({ trigger: { tokens: TRIGGER }, ...options }));
const counter = (some) => some.reduce((sum, message) => sum + tokensOf(message)[1], 0);

const POLICIES = {
  "append-only": () => (messages) => ({ sent: messages }),
  "trimMessages to 24k at each request": () => (messages) => ({
    sent: trimMessages(messages, { maxTokens: TRIGGER, tokenCounter: counter, startOn: "human" }),
  }),
  "clearToolUses above 24k, at each request": () => (messages) => ({
    sent: clearToolUses(messages, { trigger: TRIGGER, tokenCounter: counter }),
  }),
  "LangChain's summary at 24k, keep 20 messages": () =>
    compacted(langChainSummarization({ trigger: { tokens: TRIGGER }, keep: { messages: 20 } })),
  "Context, trigger 24k, keep 20k": () => ours({ keep: { tokens: 20_000 } }),
  "Context, trigger 24k (keep half)": () => ours({}),
  "Context, trigger 24k, keep 4k": () => ours({ keep: { tokens: 4_000 } }),
  "Context, trigger 24k, clearToolUses first": () => ours({ clearToolUses: { keep: 3 } }),
  "Context, trigger 24k, clear and truncate first": () => ours({ clearToolUses: { keep: 3 }, truncateArgs: {} }),
};

/** Returns the cost of each policy, or of each whose name begins so, against sending everything. */
export function replay(names = [""]) {
  const all = conversation();
  const chosen = Object.entries(POLICIES).filter(([name]) => names.some((one) => name.startsWith(one)));
  const rows = chosen.map(([name, make]) => ({ name, ...cost(all, make()) }));
  const whole = rows[0].total;
  return rows.map((row) => ({ ...row, cost: row.total / whole, withSummaries: (row.total + row.summarizing) / whole }));
}

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) {
  const { messages, asked } = conversation();
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message)[1], 0);
  console.log(`${asked.length} requests, ${messages.length} messages, ${Math.round(tokens / 1000)}k tokens at the end`);
  console.log(
    `(a summary has ${estimateTokens(summaryOf({ cutoff: 1 }))} tokens, the system prompt and tools ${SYSTEM})\n`,
  );
  console.log("| policy | cost | with the calls that summarize | prefix broken | most tokens |\n|---|---|---|---|---|");
  for (const { name, cost, withSummaries, breaks, most } of replay())
    console.log(
      `| ${name} | ${cost.toFixed(2)} | ${withSummaries.toFixed(2)} | ${breaks} | ${Math.round(most / 1000)}k |`,
    );
}
