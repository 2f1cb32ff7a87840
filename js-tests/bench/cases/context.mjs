// Preparing the messages for a model: repairing lists, and finding where they may be cut.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { repairToolCalls, safeCuts } from "threadfold/context";

export function cases() {
  return [100, 1_000, 10_000].flatMap((n) => [repairCase(n), tokenCase(n)]);
}

/** A question, a call, its result and an answer, over and over. */
function conversation(n) {
  return Array.from({ length: n }, (_, at) => {
    const turn = at >> 2;
    if (at % 4 === 0) return { type: "human", id: `h${turn}`, content: "What is the weather?" };
    if (at % 4 === 2) return { type: "tool", id: `t${turn}`, content: "Sunny.", tool_call_id: `c${turn}` };
    const tool_calls = at % 4 === 1 ? [{ id: `c${turn}`, name: "weather", args: {} }] : [];
    return { type: "ai", id: `a${at}`, content: at % 4 === 1 ? "" : "It is sunny.", tool_calls };
  });
}

const CLASSES = { human: HumanMessage, ai: AIMessage, tool: ToolMessage };
const instances = (messages) => messages.map(({ type, ...fields }) => new CLASSES[type](fields));

/** A whole list, which each call of a model must check. */
function repairCase(n) {
  const messages = conversation(n);
  const made = instances(messages);
  return {
    name: "repairToolCalls, nothing to repair",
    n,
    contenders: {
      threadfold: () => repairToolCalls(messages).length,
      "threadfold, instances": () => repairToolCalls(made).length,
      handwritten: () => (isWhole(messages) ? messages.length : 0),
    },
  };
}

/** The last message grows by a token, and the cut that keeps 20 messages is asked for. */
function tokenCase(n) {
  const messages = [...conversation(n - 1), { type: "ai", id: "last", content: "" }];
  const cuts = safeCuts(messages);
  let own = messages.at(-1);
  return {
    name: "token and a safe cut",
    n,
    contenders: {
      threadfold: (times) => {
        let cut = 0;
        for (let token = 0; token < times; token++) {
          own = { ...own, content: "a" };
          cuts.replaceLast(own);
          cut = cuts.cut(n - 20);
        }
        return cut;
      },
      // Walks back from the cutoff to the first message that does not hold a tool result. Right only for lists like
      // this one.
      handwritten: (times) => {
        let cut = 0;
        for (let token = 0; token < times; token++) {
          own = { ...own, content: "a" };
          messages[n - 1] = own;
          cut = n - 20;
          while (messages[cut].type === "tool") cut--;
        }
        return cut;
      },
    },
    times: { threadfold: 100, handwritten: 100 },
  };
}

function isWhole(messages) {
  const open = new Set();
  for (const { type, tool_calls, tool_call_id } of messages) {
    if (type === "tool") {
      if (!open.delete(tool_call_id)) return false;
    } else {
      if (open.size > 0) return false;
      if (tool_calls) for (const { id } of tool_calls) open.add(id);
    }
  }
  return open.size === 0;
}
