import { Thread, type ThreadEvent } from "threadfold";
import { expect, test } from "vitest";

/** The ways in which a message of the caller's takes the place of one that is being streamed. */
const ways: Record<string, (thread: Thread, message: never) => void> = {
  "thread.update": (thread, message) => thread.update({ messages: [message] }),
  "an update event": (thread, message) => thread.receive({ type: "update", update: { messages: [message] } }),
  "a message event": (thread, message) => thread.receive({ type: "message", message }),
  values: (thread, message) => thread.receive({ type: "values", values: { messages: [message] } }),
  messages: (thread, message) => thread.receive({ type: "messages", messages: [message] }),
};

for (const [way, give] of Object.entries(ways)) {
  for (const looks of [false, true]) {
    test(`a message given by ${way} is never written into${looks ? ", looked at after each event" : ""}`, () => {
      const thread = new Thread();
      const receive = (...events: ThreadEvent[]) => {
        for (const event of events) {
          thread.receive(event);
          if (looks) thread.getState();
        }
      };
      receive(
        { type: "run-started", runId: "r1" },
        { type: "message", message: { type: "ai", id: "a1", content: "" }, streaming: true },
        { type: "text", messageId: "a1", text: "Hel" },
      );
      const given = { type: "ai" as const, id: "a1", content: "Hello" };
      give(thread, given as never);
      receive({ type: "text", messageId: "a1", text: " you" });
      expect(given).toEqual({ type: "ai", id: "a1", content: "Hello" });
      expect(thread.getState().messages[0]?.content).toBe("Hello you");
      thread.dispose();
    });
  }
}
