import { checkTodoCalls, replaceTodos } from "threadfold";
import { expect, test } from "vitest";
import { refusal, replay, type Recorded } from "./records.js";

type Given = { kind: "args"; args: { todos?: unknown } } | { kind: "parallel"; messages: never[] };
type Case = Recorded<Given, { content: string }[] | null> & {
  /** All that pydantic had to say. */
  errors?: string[];
};

test("replaceTodos and checkTodoCalls answer as LangChain's TodoListMiddleware does", () => {
  replay("todos", ({ in: given, out, errors }: Case) => {
    if (given.kind === "args") {
      const call = () => replaceTodos([], given.args.todos as never);
      if (errors === undefined) {
        expect(call()).toEqual(out);
      } else {
        const { code, message } = refusal(call);
        // Null counts as missing.
        const wanted = given.args.todos === null ? "todos: Field required" : errors.join("\n");
        expect({ code, message }).toEqual({ code: "INVALID_TODOS", message: wanted });
      }
    } else if (out) {
      const { code, message } = refusal(() => checkTodoCalls(given.messages));
      expect({ code, message }).toEqual({ code: "PARALLEL_TODOS", message: out[0]?.content });
    } else {
      expect(checkTodoCalls(given.messages)).toBeUndefined();
    }
  });
});
