// Times a token in @ag-ui/client's own pipeline. An agent in the middle of a run reads its server's stream, checks it,
// folds it and notifies one subscriber.
import { HttpAgent } from "@ag-ui/client";
import { FoldHttpAgent } from "threadfold/ag-ui/client";
import { RUN_STARTED } from "../ag-ui-feeds.mjs";
import { agUiMessages } from "../data.mjs";
import { begun } from "../harness.mjs";
import { Server } from "../server.mjs";

const ANSWER = "the answer";

export function cases() {
  return [100, 1_000, 10_000].map((n) => {
    const messages = agUiMessages(0, n);
    return {
      name: "AG-UI agent, a token",
      n,
      contenders: {
        threadfold: running(FoldHttpAgent, messages),
        "@ag-ui/client": running(HttpAgent, messages),
      },
      times: { threadfold: 100, "@ag-ui/client": n < 1_000 ? 20 : 2 },
    };
  });
}

function running(Agent, messages) {
  return begun(async () => {
    const server = new Server();
    const agent = new Agent({ url: "http://bench", threadId: "t", initialMessages: messages, fetch: server.fetch });
    let seen;
    let [missing, done] = [0, () => {}];
    const subscriber = {
      onMessagesChanged({ messages }) {
        seen = messages;
        if (--missing === 0) done();
      },
    };
    const say = (times, event) =>
      new Promise((resolve) => {
        [missing, done] = [times, resolve];
        for (let at = 0; at < times; at++) server.say(event);
      });
    agent.runAgent({ runId: "r" }, subscriber).catch((error) => {
      console.error(error);
      process.exit(1);
    });
    await server.asked;
    server.say(RUN_STARTED);
    await say(1, { type: "TEXT_MESSAGE_START", messageId: ANSWER, role: "assistant" });
    return async (times) => {
      await say(times, { type: "TEXT_MESSAGE_CONTENT", messageId: ANSWER, delta: " token" });
      return seen;
    };
  });
}
