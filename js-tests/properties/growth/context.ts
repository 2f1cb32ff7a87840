// Preparing the messages for a model: cuts and repaired lists, of conversations that are hard on them.
import { clearToolUses, patchToolCalls, repairToolCalls, safeCuts } from "threadfold/context";
import { type Message, ai, human, tool } from "../../unit/context/conversations.js";
import { times } from "./lists.js";
import type { Case } from "./measure.js";

const HARD: Record<string, (n: number) => Message[]> = {
  "a call and its result each": (n) => times(n, (at) => [ai(`c${at}`), tool(`c${at}`)]).flat(),
  "one message with n calls": (n) => [ai(...times(n, (at) => `c${at}`)), ...times(n, (at) => tool(`c${n - at}`))],
  "all results late, the first last": (n) => [
    ...times(n, (at) => ai(`c${at}`)),
    human(),
    ...times(n, (at) => tool(`c${n - 1 - at}`)),
  ],
  "all results late, the first first": (n) => [
    ...times(n, (at) => ai(`c${at}`)),
    human(),
    ...times(n, (at) => tool(`c${at}`)),
  ],
  "n calls of one id": (n) => times(n, () => [ai("c"), human()]).flat(),
  "n results of one call": (n) => [ai("c"), ...times(n, () => tool("c"))],
};

export const contexts: Case[] = [
  ...Object.entries(HARD).flatMap(([name, make]): Case[] => [
    {
      name: `repairToolCalls: ${name}`,
      // Lists four times as long outgrow the engine's young generation: it copies them in any case.
      most: 1600,
      prepare: (n) => {
        const messages = make(n) as never[];
        return () => repairToolCalls(messages, { waiting: "answer" });
      },
    },
    {
      name: `patchToolCalls: ${name}`,
      most: 1600,
      prepare: (n) => {
        const messages = make(n) as never[];
        return () => patchToolCalls(messages);
      },
    },
    {
      name: `safeCuts: ${name}, each message pushed, every cut asked for`,
      prepare: (n) => {
        const messages = make(n) as never[];
        return () => {
          const cuts = safeCuts([]);
          for (const message of messages) cuts.push(message);
          for (let target = 0; target <= messages.length; target++) cuts.cut(target);
        };
      },
    },
  ]),
  ...Object.entries(HARD).map(([name, make]): Case => ({
    name: `clearToolUses: ${name}, with their arguments`,
    prepare: (n) => {
      const messages = make(n);
      return () => clearToolUses(messages, { editedBefore: messages.length, clearToolInputs: true });
    },
  })),
  ...Object.entries(HARD).map(([name, make]): Case => ({
    name: `clearToolUses: ${name}, with their arguments, until so many tokens are cleared`,
    prepare: (n) => {
      const messages = make(n);
      const options = { trigger: 0, keep: 0, clearToolInputs: true, clearAtLeast: Infinity };
      return () => clearToolUses(messages, options);
    },
  })),
  {
    name: "safeCuts: a result that parts n messages replaced n times",
    prepare: (n) => {
      const cuts = safeCuts([ai("c"), ...times(n, () => human()), human()] as never[]);
      return () => {
        for (let token = 0; token < n; token++) {
          cuts.replaceLast(tool(token % 2 === 0 ? "c" : "d") as never);
          cuts.cut(n);
        }
      };
    },
  },
];
