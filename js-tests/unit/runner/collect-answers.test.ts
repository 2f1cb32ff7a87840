// Several questions, answered one by one: a button for each.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer } from "./stub-server.js";
import { agUiWire, langGraphWire } from "./stub-wires.js";

const PROTOCOLS = {
  "AG-UI": () => {
    const server = new StubServer(agUiWire);
    const thread = new Thread<AgUiState>();
    return { server, thread, runner: new AgUiRunner(thread, { url: "http://stub/agent", fetch: server.fetch }) };
  },
  LangGraph: () => {
    const server = new StubServer(langGraphWire);
    const thread = new Thread();
    const options = { apiUrl: "http://stub", assistantId: "agent", fetch: server.fetch };
    return { server, thread, runner: new LangGraphRunner(thread, options) };
  },
};

test.each(Object.entries(PROTOCOLS))("%s: answers are kept until all is answered", async (_, open) => {
  const { server, thread, runner } = open();
  const heard: number[] = [];
  runner.subscribe(() => heard.push(runner.interrupts.length));
  await runner.sendMessage("Ask me twice");
  const [one, two, three] = runner.interrupts;
  expect(await runner.resume({ id: two?.id, value: "b" })).toMatchObject({
    status: "interrupted",
    interrupts: [one, three],
  });
  expect([runner.status, runner.interrupts, server.requests.length]).toEqual(["interrupted", [one, three], 1]);
  expect([runner.interrupts, heard.at(-1)]).toEqual([runner.interrupts, 2]);
  expect(runner.interrupts).toBe(runner.interrupts);
  await expect(runner.resume({ value: "?" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await runner.resume([{ id: one?.id, value: "a" }]);
  // Once more, with another answer.
  expect(await runner.resume({ id: two?.id, value: "B" })).toMatchObject({
    status: "interrupted",
    interrupts: [three],
  });
  server.faults = { refuse: 503 };
  expect((await runner.resume({ value: "c" })).status).toBe("error");
  expect(runner.interrupts).toHaveLength(3);
  // The interrupts are open again: one is answered again, and the retry sends the new answers.
  expect(await runner.resume({ id: one?.id, value: "A" })).toMatchObject({ status: "interrupted" });
  expect([runner.status, runner.interrupts.length]).toEqual(["interrupted", 2]);
  const rest = runner.interrupts.map(({ id }, at) => ({ id, value: at }));
  expect(await runner.resume(rest)).toMatchObject({ status: "finished" });
  expect(thread.getState().messages.at(-1)?.content).toMatch(/"A".*0.*1/);
  expect([runner.interrupts, server.requests.length]).toEqual([[], 2]);
});

test.each(Object.entries(PROTOCOLS))(
  "%s: a stop drops the answers, and the next questions are all open",
  async (_, open) => {
    const { runner } = open();
    await runner.sendMessage("Ask twice");
    await runner.resume({ id: runner.interrupts[0]?.id, value: 1 });
    await runner.stop();
    expect([runner.status, runner.interrupts]).toEqual(["ready", []]);
    expect(await runner.resume({ value: 1 })).toMatchObject({ error: { code: "INVALID_STATE" } });
    expect(await runner.sendMessage("Ask again")).toMatchObject({ status: "interrupted", interrupts: [{}, {}] });
  },
);
