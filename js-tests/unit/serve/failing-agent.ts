import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";

/**
 * An agent whose tool needs an approval, and fails at its first try.
 *
 * @param first - Is awaited in the first try, before it fails.
 */
export function failingAgent(first: () => unknown = () => {}) {
  let tries = 0;
  const send = async () => {
    if (tries++ > 0) return "Sent.";
    await first();
    throw new Error("The post is closed.");
  };
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: [{ id: "c1", name: "send", args: {} }] },
    tools: [tool({ name: "send", run: send })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  return { agent, tries: () => tries };
}
