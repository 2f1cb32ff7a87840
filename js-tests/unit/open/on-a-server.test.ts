// A module-level conversation on a server would be shared by all requests.
import { openAgUi } from "threadfold/ag-ui";
import { openLangGraph } from "threadfold/langgraph";
import { expect, test } from "vitest";

test("it is empty, asks nothing when it is looked at, and its calls reject", async () => {
  for (const chat of [
    openAgUi({ url: "http://nowhere" }),
    openLangGraph({ apiUrl: "http://nowhere", assistantId: "agent" }),
  ] as { sendMessage(text: string): Promise<unknown>; subscribe(listener: () => void): () => void; status: string }[]) {
    chat.subscribe(() => {})();
    expect(chat.status).toBe("ready");
    await expect(chat.sendMessage("Hi")).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: expect.stringMatching(/Use new (AgUi|LangGraph)Runner\(new Thread\(\), options\)/) as string,
    });
  }
});

test("nothing is kept of one that was opened for a request", () => {
  expect(openAgUi({ url: "http://nowhere", threadId: "a" })).not.toBe(
    openAgUi({ url: "http://nowhere", threadId: "a" }),
  );
});
