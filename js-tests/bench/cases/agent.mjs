// The cost of an agent's turn beyond its model and its tool: createAgent compared with langchain's. Both share one
// model and one tool of @langchain/core. A loop that only calls these two gives the baseline to subtract.
import { createAgent, createMiddleware } from "threadfold/agent";
import { langchain, takingTurns } from "../langchain.mjs";

const now = () => performance.now() * 1000;
const TURNS = 60;

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

/** The rows, in µs a turn, minus the model and the tool; null without langchain. `wanted` picks rows by name. */
export async function costs(quick, wanted) {
  const chosen = ["", " with three middlewares"].filter((more) => wanted(`agent, own share of a turn${more}`));
  if (chosen.length === 0) return [];
  const theirs = await langchain(
    "@langchain/core/messages",
    "@langchain/core/language_models/chat_models",
    "@langchain/core/tools",
    "langchain",
  );
  if (!theirs) return null;
  const made = parts(theirs);
  const input = new theirs.HumanMessage({ id: "q", content: "Go on." });
  const middleware = (more, make) => (more ? hooks(make) : []);
  const results = [];
  for (const more of chosen) {
    const contenders = {
      threadfold: () => turns(createAgent, made, middleware(more, createMiddleware), input),
      langchain: () => turns(theirs.createAgent, made, middleware(more, theirs.createMiddleware), input),
      handwritten: () => byHand(made, input),
    };
    const us = await takingTurns(contenders, { quick, milliseconds: 500 });
    const { handwritten, ...whole } = us;
    const share = Object.fromEntries(Object.entries(whole).map(([who, took]) => [who, took - handwritten]));
    results.push({ name: `agent, own share of a turn${more}`, n: 1, us: share });
    results.push({ name: `agent, a turn${more}`, n: 1, us });
  }
  return results;
}
