// The same events through `@ag-ui/client`'s defaultApplyEvents and through a thread.
import * as fc from "fast-check";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { known, knownEvents } from "./client-version.js";
import { conversation, type Event, run } from "./event-specs.js";
import { reference } from "./reference.js";
import { withoutRepeatedResults } from "./repeated-results.js";
import { seeded } from "../../support/seed.js";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Events that both fold alike: sub-agents are threads of their own here, and a list as a state is refused. */
const alike = (events: Event[]): Event[] =>
  events.flatMap(({ subagentRunId: _sub, ...event }) =>
    event.type.startsWith("SUBAGENT_") || (event.type === "STATE_SNAPSHOT" && Array.isArray(event["snapshot"]))
      ? []
      : [event as Event],
  );

async function both(given: Event[], made: Event[]) {
  const [start, events] = [known(given), knownEvents(alike(made))];
  const theirs = await reference(json(events) as Event[], { messages: json(start) as never });
  const thread = new Thread({ values: { messages: start as never } });
  await foldAgUi(thread, json(events) as Event[]);
  const { messages, ...fields } = thread.getState();
  return { theirs, ours: { messages: json(messages), fields: json(fields) } };
}

function fieldsOf(state: unknown): unknown {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return {};
  const { messages: _, ...fields } = state as Record<string, unknown>;
  return fields;
}

test("a run without snapshots of messages: the same messages in the same order, the same state", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, run({ snapshots: false }), async (start, made) => {
      const events = withoutRepeatedResults(start, made);
      const { theirs, ours } = await both(start, events);
      expect(ours.messages).toEqual(json(theirs.messages));
      expect(ours.fields).toEqual(fieldsOf(json(theirs.state)));
    }),
    seeded("side by side", 1500),
  );
});

test("with snapshots of messages: the same messages; the order is the snapshot's", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, run({ snapshots: true }), async (start, made) => {
      const events = withoutRepeatedResults(start, made);
      const { theirs, ours } = await both(start, events);
      const sorted = (messages: unknown) => (messages as { id: string }[]).toSorted((a, b) => a.id.localeCompare(b.id));
      expect(sorted(ours.messages)).toEqual(sorted(json(theirs.messages)));
      expect(ours.fields).toEqual(fieldsOf(json(theirs.state)));
    }),
    seeded("side by side with snapshots", 1500),
  );
});
