// Replaces a model that costs money: asks for the weather of the city in the question, then repeats the result.
import { textOf } from "threadfold";
import type { FunctionModel } from "threadfold/agent";

export const model: FunctionModel = (messages, { onToken }) => {
  const last = messages.at(-1) as object & { type: string };
  const [city] = /[A-Z]\w+(?=\?)/.exec(textOf(last)) ?? [];
  if (last.type === "human" && city)
    return { content: "", tool_calls: [{ id: crypto.randomUUID(), name: "get_weather", args: { city } }] };
  const questions = messages.filter(({ type }) => type === "human").length;
  const answer = last.type === "tool" ? `It is ${textOf(last)}.` : `You have asked me ${questions} things.`;
  for (const word of answer.split(/(?<= )/)) onToken(word);
  return answer;
};
