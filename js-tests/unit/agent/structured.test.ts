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
      // The rest of the sentence names the option, which has another spelling here.
      await expect(run).rejects.toThrow(error.split(" You can increase")[0]);
      return;
    }
    const result = await run;
    expect(result.messages.map(shown)).toEqual(out?.messages);
    expect(result.structuredResponse ?? null).toEqual(out?.structured);
  }));

test("a wrong answer and one too many are reported under LangChain's names", async () => {
  const call = (id: string, n: unknown) => ({ id, name: "Answer", args: { n } });
  const replies = [
    { content: "", tool_calls: [call("c1", "x")] },
    { content: "", tool_calls: [call("c2", 1), call("c3", 2)] },
  ];
  const schema = { title: "Answer", type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const names: string[] = [];
  const handleErrors = (error: Error & { readonly aiMessage: unknown }) => {
    names.push(error.name);
    return "Again.";
  };
  await createAgent({
    model: scripted([...replies, { content: "", tool_calls: [call("c4", 3)] }] as never),
    responseFormat: toolStrategy(schema, { handleErrors }),
  }).invoke({ messages: "Hi" });
  expect(names).toEqual(["StructuredOutputValidationError", "MultipleStructuredOutputsError"]);
  const failing = createAgent({
    model: scripted(replies as never),
    responseFormat: toolStrategy(schema, { handleErrors: false }),
  }).invoke({ messages: "Hi" });
  await expect(failing).rejects.toThrow(Error);
  await expect(failing).rejects.toMatchObject({ name: "StructuredOutputValidationError" });
});
