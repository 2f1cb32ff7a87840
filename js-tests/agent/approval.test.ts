import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

interface Given {
  readonly gates: Record<string, boolean | { allowed_decisions: never[]; description?: string }>;
  readonly replies: readonly Reply[];
  readonly turns: readonly object[][];
}

test("approval: what is asked, and what becomes of each decision", () =>
  replay("approval", async ({ in: given, out, error, log, asked }: Recorded<Given, object[]> & { asked?: unknown }) => {
    const own: string[] = [];
    const gates = Object.entries(given.gates).map(([name, gate]) => {
      if (typeof gate === "boolean") return [name, gate];
      const { allowed_decisions: allowedDecisions, description } = gate;
      return [name, { allowedDecisions, description }];
    });
    const agent = createAgent({
      model: scripted(given.replies),
      tools: ["echo", "ping", "safe"].map((name) =>
        tool({
          name,
          run: ({ x }: { x: string }) => {
            own.push(`${name}(${x})`);
            return `${name}:${x}`;
          },
        }),
      ),
      middleware: [humanInTheLoopMiddleware({ interruptOn: Object.fromEntries(gates), editNotice: "NOTE" })],
      checkpointer: new MemorySaver(),
    });
    const config = { threadId: "1", maxConcurrency: 1 };
    const questions: unknown[] = [];
    const run = async () => {
      let result: Record<string, unknown> = await agent.invoke({ messages: "go" }, config);
      for (const decisions of given.turns) {
        const waiting = result[INTERRUPT] as { value: unknown }[] | undefined;
        if (!waiting) break;
        questions.push(waiting[0]?.value);
        result = await agent.invoke(new Command({ resume: { decisions } }), config);
      }
      return (result["messages"] as object[]).map(shown);
    };
    if (error !== undefined) {
      const came = await run().then(
        () => "no error",
        (failed: Error) => failed.message,
      );
      // What Python shows as its repr is JSON.
      expect(plain(came)).toBe(plain(error));
    } else expect(await run()).toEqual(out?.map(jsonArgs));
    expect(questions).toEqual(asked);
    // A failed step's siblings are stopped sooner or later.
    if (error === undefined) expect(own).toEqual(log);
  }));

const plain = (text: string) => text.replace(/['"]/g, "").replace(/([:,]) /g, "$1");

/** Python writes a space behind a colon in JSON. */
const jsonArgs = (message: object) => {
  const { content } = message as { content: string };
  return { ...message, content: content.replaceAll('{"x": "EDIT"}', '{"x":"EDIT"}') };
};
