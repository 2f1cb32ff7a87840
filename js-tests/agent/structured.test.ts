import { createAgent, tool, toolStrategy } from "threadfold/agent";
import { expect, test } from "vitest";
import { arrows, type Recorded, replay, type Reply, scripted, shown, sorted } from "./records.js";

type Given = { readonly replies: readonly Reply[]; readonly tools: boolean; readonly handle: boolean };
type Came = { readonly messages: object[]; readonly structured: unknown };

const SCHEMA = {
  title: "Answer",
  description: "The answer.",
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
};

test("an answer that has a schema: one, several, none", () =>
  replay("structured", async ({ in: given, out, error, edges }: Recorded<Given, Came>) => {
    const agent = createAgent({
      model: scripted(given.replies),
      tools: given.tools ? [tool({ name: "echo", run: ({ x }: { x: string }) => x })] : [],
      responseFormat: toolStrategy(SCHEMA, { handleErrors: given.handle }),
    });
    expect(arrows(agent.drawMermaid())).toEqual(sorted(edges));
    const run = agent.invoke({ messages: "go" }, { recursionLimit: 30, maxConcurrency: 1 });
    if (error !== undefined) {
      // The rest of the sentence names the option, which is written otherwise.
      await expect(run).rejects.toThrow(error.split(" You can increase")[0]);
      return;
    }
    const result = await run;
    expect(result.messages.map(shown)).toEqual(out?.messages);
    expect(result.structuredResponse ?? null).toEqual(out?.structured);
  }));
