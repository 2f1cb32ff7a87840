// Recorded threads of the LangGraph server in protocol v2, folded. It tells messages shorter than it keeps them: what is
// compared is who said what, in which order, with which calls.
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { test } from "vitest";
import { FAILING, SAID_BEFORE_ASKING, TAKEN_BACK } from "../../hosts/servers/scenarios.mjs";
import { afterTakingBack, expectAllKept, expectHeldAndSaid, expectSameGist } from "./checks";
import { listRecordings, readRecording, type Part } from "./format.mjs";
import { held, plain, Witness } from "./witness";

async function* stream(parts: Part[]) {
  for (const part of parts) yield plain(part);
}

test.each(listRecordings("langgraph-v2"))("%s is in sync after each run", async (name) => {
  const thread = new Thread();
  const witness = new Witness(thread);
  const { turns, rejoined } = readRecording("langgraph-v2", name);
  for (const [index, { request, parts, state }] of turns.entries()) {
    const before = held(thread.getConfirmedState());
    if (request.params.input) thread.optimistic(request.params.input);
    await foldLangGraph(thread, stream(parts)).catch(() => {});
    const seen = witness.see();
    if (FAILING[name]?.includes(index + 1)) expectAllKept(seen, held(state.values), before);
    else {
      const said = SAID_BEFORE_ASKING[name]?.[index + 1];
      const expectGist = TAKEN_BACK[name]?.includes(index + 1) ? afterTakingBack(expectSameGist) : expectSameGist;
      (said === undefined ? expectGist : expectHeldAndSaid(said))(seen, held(state.values));
    }
  }
  if (!rejoined) return;
  // Whoever connects anew is told the whole thread again.
  await foldLangGraph(thread, stream(rejoined)).catch(() => {});
  expectSameGist(witness.see(), held(turns.at(-1)?.state.values));
});

const rejoined = listRecordings("langgraph-v2").filter((name) => readRecording("langgraph-v2", name).rejoined);

test.each(rejoined)("%s can be opened by who was not there", async (name) => {
  const { turns, rejoined = [] } = readRecording("langgraph-v2", name);
  const thread = new Thread();
  const witness = new Witness(thread);
  await foldLangGraph(thread, stream(rejoined)).catch(() => {});
  expectSameGist(witness.see(), held(turns.at(-1)?.state.values));
});
