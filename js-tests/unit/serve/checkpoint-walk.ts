// A random walk of pages over a served graph: messages, edits, stops, lost connections, reloads, a second tab. The state
// changes on the server, too, or it loses its threads.
import { defineSchema, field, removeMessage, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { askingTransport } from "../../support/asking-transport";

type Random = () => number;

export const WORDS = [
  "stream",
  "calls",
  "drop",
  "rewrite",
  "insert",
  "ask",
  "fail",
  "parallel",
  "team",
  "reason",
  "half",
];

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  note: field.replace<string>(),
  mood: field.replace<string>(),
});

interface Message {
  readonly id: string;
  readonly type?: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id?: string }[];
}

let made = 0;

/** A graph that does what the user's last message says. */
export function walkGraph() {
  const failed = new Set<string>();
  const fresh = (name: string) => `${name}-${++made}`;
  const asked = (messages: readonly unknown[]) =>
    (messages as readonly Message[]).filter(({ type }) => type === "human").at(-1) ?? { id: "", content: "" };
  const says = (messages: readonly unknown[], word: string) => String(asked(messages).content).includes(word);
  const streamed = async (ctx: { message(part: object): void }, text: string, id = fresh("a")) => {
    for (const word of text.split(" ")) {
      ctx.message({ type: "AIMessageChunk", id, content: `${word} ` });
      await Promise.resolve();
    }
    return {
      type: "ai",
      id,
      content: text
        .split(" ")
        .map((word) => `${word} `)
        .join(""),
    };
  };
  const team = new StateGraph(schema)
    .addNode("speak", async (_, ctx) => ({
      messages: [await streamed(ctx as never, "I may be taken back", "passing")],
    }))
    .addNode("end", () => ({
      messages: [removeMessage("passing"), { type: "ai", id: fresh("team"), content: "The team is done." }],
    }))
    .addEdge(START, "speak")
    .addEdge("speak", "end")
    .addEdge("end", END)
    .compile();
  return new StateGraph(schema)
    .addNode("work", async ({ messages }, ctx) => {
      const list = messages as readonly Message[];
      const { id, content } = asked(list);
      const text = String(content);
      const said: object[] = [];
      const at = list.length;
      if (says(list, "half") && !failed.has(id)) {
        failed.add(id);
        ctx.message({ type: "AIMessageChunk", id: fresh("half"), content: "Half of " });
        throw new Error("The model hung up.");
      }
      if (says(list, "drop") && at > 2) said.push(removeMessage(list[at % 2]?.id ?? ""));
      if (says(list, "rewrite") && at > 1)
        said.push({ type: "ai", id: (list[at - 2] as Message).id, content: `rewritten by ${text}` });
      if (says(list, "insert")) said.push({ type: "human", id: fresh("h"), content: "By the way" });
      if (says(list, "stream")) said.push(await streamed(ctx as never, `You said ${text}`));
      if (says(list, "reason"))
        said.push({
          type: "ai",
          id: fresh("a"),
          content: [
            { type: "reasoning", reasoning: "Hm" },
            { type: "text", text: "Yes" },
          ],
        });
      if (says(list, "calls"))
        said.push({
          type: "ai",
          id: fresh("a"),
          content: "",
          tool_calls: [1, 2].map((n) => ({ id: fresh("c"), name: "look", args: { n } })),
        });
      else said.push({ type: "ai", id: fresh("a"), content: `answer ${at}`, response_metadata: { tokens: at } });
      return { messages: said as never, log: [`worked ${at}`], note: text };
    })
    .addNode("act", ({ messages }) => ({
      messages: ((messages.at(-1) as Message).tool_calls ?? []).map((call) => ({
        type: "tool",
        id: fresh("t"),
        name: "look",
        tool_call_id: call.id ?? "",
        content: "seen",
      })),
    }))
    .addNode("ask", ({ messages }, { interrupt }) =>
      says(messages, "ask")
        ? { messages: [{ type: "ai", id: fresh("asked"), content: `You said ${String(interrupt("Sure?"))}` }] }
        : {},
    )
    .addNode("left", async ({ messages }, ctx) =>
      says(messages, "parallel") ? { messages: [await streamed(ctx as never, "left is here")], log: ["left"] } : {},
    )
    .addNode("right", async ({ messages }, ctx) => {
      if (says(messages, "fail") && !failed.has(`${asked(messages).id}!`)) {
        failed.add(`${asked(messages).id}!`);
        throw new Error("Right fails.");
      }
      return says(messages, "parallel") ? { messages: [await streamed(ctx as never, "right is here")] } : {};
    })
    .addNode("team", team)
    .addNode("close", () => ({ log: ["closed"] }))
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ messages }) => ((messages.at(-1) as Message).tool_calls?.length ? "act" : "ask"))
    .addEdge("act", "ask")
    .addEdge("ask", "left")
    .addEdge("ask", "right")
    .addConditionalEdges("left", ({ messages }) => (says(messages, "team") ? "team" : "close"))
    .addEdge("right", "close")
    .addEdge("team", "close")
    .addEdge("close", END)
    .compile({ checkpointer: new MemorySaver() });
}

export interface WalkOptions {
  readonly random: Random;
  readonly resumable: boolean;
  /** Whether the server declares what it can do; without, nothing is left out. */
  readonly declares: boolean;
  /** Whether connections break and runs are stopped. Default true. */
  readonly faults?: boolean;
  /** Whether one page alone changes the thread, and the server only adds to it. Default false. */
  readonly alone?: boolean;
  readonly steps?: number;
  readonly make?: () => ReturnType<typeof walkGraph>;
  readonly words?: readonly string[];
}

export interface Walk {
  /** Of each run that ended well: the page's state, and the server's. */
  readonly compared: { readonly page: object; readonly server: object; readonly after: string }[];
  /** The texts of the server's messages, after each step. */
  readonly texts: unknown[];
  readonly counts: Record<string, number>;
}

export async function walk({
  random,
  resumable,
  declares,
  faults = true,
  alone = false,
  steps = 12,
  make = walkGraph,
  words = WORDS,
}: WalkOptions): Promise<Walk> {
  const counts: Record<string, number> = {};
  const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);
  const compared: Walk["compared"][number][] = [];
  const texts: unknown[] = [];
  let graph = make();
  let handler = serveAgUi(graph as never, { resumable });
  let breaks = 0;

  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!declares && String(url).endsWith("/capabilities")) return new Response("", { status: 404 });
    const response = await handler(new Request(url, init));
    if (response.status === 412) count("at another checkpoint");
    if (!response.headers.get("content-type")?.includes("event-stream")) return response;
    if (typeof init?.body === "string") {
      const { forwardedProps } = JSON.parse(init.body) as { forwardedProps: { threadfold?: { leavesOut?: boolean } } };
      if (forwardedProps.threadfold?.leavesOut) count("left out");
    }
    if (breaks <= 0) return response;
    breaks--;
    count("cut");
    return new Response(cut(response.body as ReadableStream<Uint8Array>, Math.floor(random() * 12)), response);
  };

  const open = (thread: Thread<AgUiState>) => {
    thread.on("error", (error) => count(`reported ${error.message}`));
    return new AgUiRunner(thread, {
      ...(resumable
        ? { url: "http://page/agent", fetch, resumable }
        : { transport: askingTransport("http://page/agent", fetch) }),
      rejoinDelays: [0, 0],
    });
  };
  const tabs = [0, 1].map(() => open(new Thread<AgUiState>({ threadId: "t" })));

  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const text = () => [any(words), random() < 0.5 ? any(words) : "", String(Math.floor(random() * 1000))].join(" ");
  const told = async () => {
    const answer = await handler(new Request("http://page/agent/threads/t"));
    if (!answer.ok && answer.status !== 404) throw new Error(`GET threads/t: ${await answer.text()}`);
    return answer.status === 404
      ? undefined
      : ((await answer.json()) as { messages: object[]; state: object; run?: object; interrupts: object[] });
  };
  const compare = async (runner: AgUiRunner, after: string) => {
    const { thread } = runner;
    const server = await told();
    if (!server || server.run) return;
    const { messages, ...state } = thread.getConfirmedState() as AgUiState;
    const own = (list: readonly object[]) =>
      (list as AgUiState["messages"]).filter(({ role }) => role !== "reasoning" && role !== "activity");
    compared.push({
      page: { messages: own(messages), ...state },
      server: { messages: own(server.messages), ...server.state },
      after,
    });
  };

  for (let step = 0; step < steps; step++) {
    const which = random() < 0.8 || alone ? 0 : 1;
    let runner = tabs[which] as AgUiRunner;
    const { thread } = runner;
    const users = thread.getState().messages.filter(({ role }) => role === "user");
    if (random() < 0.15 && faults) breaks = 1;
    let op = any([
      "send",
      "send",
      "send",
      "send",
      "regenerate",
      "edit",
      "none",
      "stop",
      "reload",
      "server",
      "lose",
      "state",
    ]);
    if (runner.status === "interrupted") op = random() < 0.8 ? "resume" : "stop now";
    else if (runner.status === "error" || runner.status === "disconnected") op = random() < 0.7 ? "retry" : "send";
    if (users.length === 0 && /regenerate|edit|none/.test(op)) op = "send";
    if ((op === "lose" && random() < 0.7) || (op === "stop" && !faults)) op = "send";
    count(op);
    try {
      let result;
      switch (op) {
        case "send":
          result = await runner.sendMessage(text());
          break;
        case "state":
          result = await runner.sendMessage(text(), { input: { mood: text(), log: [text()] } as never });
          break;
        case "none":
          result = await runner.sendMessage();
          break;
        case "regenerate":
          result = await runner.regenerate(random() < 0.7 ? undefined : { messageId: any(users).id });
          break;
        case "edit":
          result = await runner.sendMessage(text(), { messageId: any(users).id });
          break;
        case "resume":
          result = await runner.resume({ value: "yes" });
          break;
        case "retry":
          result = await runner.retry();
          break;
        case "stop": {
          const sent = runner.sendMessage(text());
          for (let turns = Math.floor(random() * 30); turns > 0; turns--) await Promise.resolve();
          if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 1));
          await runner.stop();
          await sent;
          break;
        }
        case "stop now":
          await runner.stop();
          break;
        case "reload":
          runner.dispose();
          runner = tabs[which] = open(Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)) as object));
          if (random() < 0.7) result = await runner.load();
          break;
        case "lose":
          graph = make();
          handler = serveAgUi(graph as never, { resumable });
          break;
        case "server": {
          const server = await told();
          if (!server || server.run || server.interrupts.length > 0 || server.messages.length === 0) break;
          // The graph has none of the messages that only show its reasoning.
          const ofGraph = (server.messages as readonly (Message & { role?: string })[]).filter(
            ({ role }) => role !== "reasoning",
          );
          const { id } = any(ofGraph);
          const change =
            random() < 0.5 && !alone
              ? removeMessage(id)
              : { type: "ai", id: alone ? `own-${step}` : id, content: `changed ${step}` };
          await graph.updateState(
            { threadId: "t", configurable: { thread_id: "t" } } as never,
            { messages: [change as never] },
            "close" as never,
          );
        }
      }
      if (result) count(result.status);
      if (result?.status === "finished" || result?.status === "interrupted")
        if (op !== "reload") await compare(runner, `${step}: ${op}`);
    } catch (error) {
      count(`threw ${(error as { code?: string }).code ?? String(error)}`);
    }
    // A stopped run of langgraph.js still writes its first checkpoint, and its MemorySaver throws if it is read in
    // between: that lasts microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    const server = await told();
    texts.push([op, server?.messages.map((message) => (message as Message).content), server?.state]);
  }
  for (const runner of tabs) runner.dispose();
  return { compared, texts, counts };
}

/** A body whose connection breaks after so many parts. */
function cut(body: ReadableStream<Uint8Array>, parts: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = parts;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (left-- > 0) return controller.enqueue(value);
      void reader.cancel();
      controller.error(new TypeError("network"));
    },
    cancel: () => reader.cancel(),
  });
}
