// Jumps of middlewares to the tools: they run open calls only, each as a task of its own.
import { createAgent, createMiddleware, humanInTheLoopMiddleware, type Middleware, tool } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { scripted } from "./records.js";

const thread = { threadId: "1" };
const calls = [
  { id: "c1", name: "wipe", args: {} },
  { id: "c2", name: "list", args: {} },
];
type Question = { id: string; value: { name: string } };
const questionsOf = (result: object) => (result as Record<string, Question[]>)[INTERRUPT] ?? [];

/** Jumps to the tools, once. Hooks after the model run from the last middleware to the first. */
function jumper(hook: "afterModel" | "beforeModel"): Middleware {
  let jumped = false;
  const jump = ({ messages }: { messages: readonly object[] }) => {
    if (jumped || !messages.some((message) => "tool_calls" in message)) return undefined;
    jumped = true;
    return { jumpTo: "tools" as const };
  };
  return createMiddleware({ name: "Jumper", [hook]: { canJumpTo: ["tools"], hook: jump } });
}

function agentOf(middleware: readonly Middleware[]) {
  const ran: string[] = [];
  const agent = createAgent({
    model: scripted([{ content: "", tool_calls: calls }]),
    tools: calls.map(({ name }) => tool({ name, run: () => `${ran.push(name)}` })),
    middleware,
    checkpointer: new MemorySaver(),
  });
  return { agent, ran };
}

const idle = createMiddleware({ name: "Idle", afterModel: () => undefined });
const approval = humanInTheLoopMiddleware({ interruptOn: { wipe: true } });

test.each([
  ["the last hook", [jumper("afterModel"), approval]],
  ["a hook before the last", [idle, jumper("afterModel"), approval]],
  ["the next turn", [jumper("beforeModel"), approval]],
])("a jump of %s to the tools runs no rejected call", async (_, middleware) => {
  const { agent, ran } = agentOf(middleware);
  await agent.invoke({ messages: "Go." }, thread);
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [{ type: "reject" }] } }), thread);
  expect(ran).toEqual(["list"]);
  expect(messages.filter(({ type }) => type === "tool")).toHaveLength(2);
});

test("after a jump to the tools an approval runs the call that it was given for", async () => {
  // As the run begins, the first call takes longer to ask than the second.
  let ask: (asks: boolean) => void = () => {};
  const slow = new Promise<boolean>((resolve) => (ask = resolve));
  const whens = { wipe: () => slow, list: () => true };
  const gate = (name: "wipe" | "list") => ({ allowedDecisions: ["approve", "reject"] as const, when: whens[name] });
  const interruptOn = { wipe: gate("wipe"), list: gate("list") };
  const perCall = humanInTheLoopMiddleware({ interruptMode: "per_call", interruptOn });
  const { agent, ran } = agentOf([jumper("afterModel"), perCall]);
  const running = agent.invoke({ messages: "Go." }, thread);
  setImmediate(() => ask(true));
  const questions = questionsOf(await running);
  expect(questions.map(({ value }) => value.name)).toEqual(["wipe", "list"]);
  const resume = { [questions[1]?.id as string]: { type: "approve" } };
  const left = questionsOf(await agent.invoke(new Command({ resume }), thread));
  expect(ran).toEqual(["list"]);
  expect(left.map(({ value }) => value.name)).toEqual(["wipe"]);
});
