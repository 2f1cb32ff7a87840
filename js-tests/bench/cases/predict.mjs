// A state that fills while a tool's arguments stream, compared with @ag-ui/client's own reading of `PredictState`.
import { createRequire } from "node:module";
import { Observable } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { predictState } from "threadfold/predict";
import { RUN_STARTED } from "../ag-ui-feeds.mjs";

// Its ESM build finds no function in untruncate-json under Node, and predicts nothing.
const { convertToLegacyEvents } = createRequire(import.meta.url)("@ag-ui/client");

/** A token has five characters: 20,000 of them are a file of 100 KB. */
const TOKEN = "word ";
const LAST = 100;

const RULE = { state_key: "document", tool: "write", tool_argument: "text" };
const START = [
  RUN_STARTED,
  { type: "CUSTOM", name: "PredictState", value: [RULE] },
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "write", parentMessageId: "a" },
];
const args = (delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta });
/** The client reads white space at the end of a text before its end has come; threadfold, as LangChain, after it. */
const comparable = (document) => document.trimEnd();

export function cases() {
  return [1_000, 20_000].map((n) => ({
    name: "AG-UI token of predicted arguments",
    n,
    contenders: { threadfold: predicting(n), "@ag-ui/client": converting(n) },
    times: { threadfold: LAST, "@ag-ui/client": LAST },
    comparable,
  }));
}

/** The tokens before the last ones, one by one, and the document after each of those. */
function predicting(n) {
  return {
    prepare: async () => {
      const thread = new Thread();
      const { onEvent } = predictState(thread);
      let seen;
      let taker;
      const events = new Observable((subscriber) => {
        taker = subscriber;
      });
      const look = (event) => {
        onEvent(event);
        seen = thread.getState().document;
      };
      void foldAgUi(thread, events, { until: "stream", onEvent: look });
      await new Promise(setImmediate);
      for (const event of [...START, args('{"text": "')]) taker.next(event);
      for (let at = LAST; at < n; at++) taker.next(args(TOKEN));
      return { next: () => taker.next(args(TOKEN)), document: () => seen };
    },
    run: feed,
  };
}

/** The same; the tokens before the last ones in one piece, or it would take minutes to get there. */
function converting(n) {
  return {
    prepare: () => {
      let seen;
      let taker;
      const events = new Observable((subscriber) => {
        taker = subscriber;
      });
      events.pipe(convertToLegacyEvents("t", "r", "agent")).subscribe(({ type, state }) => {
        if (type === "AgentStateMessage") seen = JSON.parse(state).document;
      });
      for (const event of [...START, args(`{"text": "${TOKEN.repeat(n - LAST)}`)]) taker.next(event);
      return { next: () => taker.next(args(TOKEN)), document: () => seen };
    },
    run: feed,
  };
}

function feed({ next, document }, times) {
  for (let at = 0; at < times; at++) next();
  return document();
}
