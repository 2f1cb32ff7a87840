// What a turn of an agent costs beside what its model and its tool take: createAgent, and langchain's. Model and tool are
// the same objects of @langchain/core, and a loop by hand that only calls them says what to take off. langchain is in a
// folder of its own, ../../../langchain: `npm ci` there.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createAgent, createMiddleware } from "threadfold/agent";
import { median } from "../harness.mjs";

const now = () => performance.now() * 1000;
const TURNS = 60;

/** langchain, and the @langchain/core that it works with; undefined if it is not installed. */
async function installed() {
  const require = createRequire(new URL("../../../langchain/package.json", import.meta.url));
  const from = (name) => import(pathToFileURL(require.resolve(name)).href);
  try {
    return {
      langchain: await from("langchain"),
      ...(await from("@langchain/core/messages")),
      ...(await from("@langchain/core/language_models/chat_models")),
      ...(await from("@langchain/core/tools")),
    };
  } catch {
    return undefined;
  }
}

/** A model that calls a tool in each of so many turns, and the tool. */
function parts({ AIMessage, BaseChatModel, tool }) {
  class Scripted extends BaseChatModel {
    turn = 0;
    _llmType() {
      return "scripted";
    }
    bindTools() {
      return this;
    }
    async _generate() {
      const at = this.turn++;
      const tool_calls = at < TURNS ? [{ id: `c${at}`, name: "echo", args: { text: "hello" }, type: "tool_call" }] : [];
      return { generations: [{ text: "", message: new AIMessage({ content: "", tool_calls }) }] };
    }
  }
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const echo = tool(async ({ text }) => text, { name: "echo", description: "Says it again.", schema });
  return { model: () => new Scripted({}), echo };
}

const nothing = () => undefined;
const hooks = (make) =>
  ["one", "two", "three"].map((name) => make({ name, beforeModel: nothing, afterModel: nothing }));

/** µs a turn of an agent. */
async function turns(create, { model, echo }, middleware, input) {
  const agent = create({ model: model(), tools: [echo], middleware });
  const began = now();
  const { messages } = await agent.invoke({ messages: [input] }, { recursionLimit: 100_000 });
  const took = now() - began;
  if (messages.length !== 2 * TURNS + 2) throw new Error(`The agent made ${messages.length} messages.`);
  return took / TURNS;
}

/** µs a turn of a loop that only calls them. */
async function byHand({ model, echo }, input) {
  const ready = model();
  const messages = [input];
  const began = now();
  for (;;) {
    const answer = await ready.invoke(messages);
    messages.push(answer);
    if (answer.tool_calls.length === 0) return (now() - began) / TURNS;
    for (const call of answer.tool_calls) messages.push(await echo.invoke(call));
  }
}

/** The rows, in µs a turn, what the model and the tool take off; undefined without langchain. */
export async function agentCosts(quick) {
  const found = await installed();
  if (!found) return undefined;
  const made = parts(found);
  const input = new found.HumanMessage({ id: "q", content: "Go on." });
  const rows = [
    ["agent, own share of a turn", [[], []]],
    [
      "agent, own share of a turn with three middlewares",
      [hooks(createMiddleware), hooks(found.langchain.createMiddleware)],
    ],
  ];
  const results = [];
  for (const [name, [ours, theirs]] of rows) {
    const contenders = {
      threadfold: () => turns(createAgent, made, ours, input),
      langchain: () => turns(found.langchain.createAgent, made, theirs, input),
      handwritten: () => byHand(made, input),
    };
    const samples = { threadfold: [], langchain: [], handwritten: [] };
    for (let round = 0; round < (quick ? 2 : 9); round++) {
      for (const [contender, measure] of Object.entries(contenders)) {
        // Each as long, so that each is compiled as well: the first round is not counted.
        const [all, until] = [[], now() + (quick ? 50_000 : 500_000)];
        do all.push(await measure());
        while (now() < until);
        if (round > 0) samples[contender].push(median(all));
      }
    }
    const us = Object.fromEntries(Object.entries(samples).map(([contender, all]) => [contender, median(all)]));
    const { handwritten, ...whole } = us;
    const own = Object.fromEntries(Object.entries(whole).map(([who, took]) => [who, took - handwritten]));
    results.push({ name, n: 1, us: own }, { name: name.replace("own share of a turn", "a turn"), n: 1, us });
  }
  return results;
}
