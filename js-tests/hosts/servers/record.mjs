// Records every scenario on both servers into js-tests/peers/recorded/: `node js-tests/hosts/servers/record.mjs [NAME…]`.
import { mkdirSync, writeFileSync } from "node:fs";
import { format, KINDS, pathOf } from "../../peers/recorded/format.mjs";
import { isMain, main } from "../../../scripts/process.mjs";
import { GRAPHS, LANGGRAPH_GRAPHS, SCENARIOS, V2_GRAPHS } from "./scenarios.mjs";
import { startServers } from "./start.mjs";
import { agUi, endsRun, langGraph, langGraphV2, TWO_MODES } from "./wire.mjs";

/**
 * Sends what @ag-ui/client's HttpAgent sends: the last snapshot's messages, the new message, and the server's latest
 * state. With `echo` off no state goes back.
 */
export async function recordAgUi(url, graph, { echo = true, thread = `recorded-${graph}` } = {}) {
  const { turns, tools = [] } = SCENARIOS[graph];
  let messages = [];
  let state = {};
  let interrupts = [];
  const recording = [];
  for (const [index, turn] of turns.entries()) {
    if ("say" in turn) messages = [...messages, { id: `user-${index + 1}`, role: "user", content: turn.say }];
    const resume = interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: turn.resume }));
    const request = {
      threadId: thread,
      runId: `run-${index + 1}`,
      state: echo ? state : {},
      messages,
      tools,
      context: [],
      forwardedProps: {},
      ...(resume.length > 0 ? { resume } : {}),
    };
    const parts = await all(agUi.run(url, graph, request));
    for (const { data } of parts) {
      if (data.type === "MESSAGES_SNAPSHOT") messages = data.messages;
      if (data.type === "STATE_SNAPSHOT") state = data.snapshot;
      if (data.type === "RUN_FINISHED") interrupts = data.outcome?.interrupts ?? [];
    }
    recording.push({ request, parts, state: await agUi.state(url, graph, thread) });
  }
  return { graph, turns: recording };
}

export async function recordLangGraph(url, graph, modes) {
  const thread = await langGraph.newThread(url);
  const turns = [];
  for (const [index, turn] of SCENARIOS[graph].turns.entries()) {
    const request = langGraph.request(graph, turn, `user-${index + 1}`, modes);
    const parts = await all(langGraph.run(url, thread, request));
    turns.push({ request, parts, state: await langGraph.state(url, thread) });
  }
  return { graph, thread, turns };
}

/**
 * One connection for all turns. If there were several, a second connection follows, to which the server replays the
 * whole thread.
 */
export async function recordV2(url, graph) {
  const thread = await langGraph.newThread(url);
  const connection = new AbortController();
  let events;
  const turns = [];
  let interrupt;
  for (const [index, turn] of SCENARIOS[graph].turns.entries()) {
    const request = langGraphV2.request(index + 1, graph, turn, `user-${index + 1}`, interrupt);
    await langGraphV2.command(url, thread, request);
    events ??= langGraphV2.events(url, thread, { signal: connection.signal });
    const parts = await upToEnd(events);
    const state = await langGraph.state(url, thread);
    interrupt = state.interrupts?.[0]?.id;
    turns.push({ request, parts, state });
  }
  connection.abort();
  if (turns.length === 1) return { graph, thread, turns };

  const again = new AbortController();
  const replay = langGraphV2.events(url, thread, { signal: again.signal });
  const rejoined = [];
  for (const _ of turns) rejoined.push(...(await upToEnd(replay)));
  again.abort();
  return { graph, thread, turns, rejoined };
}

async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function upToEnd(events) {
  const parts = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("The server ended the stream of the thread.");
    parts.push(value);
    if (endsRun(value)) return parts;
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const asked = process.argv.slice(2);
    const graphs = asked.length > 0 ? asked : LANGGRAPH_GRAPHS;
    for (const kind of KINDS) mkdirSync(new URL("./", pathOf(kind, "")), { recursive: true });
    const servers = await startServers();
    const write = (kind, name, recording) => {
      const text = format(recording);
      writeFileSync(pathOf(kind, name), text);
      console.log(
        `${kind}/${name}: ${recording.turns.map(({ parts }) => parts.length).join(" + ")} parts, ${text.length} bytes`,
      );
    };
    try {
      for (const graph of graphs) {
        if (GRAPHS.includes(graph))
          write("ag-ui", graph, await recordAgUi(servers.agUi, graph, { echo: graph !== "log" }));
        if (graph === "log")
          write("ag-ui", "log-echoed", await recordAgUi(servers.agUi, graph, { thread: "recorded-log-echoed" }));
        write("langgraph", graph, await recordLangGraph(servers.langGraph, graph));
        write("langgraph", `${graph}.two-modes`, await recordLangGraph(servers.langGraph, graph, TWO_MODES));
        if (V2_GRAPHS.includes(graph)) write("langgraph-v2", graph, await recordV2(servers.langGraph, graph));
      }
    } finally {
      await servers.stop();
    }
  });
}
