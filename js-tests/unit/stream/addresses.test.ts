// The addresses that both transports ask, and the header that joins a stream after a part.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, httpTransport } from "threadfold/ag-ui";
import { apiTransport } from "threadfold/langgraph";
import { expect, test } from "vitest";

const { signal } = new AbortController();
const run = { threadId: "t1", runId: "r1" };

/** A `fetch` that answers 404, and the requests that it got. */
function recorded() {
  const asked: { request: string; after: string | null }[] = [];
  const fetch = async (url: unknown, { method = "GET", headers }: RequestInit = {}) => {
    const after = new Headers(headers).get("last-event-id");
    asked.push({ request: `${method} ${String(url)}`, after });
    return new Response("{}", { status: 404 });
  };
  return { asked, fetch: fetch as typeof globalThis.fetch };
}

const ignored = async (asking: unknown) => void (await Promise.resolve(asking).catch(() => {}));

test.each([
  ["http://h/agent", ""],
  ["http://h/agent/", ""],
  ["http://h/agent?tenant=a/b", "tenant=a/b"],
  ["http://h/agent/?tenant=a/b#top", "tenant=a/b"],
  ["http://h/agent#top", ""],
  [new URL("http://h/agent?tenant=a/b"), "tenant=a/b"],
])("AG-UI's paths go before the query of %s", async (url, query) => {
  const { asked, fetch } = recorded();
  const transport = httpTransport({ url, resumable: true, fetch });
  await ignored(transport.load?.("t 1", { signal }));
  await ignored(transport.join?.(run, { signal }));
  await ignored(transport.cancel?.(run, { signal }));
  await ignored(transport.steer?.(run, [], { signal }));
  await ignored(transport.follow?.("t1", { signal }));
  await ignored(transport.threads?.({}));
  await ignored(transport.history?.("t1", { limit: 2 }));
  await ignored(transport.fork?.("t1", "c1", { signal }));
  await ignored(transport.capabilities?.());
  const [alone, also] = query === "" ? ["", ""] : [`?${query}`, `&${query}`];
  expect(asked.map(({ request }) => request)).toEqual([
    `GET http://h/agent/threads/t%201${alone}`,
    `GET http://h/agent/threads/t1/runs/r1${alone}`,
    `DELETE http://h/agent/threads/t1/runs/r1${alone}`,
    `POST http://h/agent/threads/t1/runs/r1/messages${alone}`,
    `GET http://h/agent/threads/t1/events?only=starts${also}`,
    `GET http://h/agent/threads?limit=10&offset=0${also}`,
    `GET http://h/agent/threads/t1/checkpoints?limit=2${also}`,
    `POST http://h/agent/threads/t1/checkpoints${alone}`,
    `GET http://h/agent/capabilities${alone}`,
  ]);
});

test("LangGraph's paths go before the query of apiUrl", async () => {
  const { asked, fetch } = recorded();
  const transport = apiTransport({ apiUrl: "http://h/lg/?x=1#top", assistantId: "a", fetch });
  await ignored(transport.load?.("t1", { signal }));
  await ignored(transport.join?.(run, { signal }));
  await ignored(transport.cancel?.(run, { signal }));
  expect(asked.map(({ request }) => request)).toEqual([
    "GET http://h/lg/threads/t1/runs?limit=10&select=run_id&select=status&x=1",
    "GET http://h/lg/threads/t1/runs/r1/stream?x=1",
    "POST http://h/lg/threads/t1/runs/r1/cancel?x=1",
  ]);
});

test("a page's own address cannot lead a request out of its thread", async () => {
  const { asked, fetch } = recorded();
  const agUi = httpTransport({ url: "http://h/agent", resumable: true, fetch });
  const langGraph = apiTransport({ apiUrl: "http://h/lg", assistantId: "a", fetch });
  for (const id of [".", ".."])
    for (const transport of [agUi, langGraph]) {
      const ids = { threadId: "t1", runId: id };
      const asking = [
        () => transport.load?.(id, { signal }),
        () => transport.join?.(ids, { signal }),
        () => transport.cancel?.({ ...run, threadId: id }, { signal }),
        () => transport.follow?.(id, { signal }),
        () => transport.history?.(id, { limit: 1 }),
        () => transport.fork?.(id, "c1", { signal }),
      ];
      for (const ask of asking)
        await expect((async () => ask())(), String(ask)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  expect(asked).toEqual([]);
});

test.each([
  ["7", "7"],
  ["é", "Ã©"],
  ["日1", "æ\u0097¥1"],
])(
  "a stream is joined after the part %s: its UTF-8 as bytes, as an EventSource sends it",
  async (lastEventId, sent) => {
    const { asked, fetch } = recorded();
    await ignored(
      httpTransport({ url: "http://h", resumable: true, fetch }).join?.({ ...run, lastEventId }, { signal }),
    );
    const langGraph = apiTransport({ apiUrl: "http://h", assistantId: "a", fetch });
    await ignored((async () => langGraph.join?.({ ...run, lastEventId }, { signal }))());
    expect(asked.map(({ after }) => after)).toEqual([sent, sent]);
    expect(new TextDecoder().decode(Uint8Array.from(sent, (letter) => letter.charCodeAt(0)))).toBe(lastEventId);
  },
);

test("a run whose parts have ids in any language is rejoined", async () => {
  const parts = (...all: [string, object][]) =>
    new Response(all.map(([id, part]) => `id: ${id}\ndata: ${JSON.stringify(part)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  const text = (delta: string) => ({ type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta });
  const fetch = (async (_: unknown, { body }: RequestInit = {}) =>
    body
      ? parts(["日0", { type: "RUN_STARTED", threadId: "t", runId: "r" }], ["日1", text("x")])
      : parts(
          ["日2", text("y")],
          ["日3", { type: "RUN_FINISHED", threadId: "t", runId: "r" }],
        )) as typeof globalThis.fetch;
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, { url: "http://h", resumable: true, fetch, rejoinDelays: [0] });
  expect((await runner.sendMessage("q")).status).toBe("finished");
  expect(thread.getState().messages.at(-1)?.content).toBe("xy");
});
