// Recorded runs of the AG-UI server, given to @ag-ui/client itself: it ends where the server does, but for the faults
// named here. `ag-ui.test.ts` shows that ours has none of them.
import { HttpAgent } from "@ag-ui/client";
import { expect, test } from "vitest";
import { KNOWN_FAULTS, said, sorted, WHOLE } from "./ag-ui-runs";
import { holds } from "./ag-ui-state";
import { readRecording, type Part } from "./format.mjs";
import { held, plain, type Held } from "./witness";

test.each(WHOLE.map((name) => [name, KNOWN_FAULTS[name] ?? "nothing"]))(
  "after the runs of %s the fault is: %s",
  async (name) => {
    const { turns } = readRecording("ag-ui", name);
    let parts: Part[] = [];
    const body = () => parts.map(({ data }) => `data: ${JSON.stringify(data)}\n\n`).join("");
    const answer = async () => new Response(body(), { headers: { "content-type": "text/event-stream" } });
    const agent = new HttpAgent({
      url: "http://recorded.invalid",
      threadId: turns[0]?.request.threadId,
      fetch: answer,
    });
    let server: Held | undefined;
    for (const turn of turns) {
      parts = turn.parts;
      const message = said(turn);
      if (message) agent.addMessage(message);
      await agent.runAgent({
        runId: turn.request.runId,
        ...(turn.request.resume ? { resume: turn.request.resume } : {}),
      });
      server = holds(turn.state);
      expect(held(agent.state as object).fields).toEqual(server.fields);
      if (!(name in KNOWN_FAULTS)) expect(plain(agent.messages)).toEqual(server.messages);
    }
    if (!(name in KNOWN_FAULTS)) return;
    const theirs = plain(agent.messages) as unknown as Held["messages"];
    expect(sorted(theirs)).toEqual(sorted(server?.messages ?? []));
    expect(theirs).not.toEqual(server?.messages);
  },
);
