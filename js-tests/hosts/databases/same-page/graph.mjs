// The agent of each store: the model is the test, which says an answer word by word. It asks before it books.
import { defineSchema, field, textOf } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";

/** The graph as the instance of this name has it. */
export function graphOf(model, instance, checkpointer) {
  async function answer({ messages }, ctx) {
    const asked = textOf(messages.findLast(({ type }) => type === "human"));
    if (asked.startsWith("Book")) ctx.interrupt({ message: "Book the table for two?" });
    const id = crypto.randomUUID();
    let text = "";
    for (let at = 0; ; at++) {
      const query = new URLSearchParams({ asked, at: String(at), instance });
      const word = await fetch(`${model}/?${query}`, { signal: ctx.signal });
      if (word.status !== 200) return { messages: { type: "ai", id, content: text } };
      const content = await word.text();
      text += content;
      ctx.message({ type: "AIMessageChunk", id, content });
    }
  }
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", answer)
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });
}
