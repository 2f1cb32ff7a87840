// HttpAgent, whose messages are the state of a component.
import { HttpAgent } from "@ag-ui/client";
import { useEffect, useState } from "react";
import { agUiMessages } from "../../data.mjs";
import { ANSWER } from "../../langgraph-parts.mjs";
import { Server } from "../../server.mjs";
import { listOf } from "../lists.mjs";

export async function open(n) {
  const server = new Server();
  const agent = new HttpAgent({
    url: "http://bench",
    threadId: "t",
    initialMessages: agUiMessages(0, n),
    fetch: server.fetch,
  });
  const List = listOf(() => {
    const [messages, setMessages] = useState(agent.messages);
    useEffect(() => {
      const { unsubscribe } = agent.subscribe({ onMessagesChanged: ({ messages }) => setMessages([...messages]) });
      return unsubscribe;
    }, []);
    return messages;
  });
  let isAsked = false;
  const say = async () => {
    if (!isAsked) {
      isAsked = true;
      void agent.runAgent({ runId: "r" });
      await server.asked;
      server.say({ type: "RUN_STARTED", threadId: "t", runId: "r" });
      server.say({ type: "TEXT_MESSAGE_START", messageId: ANSWER, role: "assistant" });
    }
    server.say({ type: "TEXT_MESSAGE_CONTENT", messageId: ANSWER, delta: " token" });
  };
  return { List, say };
}
