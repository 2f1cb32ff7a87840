// Reducers over lists and objects, and MessageList.
import {
  addMessages,
  applyPatch,
  mergeFiles,
  mergeTools,
  MessageList,
  removeMessage,
  replaceTodos,
  toAgUi,
  toLangChain,
} from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import type { Case } from "./measure.js";

export const times = <T>(n: number, make: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => make(at));

export const message = (id: string, content: unknown = "x") => ({
  type: "ai" as const,
  id,
  content: content as string,
});
const messages = (n: number, name = "m") => times(n, (at) => message(`${name}${at}`));

/** Ids that are hard on an index. */
const ADVERSARIAL: Record<string, (at: number) => string> = {
  "like integers": (at) => String(at),
  "long, alike until the end": (at) => "x".repeat(200) + String(at).padStart(8, "0"),
  "of prototypes": (at) => ["__proto__", "constructor", "toString"][at] ?? `__proto__${at}`,
  "of one hash bucket": (at) => String.fromCharCode(0x4e00 + (at % 512)) + "\u0000".repeat(at >> 9),
};

const add =
  (left: object[], right: unknown[], rules: "langgraph" | "deepagents" = "langgraph") =>
  () =>
    addMessages(left as never[], right as never[], { rules });

export const lists: Case[] = [
  { name: "addMessages: n new to n", prepare: (n) => add(messages(n), messages(n, "o")) },
  {
    name: "addMessages: n without ids",
    prepare: (n) =>
      add(
        [],
        times(n, () => "hi"),
      ),
  },
  { name: "addMessages: n known", prepare: (n) => add(messages(n), messages(n)) },
  {
    name: "addMessages: n of one id",
    prepare: (n) =>
      add(
        messages(1),
        times(n, () => message("m0")),
      ),
  },
  { name: "addMessages: n twice", prepare: (n) => add(messages(n), [...messages(n), ...messages(n)]) },
  ...(["langgraph", "deepagents"] as const).flatMap((rules): Case[] => [
    {
      name: `addMessages: n removed, ${rules}`,
      prepare: (n) =>
        add(
          messages(n),
          times(n, (at) => removeMessage(`m${at}`)),
          rules,
        ),
    },
    {
      name: `addMessages: n removed from the end, ${rules}`,
      prepare: (n) =>
        add(
          messages(n),
          times(n, (at) => removeMessage(`m${n - 1 - at}`)),
          rules,
        ),
    },
    {
      name: `addMessages: n added and removed, ${rules}`,
      prepare: (n) => add(messages(n), times(n, (at) => [message(`o${at}`), removeMessage(`o${at}`)]).flat(), rules),
    },
  ]),
  {
    name: "addMessages: all removed, n follow",
    prepare: (n) => add(messages(n), [removeMessage("__remove_all__"), ...messages(n)]),
  },
  {
    name: "addMessages: n removed after remove-all",
    prepare: (n) =>
      add([], [removeMessage("__remove_all__"), ...messages(n), ...times(n, (at) => removeMessage(`m${at}`))]),
  },
  ...Object.entries(ADVERSARIAL).map(([kind, id]): Case => ({
    name: `addMessages: ids ${kind}`,
    most: 800,
    prepare: (n) =>
      add(
        times(n, (at) => message(id(at))),
        times(n, (at) => message(id(n - 1 - at))),
      ),
  })),
  {
    name: "MessageList: n updates of one message",
    prepare: (n) => () => {
      using list = new MessageList();
      for (let at = 0; at < n; at++) list.update(message(`m${at}`));
      return list.snapshot();
    },
  },
  { name: "MessageList: made of n", prepare: (n) => () => new MessageList(messages(n)).dispose() },
  {
    name: "MessageList: n tokens into n messages",
    prepare: (n) => {
      const list = new MessageList(messages(n));
      return () => {
        for (let at = 0; at < n; at++) list.append(`m${at}`, "x");
        list.snapshot();
        list.dispose();
      };
    },
  },
  {
    name: "MessageList: n removed in one update",
    prepare: (n) => {
      const list = new MessageList(messages(n));
      return () => list.update(times(n, (at) => removeMessage(`m${at}`)));
    },
  },
  {
    name: "MessageList: n looks without a change",
    prepare: (n) => {
      const list = new MessageList(messages(n));
      return () => {
        for (let at = 0; at < n; at++) list.snapshot();
      };
    },
  },
  {
    name: "mergeTools: n known, n new",
    prepare: (n) => () =>
      mergeTools(
        times(n, (at) => ({ name: `t${at}` })),
        times(2 * n, (at) => ({ name: `t${at}` })),
      ),
  },
  {
    name: "mergeTools: n of one name",
    prepare: (n) => () =>
      mergeTools(
        [],
        times(n, () => ({ name: "t" })),
        { prefer: "last" },
      ),
  },
  {
    name: "replaceTodos: n",
    prepare: (n) => () =>
      replaceTodos(
        [],
        times(n, (at) => ({ content: String(at), status: "pending" as const })),
      ),
  },
  {
    name: "mergeFiles: n deleted, n new",
    prepare: (n) => {
      const left = Object.fromEntries(times(n, (at) => [`/${at}`, { content: "" }]));
      const right = Object.fromEntries([
        ...times(n, (at) => [`/${at}`, null]),
        ...times(n, (at) => [`/new${at}`, { content: "" }]),
      ] as never);
      return () => mergeFiles(left as never, right as never);
    },
  },
  {
    name: "langGraphDefaultMergeState: n messages, n tools",
    prepare: (n) => () =>
      langGraphDefaultMergeState(
        { messages: messages(n), tools: times(n, (at) => ({ name: `t${at}` })) },
        messages(n, "o"),
        { tools: times(n, (at) => ({ name: `o${at}` })) } as never,
      ),
  },
  {
    name: "applyPatch: n values added",
    prepare: (n) => () =>
      applyPatch(
        {},
        times(n, (at) => ({ op: "add", path: `/k${at}`, value: at })),
      ),
  },
  {
    name: "applyPatch: n values of n replaced",
    prepare: (n) => {
      const document = Object.fromEntries(times(n, (at) => [`k${at}`, at]));
      return () =>
        applyPatch(
          document,
          times(n, (at) => ({ op: "replace", path: `/k${at}`, value: -1 })),
        );
    },
  },
  {
    name: "applyPatch: n values removed",
    prepare: (n) => {
      const document = Object.fromEntries(times(n, (at) => [`k${at}`, at]));
      return () =>
        applyPatch(
          document,
          times(n, (at) => ({ op: "remove", path: `/k${at}` })),
        );
    },
  },
  {
    name: "applyPatch: n items appended",
    prepare: (n) => () =>
      applyPatch(
        [] as unknown[],
        times(n, (at) => ({ op: "add", path: "/-", value: at })),
      ),
  },
  {
    name: "applyPatch: n copies of a copy",
    prepare: (n) => () =>
      applyPatch(
        { a: 1 },
        times(n, (at) => ({ op: "copy", from: "/a", path: `/k${at}` })),
      ),
  },
  {
    name: "applyPatch: a path of n names",
    prepare: (n) => {
      let document: unknown = 1;
      for (let at = 0; at < n; at++) document = { a: document };
      return () => applyPatch(document, [{ op: "replace", path: "/a".repeat(n), value: 2 }]);
    },
  },
  {
    name: "applyPatch: n values tested",
    prepare: (n) => () =>
      applyPatch(
        { a: 1 },
        times(n, () => ({ op: "test", path: "/a", value: 1 })),
      ),
  },
  {
    name: "toAgUi and toLangChain: n calls of a message",
    prepare: (n) => {
      const dict = {
        ...message("m"),
        tool_calls: times(n, (at) => ({ name: "t", args: { at }, id: `c${at}`, type: "tool_call" })),
      };
      return () => toLangChain(toAgUi(dict as never) as never);
    },
  },
];
