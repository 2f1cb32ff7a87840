// What has to hold of a thread that folded a run, given what the server itself holds. For recordings and live servers.
import { expect } from "vitest";
import type { Held, Seen } from "./witness";

/** The thread is the server's state; nothing waits, and nothing was complained of. */
export function expectInSync(seen: Seen, server: Held): void {
  expect({ drifts: seen.drifts, errors: seen.errors }).toEqual({ drifts: [], errors: [] });
  expectSame(seen, server);
}

/** The same for a run in which the server changes what it streamed: that is drift, and is told. */
export function expectInSyncAfterDrift(seen: Seen, server: Held): void {
  expect(seen.errors).toEqual([]);
  expect(seen.drifts).not.toEqual([]);
  expectSame(seen, server);
}

function expectSame(seen: Seen, server: Held): void {
  expect(seen.confirmed.messages).toEqual(server.messages);
  expect(seen.confirmed.fields).toEqual(server.fields);
  expect(seen.shown).toEqual(seen.confirmed);
  expect(seen.pending).toEqual([]);
  expect(["ready", "interrupted"]).toContain(seen.status);
}

/**
 * After a run that failed: whatever the server kept is there, in its order, and nothing that it has not kept but what
 * this run brought: an answer that was cut off is shown until the next run's snapshot.
 */
export function expectAllKept(seen: Seen, server: Held | undefined, before: Held): void {
  expect(seen.status).toBe("error");
  if (!server) return;
  const kept = ids(server);
  expect(ids(seen.shown).filter((id) => kept.includes(id))).toEqual(kept);
  expect(ids(before).filter((id) => !kept.includes(id) && ids(seen.shown).includes(id))).toEqual([]);
}

/**
 * After a run whose graph within said this and then asked: what it said is in no state of the server's yet, and stays
 * before the eyes of who is asked.
 */
export function expectHeldAndSaid(said: string): (seen: Seen, server: Held) => void {
  return (seen, server) => {
    expect({ drifts: seen.drifts, errors: seen.errors }).toEqual({ drifts: [], errors: [] });
    const messages = seen.shown.messages.map((message) => gist(message) as { text: string });
    expect(messages.filter(({ text }) => text !== said)).toEqual(server.messages.map(gist));
    expect(messages.at(-1)?.text).toBe(said);
    expect(seen.pending).toEqual([]);
    expect(seen.status).toBe("interrupted");
  };
}

/**
 * The same for a run in which the server removes the user message that it had. Without an event of it, the end of the run
 * shows it, and it is reported as drift.
 */
export function afterTakingBack(expectSync: (seen: Seen, server: Held) => void): (seen: Seen, server: Held) => void {
  return (seen, server) => {
    expect(seen.drifts).toEqual([expect.stringMatching(/^run-finished: .*remove/)]);
    expectSync({ ...seen, drifts: [] }, server);
  };
}

const ids = ({ messages }: Held) => messages.map(({ id }) => id);

/**
 * As {@link expectInSync}, for protocol v2, which tells messages shorter than the server keeps them: who said what, in
 * which order, with which calls.
 */
export function expectSameGist(seen: Seen, server: Held): void {
  expect({ drifts: seen.drifts, errors: seen.errors }).toEqual({ drifts: [], errors: [] });
  expect(seen.confirmed.messages.map(gist)).toEqual(server.messages.map(gist));
  expect(seen.confirmed.fields).toEqual(server.fields);
  expect(seen.pending).toEqual([]);
  expect(["ready", "interrupted"]).toContain(seen.status);
}

/** Who said what, with which calls: what every form of a LangChain message tells. */
export function gist({
  id,
  type,
  content,
  tool_calls: calls = [],
  tool_call_id: answers,
}: Record<string, unknown>): object {
  const text =
    typeof content === "string" ? content : (content as { text?: string }[]).map((block) => block.text ?? "").join("");
  const called = (calls as { id: string; name: string; args: unknown }[]).map(({ id, name, args }) => ({
    id,
    name,
    args,
  }));
  return { id, type, text, called, answers };
}
