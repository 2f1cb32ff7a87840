// A conversation trimmed to 4,000 tokens, as before each call of a model. Apart from the other cases, because
// @langchain/core takes a minute for 10,000 messages.
import { AIMessage, HumanMessage, trimMessages as langChainTrim } from "@langchain/core/messages";
import { countTokens, trimMessages } from "threadfold/context";
import { median } from "../harness.mjs";

const NAME = "trimMessages to 4,000 tokens";
const MAX_TOKENS = 4_000;

const conversation = (n, from = 0) =>
  Array.from({ length: n }, (_, at) => {
    const fields = { id: `m${from + at}`, content: `message ${from + at}: ${"what was said, and how. ".repeat(6)}` };
    return at % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields);
  });

/** Counts as langchain.js's `countTokensApproximately` does, in a quarter of its time. */
const approximately = (list) => countTokens(list, { compat: "js" });

/** Cases with median times in µs. Ours gets a list that it has not seen, and one with a message more than before. */
export async function trimCosts(quick) {
  const cases = [];
  for (const n of quick ? [100, 1_000] : [100, 1_000, 10_000]) {
    const options = { maxTokens: MAX_TOKENS, strategy: "last" };
    const ours = (list) => trimMessages(list, options);
    const theirs = (list) => langChainTrim(list, { ...options, tokenCounter: approximately });
    const lists = Array.from({ length: 12 }, () => conversation(n));
    const unseen = lists.map((list) => timed(() => ours(list)));
    const [list] = lists;
    const more = Array.from({ length: 60 }, (_, at) => {
      list.push(...conversation(1, n + at));
      return timed(() => ours(list));
    });
    const counted = lists.slice(0, 5).map((list) => timed(() => countTokens(list)));
    const peer = [];
    for (let round = 0; round < (n > 1_000 ? 1 : 3); round++) {
      const start = performance.now();
      await theirs(lists[1]);
      peer.push((performance.now() - start) * 1000);
    }
    cases.push({
      name: NAME,
      n,
      us: {
        threadfold: median(more),
        "threadfold, messages not seen before": median(unseen.slice(2)),
        "countTokens of all, threadfold": median(counted),
        "@langchain/core": median(peer),
      },
    });
  }
  return cases;
}

function timed(work) {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1000;
}
