// Stateless: the whole list in, the whole list out.
import { messagesStateReducer } from "@langchain/langgraph/web";
import { addMessages } from "threadfold";
import { dicts, essence } from "../data.mjs";
import { instances } from "../instances.mjs";
import * as handwritten from "../handwritten.mjs";

export function cases() {
  return [
    ...[100, 1_000, 10_000].flatMap((n) => [
      benchCase("addMessages, 1 appended", n, dicts(n, n + 1)),
      benchCase("addMessages, 1 replaced", n, dicts(n / 2, n / 2 + 1)),
    ]),
    benchCase("addMessages, as many appended", 1_000, dicts(1_000, 2_000)),
    benchCase("addMessages, all replaced", 1_000, dicts(0, 1_000)),
  ];
}

/** langgraph.js works on instances and would make them of dicts, so it gets instances. */
function benchCase(name, n, right) {
  const left = dicts(0, n);
  const [leftInstances, rightInstances] = [instances(left), instances(right)];
  return {
    name,
    n,
    contenders: {
      threadfold: () => addMessages(left, right),
      "threadfold, instances": () => addMessages(leftInstances, rightInstances),
      handwritten: () => handwritten.addMessages(left, right),
      "langgraph.js": () => messagesStateReducer(leftInstances, rightInstances),
    },
    comparable: essence,
  };
}
