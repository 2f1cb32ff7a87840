// A runner asks its agent once what it can do, beside the first run. An agent that does not say is sent what it ever was.
import { Thread, type AgUiState } from "threadfold";
import { agentTransport, AgUiRunner, type AgUiTransport } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { Observable } from "rxjs";
import { askingTransport } from "../../support/asking-transport";

interface Input {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly { readonly id: string }[];
  readonly forwardedProps: object;
}

/** The events of an answer; with `at`, of a server that knows what the client has. */
const events = ({ threadId, runId }: Input, at?: string) => [
  { type: "RUN_STARTED", threadId, runId },
  { type: "TEXT_MESSAGE_CHUNK", messageId: `a-${runId}`, role: "assistant", delta: "Yes" },
  { type: "RUN_FINISHED", threadId, runId, ...(at !== undefined && { metadata: { threadfold: { at } } }) },
];

const FOLDS = { custom: { threadfold: { folds: true } } };

function transportOf(capabilities: AgUiTransport["capabilities"], refuses: (input: Input) => boolean = () => false) {
  const inputs: Input[] = [];
  let asked = 0;
  const transport: AgUiTransport = {
    run(given) {
      const input = structuredClone(given) as unknown as Input;
      inputs.push(input);
      if (refuses(input)) throw Object.assign(new Error("At another checkpoint."), { status: 412 });
      return events(input, `c${inputs.length}`);
    },
    capabilities: capabilities && (() => (asked++, capabilities())),
  };
  return { transport, inputs, asked: () => asked };
}

const turns = async (runner: { sendMessage(text: string): Promise<{ status: string }> }, count = 3) => {
  for (let turn = 1; turn <= count; turn++) expect((await runner.sendMessage(`${turn}`)).status).toBe("finished");
};

test("once it knows, it says where it is and leaves out what the server has", async () => {
  const { transport, inputs, asked } = transportOf(() => FOLDS);
  await turns(new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { transport }));
  await turns(new AgUiRunner(new Thread<AgUiState>({ threadId: "u" }), { transport }), 1);
  expect(asked()).toBe(1);
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1]);
  expect(inputs.map(({ forwardedProps }) => forwardedProps)).toEqual([
    {},
    { threadfold: { at: "c1", leavesOut: true } },
    { threadfold: { at: "c2", leavesOut: true } },
    { threadfold: {} },
  ]);
});

test("the first run does not wait for the answer", async () => {
  const { transport, inputs } = transportOf(() => new Promise(() => {}));
  await turns(new AgUiRunner(new Thread<AgUiState>(), { transport }));
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
});

const error = (status?: number) =>
  Object.assign(new Error("No."), status === undefined ? { code: "NO_CONNECTION" } : { status });

const SILENT: readonly [string, AgUiTransport["capabilities"], number][] = [
  ["has no such method", undefined, 0],
  ["answers 404", () => Promise.reject(error(404)), 1],
  [
    "throws",
    () => {
      throw error(405);
    },
    1,
  ],
  ["answers nothing", () => undefined, 1],
  ["answers a text", () => "<html>", 1],
  ["has other capabilities", () => ({ state: { persistentState: true }, custom: { threadfold: 1 } }), 1],
  ["cannot be reached: it is asked again", () => Promise.reject(error()), 3],
];

test.each(SILENT)("an agent that %s is sent all", async (_, capabilities, times) => {
  const { transport, inputs, asked } = transportOf(capabilities);
  await turns(new AgUiRunner(new Thread<AgUiState>(), { transport }));
  expect(asked()).toBe(times);
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  for (const { forwardedProps } of inputs) expect(forwardedProps).toEqual({});
});

test("an answer of a server that is no JSON counts as none", async () => {
  for (const answer of [
    () => new Response("<html></html>", { headers: { "content-type": "text/html" } }),
    () => Response.json({ error: "no" }, { status: 405 }),
    () => Response.json(null),
    () => Response.json([{ custom: 1 }]),
  ]) {
    const bodies: Input[] = [];
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      if (typeof init?.body !== "string") {
        asked.push(String(url));
        return answer();
      }
      const input = JSON.parse(init.body) as Input;
      bodies.push(input);
      const text = events(input, "c").map((event) => `data: ${JSON.stringify(event)}\n\n`);
      return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
    };
    await turns(new AgUiRunner(new Thread<AgUiState>(), { transport: askingTransport("http://page/agent/", fetch) }));
    expect(asked).toEqual(["http://page/agent/capabilities"]);
    expect(bodies.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    for (const { forwardedProps } of bodies) expect(forwardedProps).toEqual({});
  }
});

test("an agent of @ag-ui/client is asked by its own method", async () => {
  const inputs: Input[] = [];
  const agent = {
    run: (input: Input) => {
      inputs.push(structuredClone(input));
      return new Observable<{ type: string }>((observer) => {
        for (const event of events(input, "c")) observer.next(event);
        observer.complete();
      });
    },
    getCapabilities: () => Promise.resolve(FOLDS),
  };
  await turns(new AgUiRunner(new Thread<AgUiState>(), { transport: agentTransport(agent as never) }));
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
});

test("a server at another checkpoint is sent all, once; any other refusal is the run's end", async () => {
  const { transport, inputs } = transportOf(
    () => FOLDS,
    ({ forwardedProps }) => JSON.stringify(forwardedProps).includes("leavesOut"),
  );
  const runner = new AgUiRunner(new Thread<AgUiState>(), { transport });
  await turns(runner);
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 1, 3, 1, 5]);

  const { transport: closed } = transportOf(
    () => FOLDS,
    ({ messages }) => messages.length > 0,
  );
  const refused = await new AgUiRunner(new Thread<AgUiState>(), { transport: closed }).sendMessage("1");
  expect(refused).toMatchObject({ status: "error", error: { status: 412 } });
});

test("what the thread became since is sent with all others", async () => {
  for (const change of [
    (thread: Thread<AgUiState>) => thread.update({ messages: [{ id: "x", role: "user", content: "X" }] }),
    (thread: Thread<AgUiState>) => thread.receive({ type: "values", values: { messages: [] } }),
    (thread: Thread<AgUiState & { mood?: string }>) => thread.update({ mood: "calm" }),
  ]) {
    const { transport, inputs } = transportOf(() => FOLDS);
    const thread = new Thread<AgUiState>();
    const runner = new AgUiRunner(thread, { transport });
    await turns(runner);
    change(thread as never);
    const all = thread.getState().messages.length;
    await turns(runner, 1);
    expect(inputs.at(-1)?.messages).toHaveLength(all + 1);
    expect(inputs.at(-1)?.forwardedProps).toEqual({ threadfold: {} });
  }
});

test("where something could not be folded, the page does not claim to be there", async () => {
  const inputs: Input[] = [];
  const transport: AgUiTransport = {
    run(given) {
      const input = structuredClone(given) as unknown as Input;
      inputs.push(input);
      const [start, ...rest] = events(input, "c");
      return [start as { type: string }, { type: "STATE_DELTA", delta: [{ op: "remove", path: "/gone" }] }, ...rest];
    },
    capabilities: () => FOLDS,
  };
  const thread = new Thread<AgUiState>();
  thread.on("error", () => {});
  await turns(new AgUiRunner(thread, { transport }));
  expect(inputs.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
});
