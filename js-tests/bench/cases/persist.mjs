// The cost of a save while an answer streams, compared with a save of the thread as one text.
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { loadThread, persist } from "threadfold/persist";
import { Observable } from "rxjs";
import { RUN_STARTED } from "../ag-ui-feeds.mjs";

const TEXT = "The answer to that depends on what you ask, and of whom. ".repeat(4);
const TIMES = 20;

export function cases() {
  return [100, 5_000].map((n) => ({
    name: "a token and a save",
    n,
    contenders: {
      threadfold: saving(n, (thread, place) => ({ save: persist(thread, place).flush, load: () => loadThread(place) })),
      "JSON.stringify(thread)": saving(n, (thread, { name, storage }) => ({
        save: () => storage.setItem(name, JSON.stringify(thread)),
        load: () => Thread.fromJSON(JSON.parse(storage.getItem(name))),
      })),
    },
    times: { threadfold: TIMES, "JSON.stringify(thread)": TIMES },
    comparable: async (load) => (await load()).getState().messages.at(-1),
  }));
}

/** Some tokens, each saved; the answer is the last message that another page then reads. */
function saving(n, begin) {
  return {
    prepare: async () => {
      const entries = new Map();
      const storage = {
        getItem: (key) => entries.get(key) ?? null,
        setItem: (key, text) => void entries.set(key, text),
        removeItem: (key) => void entries.delete(key),
      };
      const messages = Array.from({ length: n - 1 }, (_, at) => ({
        id: `m${at}`,
        role: at % 2 ? "assistant" : "user",
        content: TEXT,
      }));
      const thread = new Thread({ values: { messages } });
      let taker;
      void foldAgUi(thread, new Observable((subscriber) => void (taker = subscriber)), { until: "stream" });
      await new Promise(setImmediate);
      taker.next(RUN_STARTED);
      taker.next({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" });
      const { save, load } = begin(thread, { name: "chat", storage });
      await save();
      return { next: () => taker.next({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "word " }), save, load };
    },
    run: async ({ next, save, load }, times) => {
      for (let at = 0; at < times; at++) {
        next();
        await save();
      }
      return load;
    },
  };
}
