// The AG-UI server itself, by every way to it: at the end of each run the thread equals the server's.
import { expect, inject, test } from "vitest";
import { KNOWN_FAULTS, sorted } from "../../peers/recorded/ag-ui-runs";
import type { Held } from "../../peers/recorded/witness";
import { throughFetch, throughFoldHttpAgent, throughHttpAgent } from "./drive-ag-ui";
import { FAILING_AG_UI, GRAPHS } from "./scenarios.mjs";
import { checkAgent, checkAgUi } from "./steps";

const url = inject("agUi");

test.concurrent.each(GRAPHS)("plain fetch: %s", async (graph) => checkAgUi(graph, await throughFetch(url, graph)));
test.concurrent.each(GRAPHS)("FoldHttpAgent: %s", async (graph) =>
  checkAgent(graph, await throughFoldHttpAgent(url, graph)),
);

const whole = GRAPHS.filter((graph) => !FAILING_AG_UI[graph]);

test.concurrent.each(whole.map((graph) => [graph, KNOWN_FAULTS[graph] ?? "nothing"]))(
  "HttpAgent: %s; its fault is: %s",
  async (graph) => {
    const steps = await throughHttpAgent(url, graph);
    for (const { agent, server } of steps) {
      expect(agent.fields).toEqual(server?.fields);
      if (!(graph in KNOWN_FAULTS)) expect(agent.messages).toEqual(server?.messages);
    }
    if (!(graph in KNOWN_FAULTS)) return;
    const { agent, server } = steps.at(-1) ?? {};
    expect(sorted(agent?.messages ?? [])).toEqual(sorted(server?.messages ?? []));
    expect(agent?.messages).not.toEqual(server?.messages);
  },
);

test.concurrent(
  "state that goes back compounds in an appending field: 1, 3, 7; by runInput it is 1, 2, 3",
  async () => {
    const counts = (steps: { server?: Held | undefined }[]) => steps.map(({ server }) => server?.fields["count"]);
    expect(counts(await throughHttpAgent(url, "log"))).toEqual([1, 3, 7]);
    expect(counts(await throughFetch(url, "log"))).toEqual([1, 2, 3]);
  },
);
