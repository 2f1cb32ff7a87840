// A message and an answer that a LangGraph server streamed but did not keep: it went down before the checkpoint was
// saved.
import { MemorySaver } from "@langchain/langgraph";
import { Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { withoutEmpty } from "../../support/without-empty";
import { LIBRARIES } from "./libraries";

/** Does not get round to saving the checkpoint of the user's message. */
class SlowSaver extends MemorySaver {
  isSlow = false;
  override put(...given: Parameters<MemorySaver["put"]>) {
    return this.isSlow ? new Promise<never>(() => {}) : super.put(...given);
  }
}

const open = (thread: Thread, handler: FetchHandler) =>
  new LangGraphRunner(thread, {
    apiUrl: "http://localhost",
    assistantId: "agent",
    fetch: async (url, init) => handler(new Request(url as string, init)),
  });

const reloaded = (thread: Thread) => Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
const texts = (thread: Thread) => thread.getState().messages.map(({ content }) => content);

describe.each(LIBRARIES)("$library", ({ halfGraph }) => {
  /** A page that was reloaded when its server went down in the given turn. */
  async function failed(turn: number) {
    const saver = new SlowSaver();
    const first = new Thread();
    const left = open(first, serveLangGraph(halfGraph(saver)));
    if (turn > 1) expect(await left.sendMessage("Hi")).toMatchObject({ status: "finished" });
    saver.isSlow = true;
    void left.sendMessage("Lost?");
    const isTold = () => texts(first).includes("Lost?") && first.pending.length === 0;
    await new Promise<void>((resolve) => first.subscribe(() => isTold() && resolve()));
    left.dispose();
    saver.isSlow = false;
    const handler = serveLangGraph(halfGraph(saver));
    const thread = reloaded(first);
    const runner = open(thread, handler);
    expect(await runner.load()).toMatchObject({ status: "error", error: { status: 404 } });
    const inStep = async () => {
      const fresh = new Thread({ threadId: thread.threadId });
      await open(fresh, handler).load();
      expect([thread.getState().messages.map(withoutEmpty), thread.pending]).toEqual([
        fresh.getState().messages.map(withoutEmpty),
        [],
      ]);
      return texts(fresh).filter((text) => !/half/.test(String(text)));
    };
    return { thread, runner, inStep, before: turn > 1 ? ["Hi"] : [] };
  }

  test.each([1, 2])("a retry of turn %d sends it again", async (turn) => {
    const { runner, inStep, before } = await failed(turn);
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(await inStep()).toEqual([...before, "Lost?"]);
  });

  test.each([1, 2])("the next message of turn %d takes it along, also when a retry was stopped", async (turn) => {
    const { runner, inStep, before } = await failed(turn);
    const retrying = runner.retry();
    await runner.stop();
    expect(await retrying).toMatchObject({ status: "stopped" });
    expect(await runner.sendMessage("And?")).toMatchObject({ status: "finished" });
    expect(await inStep()).toEqual([...before, "Lost?", "And?"]);
  });

  test.each([1, 2])("load() in turn %d keeps showing it, and a retry sends it again", async (turn) => {
    const { thread, runner, inStep, before } = await failed(turn);
    expect(await runner.load()).toMatchObject({ status: "error" });
    expect(texts(thread).at(turn > 1 ? -1 : 0)).toBe("Lost?");
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(await inStep()).toEqual([...before, "Lost?"]);
  });
});
