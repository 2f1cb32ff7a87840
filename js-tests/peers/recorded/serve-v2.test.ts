// `serveLangGraph` beside LangGraph's JavaScript server (langgraph-api 1.5.1), as recorded: the same graphs, the same
// commands, the same events in the same order.
import { readFileSync } from "node:fs";
import { MemorySaver } from "@langchain/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";
import { comparable, drive, SCENARIOS } from "./serve-v2/drive.mjs";
import { makeGraphs } from "./serve-v2/graphs.mjs";

interface Event {
  readonly method: string;
  readonly params: { readonly namespace: string[]; readonly node?: string; readonly data: Record<string, unknown> };
}

interface Recorded {
  readonly answers: object[];
  readonly events: Event[];
}

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`serve-v2/${name}.json`, import.meta.url), "utf8")) as Recorded;

const textOf = (content: unknown) =>
  Array.isArray(content) ? (content as { text: string }[]).map(({ text }) => text).join("") : content;

/** Whole messages: the servers leave out different empty fields, and a tool's result has an id of its own. */
const said = (messages: unknown) =>
  (messages as { type: string; id: string; content: unknown; tool_calls?: { id: string; args: object }[] }[]).map(
    ({ type, id, content, tool_calls = [] }) => [
      type,
      type === "tool" ? "" : id,
      textOf(content),
      tool_calls.map(({ id: call, args }) => [call, args]),
    ],
  );

function gist({ method, params: { namespace, node, data } }: Event): unknown {
  const { run_id: _, responseMetadata: __, reason: ___, ...own } = data;
  switch (method) {
    case "values":
      return [method, namespace, said(data["messages"])];
    // Theirs has the values alone, the protocol's types have the node beside them.
    case "updates":
      return [
        method,
        namespace,
        node,
        said((data["values"] as typeof data | undefined)?.["messages"] ?? data["messages"]),
      ];
    case "tasks":
      return [method, namespace, data["id"], data["name"], "result" in data, data["error"], data["interrupts"]];
    case "tools":
      return [method, namespace, data["event"], data["tool_call_id"], data["tool_name"], data["input"]];
    // Theirs has the error as JSON.
    case "lifecycle":
      return [method, namespace, data["event"], data["graph_name"], /hung up/.exec(String(data["error"]))?.[0]];
    default:
      return [method, namespace, own];
  }
}

test.each(Object.keys(SCENARIOS))("%s", async (name) => {
  const handler = serveLangGraph(makeGraphs({ checkpointer: new MemorySaver() }) as never);
  const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
  const ours = (await drive(name, "http://localhost", fetch as never)) as Recorded;
  const theirs = recorded(name);
  expect(comparable(ours.answers)).toEqual(comparable(theirs.answers));
  // That a question was answered, LangGraph's JavaScript server does not say.
  const events = ours.events.filter(({ method }) => method !== "input.answered");
  const gists = (list: Event[]) => comparable(list.map(gist)) as unknown[];
  expect(gists(events)).toEqual(gists(theirs.events));
});
