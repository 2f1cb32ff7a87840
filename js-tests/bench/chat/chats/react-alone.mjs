// The limit for a page in React: one component, in the same blocks, is notified of a message that other code made.
import { createElement as h, useSyncExternalStore } from "react";
import { dicts } from "../../data.mjs";
import { ANSWER } from "../../langgraph-parts.mjs";
import { blocksOf, Message } from "../lists.mjs";

export async function open(n) {
  const messages = new Map([...dicts(0, n), { id: ANSWER, type: "ai", content: "" }].map((one) => [one.id, one]));
  const ids = [...messages.keys()];
  let tell = () => {};
  const subscribe = (listener) => {
    tell = listener;
    return () => {};
  };
  const Answer = () => h(Message, { message: useSyncExternalStore(subscribe, () => messages.get(ANSWER)) });
  const Blocks = blocksOf(({ id }) => (id === ANSWER ? h(Answer) : h(Message, { message: messages.get(id) })));
  return {
    List: () => h(Blocks, { ids, size: 500 }),
    say() {
      const answer = messages.get(ANSWER);
      messages.set(ANSWER, { ...answer, content: `${answer.content} token` });
      tell();
    },
  };
}
