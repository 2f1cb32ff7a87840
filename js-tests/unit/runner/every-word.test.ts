// Every word of three calls and answers, on a real thread and agent: the commands of the machine are really executed.
import { Thread, type AgUiState } from "threadfold";
import { expect, test } from "vitest";
import { runs } from "../../support/seed.js";
import { turn } from "./stub-server.js";
import { told, type Call } from "./told-agent.js";

/** A runner, its promises, and its agent, which answers one call at a time. */
function opened(whileOffline: "wait" | undefined) {
  const thread = new Thread<AgUiState>();
  // Three letters may be lost one after the other.
  const rejoinDelays = whileOffline ? [0, 0, 0, 0] : [0];
  const { runner, calls, joined } = told({ joins: true, rejoinDelays, whileOffline }, thread);
  const promises: { name: string; state: string }[] = [];
  const ended = new Set<Call>();
  const refused = new Set(["INVALID_STATE", "INVALID_ARGUMENT", "UNKNOWN_MESSAGE"]);
  let said = 0;
  const ask = (name: string, promise: Promise<{ status: string }>) => {
    const one = { name, state: "pending" };
    promises.push(one);
    promise.then(
      ({ status }) => (one.state = status),
      ({ code, message }: { code: string; message: string }) =>
        (one.state = refused.has(code) ? code : `${code}: ${message}`),
    );
  };
  const live = () => [...calls, ...joined].filter((call) => !ended.has(call) && !call.signal.aborted);
  const end = (how: (call: Call) => void) => {
    const [call] = live();
    if (!call) return;
    ended.add(call);
    how(call.begin());
  };
  const user = () => ({ id: `m${said}`, role: "user" as const, content: `m${said++}` });
  const letters = {
    send: () => ask("send", runner.sendMessage(user())),
    "send none": () => ask("send none", runner.sendMessage()),
    edit: () => ask("edit", runner.sendMessage("edited", { messageId: "m0" })),
    regenerate: () => ask("regenerate", runner.regenerate()),
    resume: () => ask("resume", runner.resume(runner.interrupts.map(({ id }) => ({ id, value: 1 })))),
    "resume one": () =>
      ask("resume one", runner.resume(runner.interrupts.slice(0, 1).map(({ id }) => ({ id, value: 1 })))),
    retry: () => ask("retry", runner.retry()),
    "retry first": () => ask("retry first", runner.retry(thread.pending[0]?.id ?? "none")),
    rejoin: () => ask("rejoin", runner.load()),
    stop: () => ask("stop", runner.stop()),
    rollback: () => thread.pending.at(-1)?.rollback(),
    other: () =>
      ["submitted", "streaming"].includes(thread.run.status) && thread.run.id === "other"
        ? thread.receive({ type: "run-finished" })
        : live().length === 0 && thread.receive({ type: "run-started", runId: "other", joined: false }),
    begin: () => live()[0]?.begin(),
    say: () => live()[0]?.begin().say(`a${said++}`),
    finish: () => end((call) => call.finish()),
    ask: () => end((call) => call.ask(`q${said}`, `q${said++}b`)),
    fail: () => end((call) => call.fail()),
    cut: () => end((call) => call.cut()),
    lose: () => {
      const [call] = live();
      if (!call) return;
      ended.add(call);
      call.lose();
    },
    refuse: () => {
      const [call] = live();
      if (!call) return;
      ended.add(call);
      call.refuse(500);
    },
  };
  return { thread, runner, letters, live, end, promises };
}

type Letter = keyof ReturnType<typeof opened>["letters"];
const ALPHABET = Object.keys(opened(undefined).letters) as Letter[];

const settle = async () => {
  for (let turns = 0; turns < 3; turns++) await turn();
};

/** Returns the rule that a word has broken; undefined if none. */
async function broken(word: readonly Letter[], whileOffline: "wait" | undefined): Promise<string | undefined> {
  const { thread, runner, letters, live, end, promises } = opened(whileOffline);
  for (const letter of ["send", ...word] as const) {
    letters[letter]();
    await settle();
    if (live().length > 1) return "two requests at once";
  }
  for (let steps = 0; steps < 12; steps++) {
    if (thread.run.id === "other" && ["submitted", "streaming"].includes(thread.run.status))
      thread.receive({ type: "run-finished" });
    end((call) => call.finish());
    await settle();
    // A join waits for its time.
    if (promises.some(({ state }) => state === "pending") && live().length === 0)
      await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const open = promises.filter(({ state }) => state === "pending" || state.includes(": "));
  if (open.length > 0) return open.map(({ name, state }) => `${name} is ${state}`).join(", ");
  if (live().length > 0 || runner.status === "submitted" || runner.status === "streaming")
    return `it does not come to rest: ${runner.status}`;
  const isAsking = runner.status === "interrupted" || runner.interrupts.length > 0;
  const isDown = runner.error !== undefined;
  const waits = thread.pending.filter(({ status }) => status === "pending").length;
  if (waits > 0 && !isAsking && !word.includes("stop") && !isDown) return "something waits for nothing";
  if (thread.pending.some(({ status }) => status === "sent") && !isDown) return "something is sent for ever";
  const ids = thread.getState().messages.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return "a message is there twice";
  runner.dispose();
  thread.dispose();
  return undefined;
}

test.each([undefined, "wait"] as const)("every word of three, whileOffline: %s", async (whileOffline) => {
  const words = ALPHABET.flatMap((a) => ALPHABET.flatMap((b) => ALPHABET.map((c) => [a, b, c] as const)));
  const share = Math.ceil(words.length / runs(words.length, "THREADFOLD_WORDS"));
  const walked = words.filter((_, at) => at % share === 0);
  const found: string[] = [];
  for (const word of walked) {
    const what = await broken(word, whileOffline);
    if (what !== undefined) found.push(`${word.join(", ")}: ${what}`);
  }
  console.log(`the runner: ${walked.length} of ${words.length} words of three: ${found.length} broken`);
  expect(found).toEqual([]);
});
