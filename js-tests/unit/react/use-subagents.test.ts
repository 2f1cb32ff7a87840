// @vitest-environment jsdom
// useSubagents: which components render.
import { act, createElement as h, type ReactNode } from "react";
import { textOf, Thread, type Subagent } from "threadfold";
import { foldLangGraph, type LangGraphPart } from "threadfold/langgraph";
import { useMessage, useSubagents } from "threadfold/react";
import { expect, test } from "vitest";
import { expectNoComplaints, mount } from "./mount";

expectNoComplaints();

const CALLS = ["c1", "c2"].map((id) => ({ id, name: "task", args: {}, type: "tool_call" }));
const ASKING: LangGraphPart[] = [
  { id: "1", event: "metadata", data: { run_id: "r1" } },
  { id: "2", event: "messages", data: [{ type: "ai", id: "a", content: "", tool_calls: CALLS }, {}] },
];
const token = (id: string, ns: string, content: string): LangGraphPart => ({
  id,
  event: `messages|tools:${ns}`,
  data: [{ type: "AIMessageChunk", id: `m-${ns}`, content }, {}],
});

test("a sub-agent renders its call, and its token its message", async () => {
  const thread = new Thread();
  const renders: string[] = [];
  function Call({ id }: { id: string }): ReactNode {
    const all = useSubagents(thread, id);
    renders.push(id);
    return all.map((one) => h(Task, { key: one.id, one }));
  }
  function Task({ one: { id, thread: own } }: { one: Subagent }): ReactNode {
    const message = useMessage(own, id.replace("tools:", "m-"));
    renders.push(id);
    return `${textOf(message ?? {})};`;
  }
  const { host } = await mount([h(Call, { key: 1, id: "c1" }), h(Call, { key: 2, id: "c2" })]);
  const fold = (parts: LangGraphPart[]) =>
    act(
      async () =>
        void (await foldLangGraph(
          thread,
          (async function* () {
            yield* parts;
            throw new TypeError("cut");
          })(),
          { join: thread.run.id !== undefined },
        ).catch(() => {})),
    );
  await fold([...ASKING, token("3", "x", "I ")]);
  expect(host.textContent).toBe("I ;");
  await fold([token("4", "y", "We ")]);
  expect(host.textContent).toBe("I ;We ;");
  renders.length = 0;
  await fold([token("5", "x", "wrote.")]);
  expect(host.textContent).toBe("I wrote.;We ;");
  expect(renders).toEqual(["tools:x"]);
});
