// Thread: by messages, pending updates, fields, parts of a run, listeners.
import { Thread, type ThreadEvent } from "threadfold";
import { message, times } from "./lists.js";
import type { Case } from "./measure.js";

type Any = Thread<never, never> & {
  optimistic: (update: object) => ReturnType<Thread["optimistic"]>;
  update: (update: object) => void;
  getState: () => { messages: { id: string; content: string }[] };
};

const thread = (values: object = {}): Any => new Thread({ values } as never) as unknown as Any;
const tell = (to: Any, ...events: object[]) => events.forEach((event) => to.receive(event as ThreadEvent));

const messages = (n: number, name = "m") => times(n, (at) => message(`${name}${at}`));
const users = (n: number, name = "u") => times(n, (at) => ({ type: "human", id: `${name}${at}`, content: String(at) }));
const fields = (n: number, value: (at: number) => unknown = (at) => at) =>
  Object.fromEntries(times(n, (at) => [`f${at}`, value(at)]));

/** Measures on a thread that is made for it. */
const on = (
  name: string,
  make: (n: number) => Any,
  run: (thread: Any, n: number) => unknown,
  from?: number,
  most?: number,
): Case => ({
  name: `Thread: ${name}`,
  prepare: (n) => {
    const subject = make(n);
    return () => {
      const answer = run(subject, n);
      subject.dispose();
      return answer;
    };
  },
  ...(from === undefined ? {} : { from }),
  ...(most === undefined ? {} : { most }),
});

const pending = (n: number): Any => {
  const made = thread();
  for (const user of users(n)) made.optimistic({ messages: [user] });
  return made;
};

const SUMMARIZED = { lc_source: "summarization" };

export const threads: Case[] = [
  on(
    "a full history, n compactions of ten messages, and a look after each",
    () => new Thread({ history: "full" }) as unknown as Any,
    (it, n) =>
      times(n, (at) => {
        tell(it, { type: "values", values: { messages: messages(10, `c${at}m`) } });
        const summary = { ...message(`s${at}`), type: "human", additional_kwargs: SUMMARIZED };
        tell(it, { type: "values", values: { messages: [summary, ...messages(1, `c${at}m9`)] } });
        return it.getConfirmedMessage("none");
      }),
    50,
  ),
  on(
    "n tokens into a history of n compacted messages",
    (n) => {
      const it = new Thread({ history: "full" }) as unknown as Any;
      tell(it, { type: "values", values: { messages: messages(n) } });
      const summary = { ...message("s"), type: "human", additional_kwargs: SUMMARIZED };
      tell(it, { type: "values", values: { messages: [summary, message("a")] } });
      return it;
    },
    (it, n) => {
      for (let at = 0; at < n; at++) tell(it, { type: "text", messageId: "a", text: "x" });
      return (it as unknown as Thread).history;
    },
  ),
  on(
    "made of n messages",
    () => thread(),
    (_, n) => thread({ messages: messages(n) }).getState(),
  ),
  on(
    "made of n fields",
    () => thread(),
    (_, n) => thread(fields(n)).getState(),
  ),
  on(
    "update of n messages, and the values after",
    () => thread(),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      it.update({ messages: messages(n) });
      tell(it, { type: "values", values: { messages: messages(n) } });
      return it.getState();
    },
    50,
  ),
  on(
    "update event of n messages of n",
    (n) => thread({ messages: messages(n) }),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" }, { type: "update", update: { messages: messages(n) } });
      return it.getState();
    },
    50,
  ),
  on(
    "n update events",
    () => thread(),
    (it, n) => {
      tell(
        it,
        { type: "run-started", runId: "r" },
        ...times(n, (at) => ({ type: "update", update: { messages: [message(`m${at}`)] } })),
      );
      return it.getState();
    },
    50,
  ),
  on(
    "update of n fields",
    () => thread(),
    (it, n) => {
      it.update(fields(n));
      return it.getState();
    },
    50,
  ),
  on(
    "optimistic of n messages over n",
    (n) => thread({ messages: messages(n) }),
    (it, n) => {
      it.optimistic({ messages: users(n) });
      return it.getState();
    },
    50,
  ),
  on(
    "optimistic of n fields",
    () => thread(),
    (it, n) => {
      it.optimistic(fields(n));
      return it.getState();
    },
    50,
  ),
  on(
    "n optimistic updates",
    () => thread(),
    (it, n) => {
      for (const user of users(n)) it.optimistic({ messages: [user] });
      return it.getState();
    },
    50,
  ),
  on(
    "n optimistic updates in a run, and its values",
    () => thread(),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      for (const user of users(n)) it.optimistic({ messages: [user] });
      tell(it, { type: "values", values: { messages: users(n) } }, { type: "run-finished" });
      return it.getState();
    },
    50,
  ),
  on(
    "op.status of n",
    () => thread(),
    (it, n) => {
      const ops = it.optimistic({ messages: users(1) });
      for (const user of users(n)) it.optimistic({ messages: [user] });
      const read = times(n, () => ops.status);
      return read;
    },
    50,
  ),
  on(
    "pending, n looks",
    (n) => pending(Math.min(n, 100)),
    (it, n) => times(n, () => it.pending),
    50,
  ),
  on("pending of n", pending, (it) => it.pending, 50),
  ...(
    [
      ["settle", 2000],
      ["rollback", 50],
      ["fail", 50],
      ["retry", 50],
    ] as const
  ).map(([how, from]): Case => ({
    name: `Thread: ${how} of n`,
    from,
    prepare: (n) => {
      const it = thread();
      const ops = users(n).map((user) => it.optimistic({ messages: [user] }));
      if (how === "retry") for (const op of ops) op.fail(undefined);
      return () => {
        for (const op of ops) (op[how] as (error?: unknown) => void)();
        return it.getState();
      };
    },
  })),
  {
    name: "Thread: n runs that fail before the server says anything, and 20 looks",
    from: 32,
    most: 128,
    prepare: (n) => {
      const it = thread({ messages: [message("a")] });
      const ops = users(n).map((user) => {
        const op = it.optimistic({ messages: [user] });
        tell(it, { type: "run-started", runId: user.id }, { type: "run-error", error: "down" });
        return op;
      });
      return () => {
        for (const op of ops.slice(0, 20)) {
          op.rollback();
          it.getState();
        }
        it.dispose();
      };
    },
  },
  on(
    "a token with n pending, n times",
    (n) => {
      const it = thread({ messages: [message("a")] });
      for (const user of users(Math.min(n, 200))) it.optimistic({ messages: [user] });
      return it;
    },
    (it, n) => {
      for (let at = 0; at < n; at++) tell(it, { type: "text", messageId: "a", text: "x" });
      return it.getState();
    },
  ),
  on(
    "n tokens into n messages",
    (n) => thread({ messages: messages(n) }),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      for (let at = 0; at < n; at++) tell(it, { type: "text", messageId: `m${at}`, text: "x" });
      return it.getState();
    },
  ),
  on(
    "n streamed messages, and a snapshot of them",
    () => thread(),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      for (const one of messages(n))
        tell(
          it,
          { type: "message", message: one, streaming: true },
          { type: "text", messageId: one.id, text: "x" },
          { type: "message-finished", messageId: one.id },
        );
      tell(
        it,
        { type: "values", values: { messages: times(n, (at) => message(`m${at}`, "xx")) } },
        { type: "run-finished" },
      );
      return it.getState();
    },
    50,
  ),
  on(
    "n messages put before one",
    () => thread({ messages: messages(1) }),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      for (let at = 0; at < n; at++) tell(it, { type: "message", message: message(`x${at}`), after: "m0" });
      return it.getState();
    },
    50,
    100,
  ),
  on(
    "messages event of n of n",
    (n) => thread({ messages: messages(n) }),
    (it, n) => {
      tell(it, { type: "messages", messages: messages(n) });
      return it.getState();
    },
    50,
  ),
  on(
    "a snapshot that names n tool results otherwise",
    (n) =>
      thread({ messages: times(n, (at) => ({ type: "tool", id: `r${at}`, tool_call_id: `c${at}`, content: "x" })) }),
    (it, n) => {
      tell(
        it,
        { type: "run-started", runId: "r" },
        {
          type: "values",
          values: {
            messages: times(n, (at) => ({ type: "tool", id: `s${at}`, tool_call_id: `c${at}`, content: "x" })),
          },
        },
      );
      return it.getState();
    },
    50,
  ),
  on(
    "a run that names n messages otherwise",
    () => thread(),
    (it, n) => {
      it.optimistic({ messages: users(n) });
      tell(
        it,
        { type: "run-started", runId: "r" },
        { type: "values", values: { messages: users(n, "server") } },
        { type: "run-finished" },
      );
      return it.getState();
    },
    50,
  ),
  on(
    "values of n fields, twice",
    () => thread(),
    (it, n) => {
      tell(it, { type: "values", values: fields(n) }, { type: "values", values: fields(n) });
      return it.getState();
    },
    50,
  ),
  on(
    "values of n fields that a run wrote otherwise",
    () => thread(),
    (it, n) => {
      tell(
        it,
        { type: "run-started", runId: "r" },
        { type: "update", update: fields(n) },
        { type: "values", values: fields(n, (at) => -at) },
      );
      return it.getState();
    },
    50,
  ),
  on(
    "state of n fields",
    (n) => thread(fields(n)),
    (it, n) => {
      tell(it, { type: "state", values: fields(n, (at) => at + 1) });
      return it.getState();
    },
    50,
  ),
  on(
    "a delta of n operations",
    () => thread(),
    (it, n) => {
      tell(it, { type: "delta", operations: times(n, (at) => ({ op: "add", path: `/f${at}`, value: at })) });
      return it.getState();
    },
    50,
  ),
  on(
    "n deltas on one field",
    () => thread({ f: { n: 0 } }),
    (it, n) => {
      tell(
        it,
        { type: "run-started", runId: "r" },
        ...times(n, (at) => ({ type: "delta", operations: [{ op: "replace", path: "/f/n", value: at }] })),
      );
      return it.getState();
    },
    50,
  ),
  on(
    "n runs",
    (n) => thread({ messages: messages(Math.min(n, 10)) }),
    (it, n) => {
      for (let at = 0; at < n; at++) tell(it, { type: "run-started", runId: `r${at}` }, { type: "run-finished" });
      return it.getState();
    },
  ),
  on(
    "200 turns without an echo on n messages",
    (n) => thread({ messages: messages(n) }),
    (it) => {
      for (const [at, user] of users(200).entries()) {
        it.optimistic({ messages: [user] });
        tell(it, { type: "run-started", runId: `r${at}` }, { type: "run-finished" });
      }
    },
    4000,
    4000,
  ),
  on(
    "n parts with ids",
    () => thread({ messages: [message("a")] }),
    (it, n) => {
      tell(it, { type: "run-started", runId: "r" });
      for (let at = 0; at < n; at++) tell(it, { type: "text", messageId: "a", text: "x", id: `p${at}` });
      return it.getState();
    },
  ),
  on(
    "toJSON of n messages and n pending, and back",
    pending,
    (it, n) => {
      it.update({ messages: messages(n) });
      const again = Thread.fromJSON(JSON.parse(JSON.stringify(it)) as object);
      return again.getState();
    },
    50,
  ),
  on(
    "n pending messages of one text, echoed under other ids",
    () => thread(),
    (it, n) => {
      for (const { id } of users(n)) it.optimistic({ messages: [{ type: "human", id, content: "Hi" }] });
      tell(it, { type: "run-started", runId: "r" });
      for (let at = 0; at < n; at++)
        tell(it, { type: "message", message: { type: "human", id: `theirs${at}`, content: "Hi" } });
      return it.getState();
    },
    50,
  ),
  on(
    "n optimistic updates, and a look after each",
    () => thread(),
    (it, n) => {
      for (const user of users(n)) {
        it.optimistic({ messages: [user] });
        it.getState();
        it.pending.at(-1);
      }
    },
    50,
  ),
  {
    name: "Thread: n echoes, and a look after each",
    from: 50,
    prepare: (n) => {
      const it = pending(n);
      tell(it, { type: "run-started", runId: "r" });
      it.getState();
      return () => {
        for (const user of users(n)) {
          tell(it, { type: "message", message: user });
          it.getState();
          it.pending.at(0);
        }
        it.dispose();
      };
    },
  },
  on(
    "n failed runs in a row, each with a message",
    () => thread({ messages: [message("a")] }),
    (it, n) => {
      for (const user of users(n)) {
        it.optimistic({ messages: [user] });
        tell(it, { type: "run-started", runId: user.id }, { type: "run-error", error: "down" });
      }
      return it.getState();
    },
    50,
  ),
  on(
    "n listeners come and go",
    () => thread(),
    (it, n) => {
      const ends = times(n, () => it.subscribe(() => {}));
      it.update({ topic: 1 });
      for (const end of ends) end();
    },
  ),
];
