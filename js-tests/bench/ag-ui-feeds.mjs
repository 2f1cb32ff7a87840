// AG-UI events for the two clients that fold them. Both are in the middle of a run and read events from an Observable,
// so only the events are timed.
import { defaultApplyEvents, HttpAgent } from "@ag-ui/client";
import { Observable } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { begun } from "./harness.mjs";

export const RUN_STARTED = { type: "RUN_STARTED", threadId: "t", runId: "r" };

/**
 * A thread that looks at its state after every event.
 *
 * @param start - What is said before anything is timed, after RUN_STARTED.
 * @param event - Makes the event of each number.
 * @param restart - Called with the thread before each sample.
 */
export function folding(messages, start, event, restart = () => {}) {
  return begun(async () => {
    const thread = new Thread({ values: { messages } });
    thread.on("error", (error) => {
      throw error;
    });
    let [seen, taker] = [];
    const events = new Observable((subscriber) => {
      taker = subscriber;
    });
    const look = () => {
      seen = thread.getState();
    };
    void foldAgUi(thread, events, { until: "stream", onEvent: look });
    // It subscribes in a moment.
    await new Promise(setImmediate);
    for (const event of [RUN_STARTED, ...start]) taker.next(event);
    return (times) => {
      restart(thread);
      for (let at = 0; at < times; at++) taker.next(event(at));
      const { messages, ...state } = seen;
      return { messages, state };
    };
  });
}

/** `@ag-ui/client`'s fold, which gives new messages or a new state for every event that changes them. */
export function applying(messages, start, event) {
  return begun(async () => {
    const agent = new HttpAgent({ url: "http://bench", threadId: "t", initialMessages: messages });
    const input = { threadId: "t", runId: "r", messages, state: {}, tools: [], context: [], forwardedProps: {} };
    let taker;
    const events = new Observable((subscriber) => {
      taker = subscriber;
    });
    let [missing, done] = [0, () => {}];
    defaultApplyEvents(input, events, agent, []).subscribe((changed) => {
      Object.assign(agent, changed);
      if (--missing === 0) done();
    });
    const say = (times, event) =>
      new Promise((resolve) => {
        [missing, done] = [times, resolve];
        for (let at = 0; at < times; at++) taker.next(event(at));
      });
    taker.next(RUN_STARTED);
    if (start.length > 0) await say(start.length, (at) => start[at]);
    return async (times) => {
      await say(times, event);
      return { messages: agent.messages, state: agent.state };
    };
  });
}
