// Every recorded run, cut at every boundary (in CI: elsewhere at some) and joined again: the thread ends where it ends without the cut.
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { listRecordings, readRecording, type Part } from "../../peers/recorded/format.mjs";
import { held, plain, Witness, type Held } from "../../peers/recorded/witness";
import { isThorough } from "../../support/seed.js";
import { FAILING, TAKEN_BACK } from "../../hosts/servers/scenarios.mjs";

async function* stream(parts: Part[]): AsyncGenerator<object> {
  for (const part of parts) yield plain(part);
}

async function* cut(parts: Part[]): AsyncGenerator<object> {
  yield* stream(parts);
  throw new TypeError("terminated");
}

const reloaded = (thread: Thread): Thread => Thread.fromJSON(plain(thread));

/**
 * The parts sent to a client that rejoins: the rest; those after the last id, by the server's rule; all; all from the
 * middle.
 */
const JOINED: Record<string, (parts: Part[], at: number, last: string) => Part[]> = {
  "with what is left": (parts, at) => parts.slice(at),
  "behind the last id": (parts, at, last) =>
    last.startsWith("synth") ? parts.slice(at) : parts.filter(({ id = "" }) => id > last),
  "from the start": (parts) => parts,
  "from half way": (parts, at) => parts.slice(Math.floor(at / 2)),
};

/** A thread's state, without the ids that it gave itself. */
function standing(thread: Thread): { confirmed: Held; shown: Held; pending: object[] } {
  const pending = thread.pending.map(({ update, status }) => ({ update: plain(update), status }));
  return { confirmed: held(thread.getConfirmedState()), shown: held(thread.getState()), pending };
}

const CASES = ["langgraph", "langgraph-v2"].flatMap((kind) =>
  listRecordings(kind).map((name) => [kind, name] as const),
);

test.each(CASES)("%s: %s", async (kind, name) => {
  const graph = name.replace(/\..*/, "");
  const failing = FAILING[graph] ?? [];
  let before = new Thread();
  for (const [turn, { request, parts }] of readRecording(kind, name).turns.entries()) {
    const input = (request.input ?? request.params?.input) as object | undefined;
    const begin = (): Thread => {
      const thread = reloaded(before);
      if (input) thread.optimistic(input as never);
      return thread;
    };
    const uncut = begin();
    await foldLangGraph(uncut, stream(parts));
    const expected = standing(uncut);

    // A failed run has sent everything: a rejoin shows its state until the next run.
    if (!failing.includes(turn + 1)) {
      // Unless thorough, at every sixteenth boundary, another one in each turn.
      const [first, step] = isThorough() ? [1, 1] : [1 + (turn % 8), 16];
      for (let at = first; at < parts.length; at += step) {
        for (const [how, join] of Object.entries(JOINED)) {
          for (const reload of [false, true]) {
            let thread = begin();
            await expect(foldLangGraph(thread, cut(parts.slice(0, at)))).rejects.toThrow("terminated");
            if (reload) thread = reloaded(thread);
            const witness = new Witness(thread);
            const last = kind === "langgraph" ? (thread.run?.lastEventId ?? "") : "synth";
            await foldLangGraph(thread, stream(join(parts, at, last)));
            const { drifts: told, errors } = witness.see();
            // A removal by the server is reported when the run that carried the message ends.
            const drifts = told.filter(
              (drift) => !TAKEN_BACK[graph]?.includes(turn + 1) || !drift.startsWith("run-finished"),
            );
            expect({ at, how, reload, drifts, errors, ...standing(thread) }).toEqual({
              at,
              how,
              reload,
              drifts: [],
              errors: [],
              ...expected,
            });
          }
        }
      }
    }
    before = uncut;
  }
});
