// A run with a state that fills, recorded from ag-ui-langgraph with its StateStreamingMiddleware (record_ag_ui.py).
import { readFileSync } from "node:fs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { predictState } from "threadfold/predict";
import { expect, test } from "vitest";

const { document: run } = JSON.parse(readFileSync(new URL("predicted.json", import.meta.url), "utf8")) as {
  document: ({ type: string } & Record<string, unknown>)[];
};

test("the document is shown as far as its arguments have come, and stays when the server sends it", async () => {
  const thread = new Thread<{ messages: object[]; document?: string }>();
  const drifts: object[] = [];
  thread.on("drift", ({ patch }) => void drifts.push(patch));
  const { onEvent } = predictState(thread);
  const seen = new Map<string, unknown[]>();
  await foldAgUi(thread, run, {
    onEvent: (event) => {
      onEvent(event);
      const { type } = event;
      seen.set(type, [...(seen.get(type) ?? []), thread.getState().document]);
      if (type === "TOOL_CALL_END") expect(thread.getConfirmedState().document).toBeUndefined();
    },
  });
  const whole = "# Rome\n\nThe Pantheon at nine, “before” the crowd. 你好 👋🏽\n";
  expect(seen.get("TOOL_CALL_ARGS")).toEqual([
    "#", // spaces at the end of a text wait for what follows, as in LangChain's partial JSON
    "# Rome\n\nThe Pant",
    "# Rome\n\nThe Pantheon at nine, “b",
    "# Rome\n\nThe Pantheon at nine, “before” the crowd",
    whole,
  ]);
  expect(seen.get("TOOL_CALL_RESULT")).toEqual([whole]);
  expect(thread.getConfirmedState().document).toBe(whole);
  expect(drifts).toEqual([]);
});
