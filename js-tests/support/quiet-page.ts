// A page that folds the updates of `serveLangGraph`, and what goes between: parts can be changed, and requests refused.
import { Thread, type Schema } from "threadfold";
import { LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { expect } from "vitest";

type Handler = (request: Request) => Promise<Response>;
type Values = Record<string, unknown>;

/** A block of server-sent events. */
export type Block = string;

export interface Between {
  /** The blocks of a run's stream that arrive. */
  blocks?: (blocks: Block[]) => Block[];
  /** The status by which a request is refused. */
  refuses?: (path: string) => number | undefined;
  /** The server does not know `stream_steps` or digests, as LangGraph's own. */
  isUnmarked?: boolean;
  /** The answer's head does not name the run. */
  isUnnamed?: boolean;
}

/** A page, and the paths of its requests. */
export function quietPage(
  handler: Handler,
  schema: Schema<never> | undefined,
  {
    thread,
    threadId,
    between = {},
    ...options
  }: Partial<LangGraphRunnerOptions> & {
    thread?: Thread;
    threadId?: string;
    between?: Between;
  } = {},
) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const { pathname: path } = new URL(String(input));
    asked.push(`${init.method ?? "GET"} ${path.replace(/^\/threads(\/[^/]{9,})?/, "")}`);
    const status = between.isUnmarked && path.endsWith("/digest") ? 404 : between.refuses?.(path);
    if (status) return new Response("No.", { status });
    let { body } = init;
    if (between.isUnmarked && path.endsWith("/runs/stream"))
      body = JSON.stringify({ ...(JSON.parse(body as string) as object), stream_steps: undefined });
    const answer = await handler(new Request(input, { ...init, body } as RequestInit));
    const headers = new Headers(answer.headers);
    if (between.isUnnamed) headers.delete("content-location");
    if (!between.blocks || !path.endsWith("/stream") || !answer.ok)
      return new Response(answer.body, { status: answer.status, headers });
    const blocks = (await answer.text()).split("\n\n").filter((block) => /^[^:]/.test(block));
    return new Response(
      between
        .blocks(blocks)
        .map((block) => `${block}\n\n`)
        .join(""),
      { headers },
    );
  };
  const shown = (thread ?? new Thread({ schema, ...(threadId && { threadId }) } as never)) as Thread;
  const runner = new LangGraphRunner(
    shown as never,
    {
      apiUrl: "http://localhost",
      assistantId: "agent",
      fetch,
      rejoinDelays: [1],
      ...options,
    } as LangGraphRunnerOptions,
  );
  return { thread: shown, runner, asked, between };
}

/** Checks that a thread is as its server has it, and not in doubt. */
export async function expectAsServer(thread: Thread, handler: Handler): Promise<Values> {
  const answer = await handler(new Request(`http://localhost/threads/${thread.threadId}/state`));
  const { values } = (await answer.json()) as { values: Values };
  const plain = (state: Values) => {
    const { messages, ...own } = JSON.parse(JSON.stringify(state)) as Values & { messages?: Values[] };
    const fields = Object.entries(own).filter(([, value]) => value !== null);
    return {
      ...Object.fromEntries(fields),
      messages: (messages ?? []).map(({ id, type, content }) => ({ id, type, content })),
    };
  };
  expect(plain(thread.getConfirmedState() as unknown as Values)).toEqual(plain(values));
  expect(thread.doubts).toEqual([]);
  return values;
}
