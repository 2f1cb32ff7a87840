// A runner with many waiting calls.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type RunAgentInput } from "threadfold/ag-ui";
import { times } from "./lists.js";
import type { Case } from "./measure.js";

async function* answer({ threadId, runId }: RunAgentInput) {
  yield { type: "RUN_STARTED", threadId, runId };
  yield { type: "RUN_FINISHED", threadId, runId };
}

/** A thread with `n` messages that failed together, or each with a run of its own. */
function failed(n: number, isTogether: boolean): Thread<AgUiState> {
  const thread = new Thread<AgUiState>({ values: { messages: [{ id: "a", role: "assistant", content: "Hi" }] } });
  const fail = () => {
    thread.receive({ type: "run-started" });
    thread.receive({ type: "run-error", error: "down" });
  };
  for (let at = 0; at < n; at++) {
    thread.optimistic({ messages: [{ id: `u${at}`, role: "user", content: "x" }] });
    if (!isTogether) fail();
  }
  if (isTogether) fail();
  return thread;
}

/** A runner whose run asks `n` questions. */
function asked(n: number): AgUiRunner {
  const thread = new Thread<AgUiState>();
  thread.receive({ type: "run-finished", interrupts: times(n, (at) => ({ id: `i${at}`, reason: "confirmation" })) });
  return new AgUiRunner(thread, { transport: { run: answer } });
}

/** A runner in the middle of a run, and a function that ends the run. */
function running(): { runner: AgUiRunner; end: () => void } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: {
      run: async function* (input) {
        await ended;
        yield* answer(input);
      },
    },
  });
  void runner.sendMessage("first");
  return { runner, end };
}

export const runners: Case[] = [
  {
    name: "Runner: n messages queued in the middle of a run, which go out when it ends",
    from: 1000,
    prepare: (n) => {
      const { runner, end } = running();
      return () => {
        const sent = times(n, (at) => runner.sendMessage(`${at}`));
        end();
        return Promise.all(sent);
      };
    },
  },
  {
    name: "Runner: n messages that failed together, retried",
    prepare: (n) => {
      const runner = new AgUiRunner(failed(n, true), { transport: { run: answer } });
      return () => runner.retry();
    },
  },
  {
    // Each goes to the end.
    name: "Runner: some of n messages that failed each, retried one by one",
    from: 32,
    most: 128,
    prepare: (n) => {
      const thread = failed(n, false);
      const runner = new AgUiRunner(thread, { transport: { run: answer } });
      const updates = thread.pending.slice(0, 16);
      return async () => {
        for (const update of updates) await runner.retry(update);
      };
    },
  },
  {
    // Each result has the list of those that are still open.
    name: "Runner: some of n questions answered one by one",
    prepare: (n) => {
      const runner = asked(n);
      return async () => {
        for (let at = 0; at < 30; at++) await runner.resume({ id: `i${at}`, value: true });
      };
    },
  },
  {
    name: "Runner: n questions answered at once",
    prepare: (n) => {
      const runner = asked(n);
      return () => runner.resume(times(n, (at) => ({ id: `i${at}`, value: true })));
    },
  },
  {
    name: "Thread: a message behind n runs that failed each, and a look",
    from: 32,
    most: 256,
    prepare: (n) => {
      const thread = failed(n, false);
      thread.receive({ type: "run-started", runId: "r" });
      thread.receive({ type: "message", message: { id: "b", role: "assistant", content: "Hi" } });
      return () => thread.getState();
    },
  },
  {
    name: "Thread: a message that failed is said behind n runs that failed each, and a look",
    from: 32,
    most: 256,
    prepare: (n) => {
      const thread = failed(n, false);
      thread.receive({ type: "run-started", runId: "r" });
      thread.receive({ type: "message", message: { id: `u${n >> 1}`, role: "user", content: "x" } });
      return () => thread.getState();
    },
  },
];
