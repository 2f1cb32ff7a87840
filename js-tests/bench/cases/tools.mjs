import { mergeTools } from "threadfold";
import { tools } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";

export function cases() {
  return [
    benchCase("mergeTools, 50 new", tools(0, 50), tools(50, 100)),
    benchCase("mergeTools, 25 of 50 new", tools(0, 50), tools(25, 75)),
  ];
}

function benchCase(name, left, right) {
  return {
    name,
    n: left.length,
    contenders: {
      threadfold: () => mergeTools(left, right),
      handwritten: () => handwritten.mergeTools(left, right),
    },
  };
}
