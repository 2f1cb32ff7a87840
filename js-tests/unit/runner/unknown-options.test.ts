// An option whose name is misspelt is refused by name: left alone it would silently change nothing.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { expect, test } from "vitest";

const agUi = (options: object) => new AgUiRunner(new Thread<AgUiState>(), options);
const langGraph = (options: object) => new LangGraphRunner(new Thread(), options as LangGraphRunnerOptions);

const refused = (name: string) =>
  expect.objectContaining({ code: "UNKNOWN_OPTION", message: expect.stringContaining(`unknown option '${name}'.`) });

test.each(["headesr", "whileRuning", "onThreadID", "streamModes", "toString", "__proto"])("%s", (name) => {
  expect(() => agUi({ url: "/agent", [name]: 1 })).toThrow(refused(name));
  expect(() => langGraph({ apiUrl: "http://a", assistantId: "a", [name]: 1 })).toThrow(refused(name));
});

test("the name is reported before its missing parts, and so is one that is nearly right", () => {
  expect(() => agUi({ URL: "/agent" })).toThrow(refused("URL"));
  expect(() => langGraph({ apiURL: "http://a", assistantId: "a" })).toThrow(refused("apiURL"));
  expect(() => agUi({ url: "/agent", rejoinDelay: [1] })).toThrow(refused("rejoinDelay"));
});

test("the options of the other protocol are unknown here", () => {
  expect(() => agUi({ url: "/agent", assistantId: "a" })).toThrow(refused("assistantId"));
  expect(() => langGraph({ apiUrl: "http://a", assistantId: "a", joinUrl: () => "" })).toThrow(refused("joinUrl"));
});

test("every option that there is is taken, and so is one that is undefined", () => {
  const both: Required<
    Pick<AgUiRunnerOptions & LangGraphRunnerOptions, keyof AgUiRunnerOptions & keyof LangGraphRunnerOptions>
  > = {
    whileRunning: "queue",
    whileOffline: "wait",
    cancelTimeout: 1,
    rejoinDelays: [1],
    tabs: (streams) => streams,
    headers: {},
    credentials: "omit",
    fetch,
    context: undefined,
    transport: undefined,
    onEvent: () => {},
  };
  const forAgUi: Required<AgUiRunnerOptions> = {
    ...both,
    context: [],
    url: "/agent",
    resumable: true,
    tools: [],
    forwardedProps: {},
    state: "new",
    messages: "new",
  };
  const forLangGraph: Required<LangGraphRunnerOptions> = {
    ...both,
    context: {},
    apiUrl: "http://a",
    assistantId: "a",
    config: {},
    wire: "quiet",
    streamMode: [],
    subgraphs: true,
    multitaskStrategy: "reject",
    onThreadId: () => {},
  };
  expect([agUi(forAgUi).status, langGraph(forLangGraph).status]).toEqual(["ready", "ready"]);
  expect(agUi({ url: "/agent", headesr: undefined }).status).toBe("ready");
});

test("a way to treat messages that does not exist is refused, of a runner and of a message", async () => {
  const refusal = expect.objectContaining({
    code: "INVALID_ARGUMENT",
    message: "whileRunning should be 'queue', 'refuse', 'steer' or 'interrupt'.",
  });
  const whileRunning = "steering" as "steer";
  expect(() => agUi({ url: "/agent", whileRunning })).toThrow(refusal);
  const runner = agUi({ url: "/agent" });
  await expect(runner.sendMessage("Hi", { whileRunning })).rejects.toEqual(refusal);
  expect(runner.thread.pending).toEqual([]);
});

test("a wire that does not exist is refused", () => {
  expect(() => langGraph({ apiUrl: "http://a", assistantId: "a", wire: "loud" as "quiet" })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", message: "wire should be 'quiet' or 'values'." }),
  );
});

test("options that cannot be read are reported as such", () => {
  const options = new Proxy(
    {},
    {
      ownKeys: () => ["url"],
      getOwnPropertyDescriptor: () => {
        throw new Error("no");
      },
    },
  );
  expect(() => agUi(options)).toThrow(expect.objectContaining({ code: "UNREADABLE_VALUE" }));
});

test("options of a message, and fields in their place", async () => {
  const server = async () => new Response("Not now.", { status: 503 });
  for (const runner of [
    new AgUiRunner(new Thread<AgUiState>(), { url: "http://a", fetch: server }),
    new LangGraphRunner(new Thread(), { apiUrl: "http://a", assistantId: "a", fetch: server }),
  ] as LangGraphRunner[]) {
    const before = runner.thread.getState();
    await expect(runner.sendMessage("x", { messageID: "1" } as object)).rejects.toEqual(refused("messageID"));
    await expect(runner.regenerate({ id: "1" } as object)).rejects.toEqual(refused("id"));
    await expect(runner.sendMessage("x", { mood: "calm" } as object)).rejects.toEqual(refused("mood"));
    expect(runner.thread.getState()).toBe(before);
  }
});
