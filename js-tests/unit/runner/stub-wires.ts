// AG-UI and LangGraph's runs API, as far as the stub server speaks them.
import { StubRun, type Held, type HeldThread, type StubServer, type Wire } from "./stub-server.js";

const bodyOf = (init: RequestInit) => JSON.parse(String(init.body)) as Record<string, unknown>;
const lastEventId = (init: RequestInit) => new Headers(init.headers).get("last-event-id");

type Sent = { id: string; role?: string; type?: string; content: string };

const taken = ({ id, role, type, content }: Sent): Held => ({
  id,
  role: role === "tool" || type === "tool" ? "tool" : role === "assistant" || type === "ai" ? "assistant" : "user",
  text: content,
});

/** Adds messages by LangGraph's rules. */
function take(thread: HeldThread, sent: readonly Sent[]): void {
  for (const message of sent) {
    const at = thread.messages.findIndex(({ id }) => id === message.id);
    if (message.type === "remove") thread.messages = thread.messages.filter((_, place) => place !== at);
    else if (at < 0) thread.messages = [...thread.messages, taken(message)];
    else if (message.role !== "assistant") thread.messages = thread.messages.with(at, taken(message));
  }
}

/** If the list ends with a user message, an agent that answers anew cuts the list there. */
function cut(thread: HeldThread, sent: readonly Sent[]): void {
  const last = sent.at(-1);
  const at = thread.messages.findIndex(({ id }) => id === last?.id);
  if (last?.role === "user" && at >= 0) thread.messages = thread.messages.slice(0, at + 1);
}

export const agUiMessage = ({ id, role, text }: Held) => ({ id, role, content: text });

export const agUiWire: Wire = {
  route(url, init, server) {
    const [, kind, id, action] = url.pathname.split("/");
    if (action === "cancel") return Promise.resolve().then(() => server.cancel(id ?? ""));
    if (kind === "runs")
      return Promise.resolve().then(() => server.join(server.runs.get(id ?? ""), lastEventId(init), init));
    if (kind !== "agent") return undefined;
    return Promise.resolve().then(() => {
      const body = bodyOf(init) as {
        threadId: string;
        runId: string;
        messages: Sent[];
        state: object;
        resume?: { payload: unknown }[];
      };
      return server.start(body, init, () => {
        const thread = server.thread(body.threadId);
        cut(thread, body.messages);
        take(thread, body.messages);
        Object.assign(thread.fields, body.state);
        if (!body.resume) thread.open = [];
        return {
          run: new StubRun(body.runId, thread),
          isNew: true,
          answer: body.resume?.map(({ payload }) => payload),
        };
      });
    });
  },
  begin: ({ id, thread }) => [{ type: "RUN_STARTED", threadId: thread.id, runId: id }],
  token: ({ id }, delta, isFirst) => [
    ...(isFirst ? [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }] : []),
    { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta },
  ],
  finish: ({ id, thread }, { messages, open }, message) => [
    ...(message ? [{ type: "TEXT_MESSAGE_END", messageId: message.id }] : []),
    { type: "MESSAGES_SNAPSHOT", messages: messages.map(agUiMessage) },
    {
      type: "RUN_FINISHED",
      threadId: thread.id,
      runId: id,
      ...(open.length > 0 && {
        outcome: {
          type: "interrupt",
          interrupts: open.map(({ id, value }) => ({ id, reason: "choice", metadata: { langgraph: { raw: value } } })),
        },
      }),
    },
  ],
  fail: (_, message) => [{ type: "RUN_ERROR", message, code: "HUNG_UP" }],
  part: (id, said) => `id: ${id}\ndata: ${JSON.stringify(said)}\n\n`,
};

export const langGraphMessage = ({ id, role, text }: Held) => ({
  id,
  type: role === "user" ? "human" : role === "assistant" ? "ai" : "tool",
  content: text,
});

const values = (thread: HeldThread) => ({ messages: thread.messages.map(langGraphMessage), ...thread.fields });

/** The thread's state in REST's form, or its runs, the latest first. */
function told(thread: HeldThread | undefined, path: string, { runs }: StubServer): Response {
  if (!thread) return new Response("There is no such thread.", { status: 404 });
  if (path.endsWith("/state")) return Response.json({ values: values(thread), tasks: [{ interrupts: thread.open }] });
  const own = [...runs.values()].filter((run) => run.thread === thread).toReversed();
  return Response.json(own.map(({ id, isOver }) => ({ run_id: id, status: isOver ? "success" : "running" })));
}

export const langGraphWire: Wire = {
  route(url, init, server) {
    const [, , threadId = "", , runId = "", action] = url.pathname.split("/");
    if (url.pathname === "/threads")
      return Promise.resolve(Response.json({ thread_id: server.thread(server.newId("t")).id }));
    if (url.pathname.endsWith("/state") || url.pathname.endsWith("/runs"))
      return Promise.resolve(server.refusal() ?? told(server.threads.get(threadId), url.pathname, server));
    return Promise.resolve().then(() => {
      if (runId !== "stream") {
        const run = server.runs.get(runId);
        if (action === "stream") {
          const after = lastEventId(init);
          return server.join(run, after === "-1" ? null : after, init);
        }
        if (action === "cancel") return server.cancel(runId);
        if (!run) return new Response("There is no such run.", { status: 404 });
        return Response.json({
          run_id: runId,
          status: run.isCancelled ? "interrupted" : run.isOver ? "success" : "running",
        });
      }
      const body = bodyOf(init) as { input?: { messages?: Sent | Sent[] }; command?: { resume: unknown } };
      return server.start(body, init, () => {
        const thread = server.thread(threadId);
        const { messages = [], ...fields } = body.input ?? {};
        take(thread, [messages].flat());
        Object.assign(thread.fields, fields);
        if (!body.command) thread.open = [];
        const run = new StubRun(server.newId("r"), thread);
        return {
          run,
          isNew: true,
          answer: body.command?.resume,
          headers: { "content-location": `/threads/${threadId}/runs/${run.id}` },
        };
      });
    });
  },
  begin: ({ id }, thread) => [
    { event: "metadata", data: { run_id: id } },
    { event: "values", data: values(thread) },
  ],
  token: ({ id }, text) => [{ event: "messages", data: [{ type: "AIMessageChunk", id, content: text }, {}] }],
  finish: (_, thread) => [
    {
      event: "values",
      data: { ...values(thread), ...(thread.open.length > 0 && { __interrupt__: thread.open }) },
    },
  ],
  fail: (_, message) => [{ event: "error", data: { error: "ConnectionError", message } }],
  part: (id, said) => {
    const { event, data } = said as { event: string; data: unknown };
    return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  },
};

/** The messages of a thread that is in step with the server. */
export function messagesOn(server: StubServer, wire: Wire, threadId: string | undefined): object[] {
  const messages = server.threads.get(threadId ?? "")?.messages ?? [];
  return messages.map<object>(wire === agUiWire ? agUiMessage : langGraphMessage);
}
