// What a decision over a long list costs beside the middleware that makes it in langchain: both get the same instances, a
// new one at the end each time, and find that nothing is due. langchain is in a folder of its own, as for agent.mjs.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Context } from "threadfold/context";
import { median } from "../harness.mjs";

const SIZES = [100, 1_000, 10_000];
const LIMIT = 1e9;
const now = () => performance.now() * 1000;

/** langchain's middleware and messages; undefined if it is not installed. */
async function installed() {
  const require = createRequire(new URL("../../../langchain/package.json", import.meta.url));
  const from = (name) => import(pathToFileURL(require.resolve(name)).href);
  try {
    const { summarizationMiddleware } = await from("langchain");
    return { summarizationMiddleware, ...(await from("@langchain/core/messages")) };
  } catch {
    return undefined;
  }
}

/** The rows, in µs a decision; undefined without langchain. */
export async function middlewareCosts(quick) {
  const found = await installed();
  if (!found) return undefined;
  const { summarizationMiddleware, AIMessage, HumanMessage } = found;
  // It is asked for nothing here, as nothing is due.
  const model = { _llmType: () => "none", invoke: () => Promise.reject(new Error("asked")) };
  const results = [];
  for (const n of SIZES) {
    const text = (at) => `${at}: ${"The answer to that depends on what you ask. ".repeat(3)}`;
    const messages = Array.from(
      { length: n - 1 },
      (_, at) => new (at % 2 ? AIMessage : HumanMessage)({ id: `m${at}`, content: text(at) }),
    );
    let turn = 0;
    const next = () => [...messages, new HumanMessage({ id: `turn${turn++}`, content: text(turn) })];
    const context = new Context({ trigger: { tokens: LIMIT }, keep: { messages: 20 } });
    const { beforeModel } = summarizationMiddleware({ model, trigger: { tokens: LIMIT }, keep: { messages: 20 } });
    const contenders = {
      threadfold: async () => context.of(next()).due !== null,
      langchain: async () => (await beforeModel({ messages: next() }, { context: {} })) !== undefined,
    };
    const samples = { threadfold: [], langchain: [] };
    for (let round = 0; round < (quick ? 2 : 9); round++) {
      for (const [contender, isDue] of Object.entries(contenders)) {
        // The first round is not counted: it compiles.
        const [all, until] = [[], now() + (quick ? 50_000 : 300_000)];
        do {
          const began = now();
          if (await isDue()) throw new Error(`${contender} finds something due.`);
          all.push(now() - began);
        } while (now() < until);
        if (round > 0) samples[contender].push(median(all));
      }
    }
    const us = Object.fromEntries(Object.entries(samples).map(([contender, all]) => [contender, median(all)]));
    results.push({ name: "context, due beside langchain's summarizationMiddleware", n, us });
  }
  return results;
}
