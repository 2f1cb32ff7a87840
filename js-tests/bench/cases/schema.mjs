import { defineSchema, field } from "threadfold";
import { dicts } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";

export function cases() {
  const schema = defineSchema({
    messages: field.messages(),
    todos: field.todos(),
    files: field.files(),
    title: field.replace(),
  });
  return [100, 1_000, 10_000].map((n) => {
    const state = { ...schema.initial(), messages: dicts(0, n), title: "A thread" };
    const update = { messages: dicts(n, n + 1) };
    return {
      name: "schema.merge, 1 message appended",
      n,
      contenders: {
        threadfold: () => schema.merge(state, update),
        handwritten: () => ({ ...state, messages: handwritten.addMessages(state.messages, update.messages) }),
      },
    };
  });
}
