// Actions on a thread, as letters: those of tests/contract/alphabet.rs, in the same order, through the package.
import { defineSchema, field, Thread } from "threadfold";
import { inside } from "../../support/inside.js";

type Letter = (word: Word) => void;

const schema = defineSchema({
  messages: field.messages(),
  topic: field.replace<string>(),
  log: field.append<string>(),
});

const human = (id: string, content = id) => ({ type: "human" as const, id, content });
const ai = (content: string) => ({ type: "ai" as const, id: "a", content });

const start = () => new Thread({ schema, values: { messages: [human("0", "old")] } });

/** A thread that receives one letter after the other. */
export class Word implements Disposable {
  thread = start();
  #runs = 0;

  run(joined: boolean | undefined, id?: string): void {
    if (joined === false) this.#runs++;
    this.thread.receive({ type: "run-started", runId: `r${this.#runs}`, joined, id });
  }

  reload(): void {
    const record = JSON.parse(JSON.stringify(this.thread)) as object;
    this.thread.dispose();
    this.thread = Thread.fromJSON(record, { schema }) as typeof this.thread;
  }

  [Symbol.dispose](): void {
    this.thread.dispose();
  }
}

/** A user's update; removing an unknown message is refused. */
const optimistic =
  (update: object, options?: { manual: boolean }): Letter =>
  ({ thread }) => {
    try {
      thread.optimistic(update, options);
    } catch (error) {
      if ((error as { code?: string }).code !== "UNKNOWN_MESSAGE") throw error;
    }
  };
const add = (id: string): Letter => optimistic({ messages: [human(id)] });
const addWithTopic = (id: string): Letter => optimistic({ messages: [human(id)], topic: "t" });
const edit = (id: string): Letter => optimistic({ messages: [human(id, "edited")] });
const remove = (id: string): Letter => optimistic({ messages: [{ type: "remove", id }] });
const addSame = optimistic({ messages: [human("5", "1")] });
const manualEdit = optimistic({ messages: [human("0", "edited")] }, { manual: true });
const manualRemove = optimistic({ messages: [{ type: "remove", id: "0" }] }, { manual: true });
const rewrite = optimistic({
  messages: [{ type: "remove", id: "__remove_all__" }, human("1", "again"), human("0", "again")],
});
const writeLog = optimistic({ log: ["x"] });
const manualTopic = optimistic({ topic: "t" }, { manual: true });

const begin: Letter = (word) => word.run(false);
const join: Letter = (word) => word.run(true);
const finish: Letter = ({ thread }) => thread.receive({ type: "run-finished" });
const fail: Letter = ({ thread }) => thread.receive({ type: "run-error", error: "down" });
const has: Letter = ({ thread }) =>
  thread.receive({
    type: "values",
    values: { messages: [human("0", "old"), human("1"), ai("Hi")], topic: "t", log: ["x"] },
  });
const lacks: Letter = ({ thread }) => thread.receive({ type: "values", values: { messages: [human("0", "old")] } });
const partial: Letter = ({ thread }) =>
  thread.receive({ type: "values", values: { messages: [human("2")], topic: "server's", log: ["y"] }, partial: true });
const message =
  (message: object): Letter =>
  ({ thread }) =>
    thread.receive({ type: "message", message });
const renamed = message(human("server's", "1"));
const echo = (id: string): Letter => message(human(id));
const stream: Letter = ({ thread }) => {
  thread.receive({ type: "message", message: ai(""), streaming: true });
  thread.receive({ type: "text", messageId: "a", text: "H" });
};
const whole = message(ai("Hi"));

const byHand =
  (nth: number, how: "settle" | "fail" | "retry" | "rollback"): Letter =>
  ({ thread }) => {
    const id = thread.pending[nth]?.id;
    if (id !== undefined) inside(thread).update(id)[how]("no");
  };
/** By hand, the first update ever made, also when the server has it. */
const first =
  (how: "settle" | "fail" | "retry" | "rollback"): Letter =>
  ({ thread }) =>
    inside(thread).update("update-1")[how]("no");
const nodeUpdate: Letter = ({ thread }) =>
  thread.receive({ type: "update", update: { messages: [human("0", "old"), human("server's", "1")] } });
const nodeRemoves =
  (id: string): Letter =>
  ({ thread }) =>
    thread.receive({ type: "update", update: { messages: [{ type: "remove", id }] } });
const settle = (nth: number) => byHand(nth, "settle");
const failUpdate = (nth: number) => byHand(nth, "fail");
const retry = (nth: number) => byHand(nth, "retry");
const rollback = (nth: number) => byHand(nth, "rollback");
const reload: Letter = (word) => word.reload();
const update: Letter = ({ thread }) => thread.update({ messages: [human("l", "local")], log: ["l"] });

const startAgain =
  (id?: string): Letter =>
  (word) =>
    word.run(undefined, id);
const unnamed: Letter = ({ thread }) => thread.receive({ type: "run-started" });
const interrupt: Letter = ({ thread }) => thread.receive({ type: "run-finished", interrupts: ["i"] });
const stopped: Letter = ({ thread }) => thread.receive({ type: "run-finished", stopped: true });
const disconnect: Letter = ({ thread }) => thread.receive({ type: "disconnected" });
const part =
  (id: string): Letter =>
  ({ thread }) =>
    thread.receive({ type: "update", update: { log: [id] }, id });

/** The letters about messages. */
export const MESSAGES: readonly Letter[] = [
  add("1"),
  addWithTopic("2"),
  edit("0"),
  remove("0"),
  begin,
  finish,
  fail,
  join,
  has,
  lacks,
  renamed,
  stream,
  settle(0),
  retry(0),
  rollback(0),
  reload,
];

/** The letters about fields. */
export const FIELDS: readonly Letter[] = [
  addWithTopic("2"),
  writeLog,
  manualTopic,
  begin,
  finish,
  fail,
  join,
  has,
  lacks,
  settle(0),
  failUpdate(0),
  retry(0),
  rollback(0),
  reload,
  update,
];

/** The letters about a run's stream. */
export const STREAM: readonly Letter[] = [
  addWithTopic("1"),
  begin,
  startAgain(),
  startAgain("1"),
  unnamed,
  join,
  finish,
  interrupt,
  stopped,
  fail,
  disconnect,
  part("1"),
  part("2"),
  has,
  settle(0),
  reload,
  update,
];

/** All letters, for random words. */
export const ALL: readonly Letter[] = [
  add("1"),
  add("2"),
  add("3"),
  addWithTopic("2"),
  addWithTopic("4"),
  edit("0"),
  edit("1"),
  edit("a"),
  remove("0"),
  remove("1"),
  remove("a"),
  writeLog,
  manualTopic,
  begin,
  begin,
  finish,
  fail,
  join,
  has,
  lacks,
  partial,
  renamed,
  echo("1"),
  echo("2"),
  echo("3"),
  stream,
  stream,
  whole,
  settle(0),
  settle(1),
  failUpdate(0),
  failUpdate(1),
  retry(0),
  retry(1),
  rollback(0),
  rollback(1),
  rollback(2),
  reload,
  update,
  addSame,
  first("settle"),
  first("fail"),
  first("retry"),
  first("rollback"),
  manualEdit,
  manualRemove,
  nodeUpdate,
  nodeRemoves("1"),
  nodeRemoves("0"),
  rewrite,
];

interface Shown {
  messages: readonly { id?: string | undefined; content?: unknown }[];
  topic?: string;
  log?: readonly string[];
}

const told = ({ messages, topic = "-", log }: Shown): string => {
  let text = "";
  for (const { id, content } of messages) text += `${id}:${content as string} `;
  return `${text}${topic} ${log?.join(",") ?? "-"} | `;
};

/** All that a thread shows, as one line. */
export function shown({ thread }: Word): string {
  let text = told(thread.getState() as Shown) + told(thread.getConfirmedState() as Shown);
  for (const { status, update } of thread.pending) {
    const { messages = [], ...fields } = update as { messages?: { type: string; id: string }[] };
    text += status;
    for (const { type, id } of messages) if (id !== "__remove_all__") text += type === "remove" ? ` -${id}` : ` +${id}`;
    for (const key of Object.keys(fields)) text += ` ${key}`;
    text += ";";
  }
  return text + [...thread.incompleteIds].sort().join(",");
}

/** The run's status and the server's values, as one line. */
export function streamOf({ thread }: Word): string {
  const { id = "-", status, interrupts, lastEventId = "-" } = thread.run;
  let text = ` | ${id} ${status} ${interrupts ? "i" : "-"} ${lastEventId}`;
  for (const { id } of inside(thread).said("messages") as Shown["messages"]) text += ` ${id}`;
  const log = inside(thread).said("log") as Shown["log"];
  return `${text} ${(inside(thread).said("topic") as string | undefined) ?? "-"} ${log?.join(",") ?? "-"}`;
}
