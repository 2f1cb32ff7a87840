import { json, type FetchHandler } from "./http.js";

/** As much of Node's `IncomingMessage` as is read. */
interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** As much of Node's `ServerResponse` as is written. */
interface NodeResponse {
  statusCode: number;
  readonly destroyed: boolean;
  /** Whether all of the response was written. */
  readonly writableEnded: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  flushHeaders(): void;
  write(part: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  once(event: "close" | "drain", listener: () => void): unknown;
}

/**
 * Makes a listener of `node:http` of a handler such as {@link serveAgUi} makes. The request's signal aborts if its client
 * leaves before the response has ended.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { serveAgUi, toNodeListener } from "threadfold/serve";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const server = createServer(toNodeListener(serveAgUi(graph, { cors: true })));
 * server.listen(0, () => server.close());
 * ```
 */
// oxlint-disable-next-line typescript/no-explicit-any -- Node's types, which a program need not have
export function toNodeListener(handler: FetchHandler): (request: any, response: any) => Promise<void> {
  return async (request: NodeRequest, response: NodeResponse) => {
    const body = new NodeBody(request);
    const gone = new AbortController();
    const asked = fetchRequest(request, body, gone.signal);
    response.once("close", () => {
      // Names the request: Node lets the signal of one that is collected never abort.
      if (asked && !response.writableEnded) gone.abort();
    });
    try {
      const answer = asked ? await handler(asked) : json('{"error":"The request has no URL that can be read."}', 400);
      if (answer.status === 413) await refuse(answer, request, response, body);
      else await pass(answer, response);
      if (!response.destroyed) response.end();
    } catch {
      // The answer broke off in the middle: so does the connection.
      response.destroy();
    }
  };
}

/** Returns undefined if the path, host or method is invalid, so that no `Request` can be made. */
function fetchRequest(
  { method = "GET", url = "/", headers: given }: NodeRequest,
  body: NodeBody,
  signal: AbortSignal,
): Request | undefined {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    // Names with a colon are HTTP/2's own.
    if (value !== undefined && !name.startsWith(":"))
      for (const one of [value].flat()) headers.append(name, one as string);
  const length =
    headers.get("content-length") ?? (headers.has("transfer-encoding") || ":method" in given ? "some" : "0");
  const isWithout = method === "GET" || method === "HEAD" || length === "0";
  const sent = isWithout ? undefined : { body: body.stream, duplex: "half" };
  try {
    // A target that begins with "//" is a path, too.
    const whole = new URL(
      url.startsWith("/") ? `http://${headers.get("host") ?? given[":authority"] ?? "localhost"}${url}` : url,
    );
    return new Request(whole, { method, headers, signal, ...sent });
  } catch {
    return undefined;
  }
}

/** How many milliseconds a client has to take the answer of a request that was not read to its end. */
const LINGER = 500;

/** The body of a request, read as it is asked for. */
class NodeBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #parts: AsyncIterator<unknown>;

  constructor(request: NodeRequest) {
    this.#parts = request[Symbol.asyncIterator]();
    // Nothing is read ahead: Node itself passes over a body that nobody has begun to read.
    this.stream = new ReadableStream({ pull: (controller) => this.#pull(controller) }, { highWaterMark: 0 });
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { done, value } = await this.#parts.next();
    if (done) controller.close();
    else controller.enqueue(value as Uint8Array);
  }

  /** Discards the rest of the request, for a moment. */
  async passOver(): Promise<void> {
    const end = Date.now() + LINGER;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<{ done: true }>((resolve) => (timer = setTimeout(() => resolve({ done: true }), LINGER)));
    while (Date.now() < end && !(await Promise.race([this.#parts.next(), late])).done);
    clearTimeout(timer);
  }
}

/**
 * Writes the response to a body that is too large. It states its length, so that the client has all of it before the
 * connection closes. Closing at once would lose the response together with the rest of the request.
 */
async function refuse(answer: Response, request: NodeRequest, response: NodeResponse, body: NodeBody): Promise<void> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  response.setHeader("content-length", String(bytes.byteLength));
  // HTTP/2, whose own headers begin with a colon, has no such header.
  if (!(":method" in request.headers)) response.setHeader("connection", "close");
  await pass(new Response(bytes, answer), response);
  await body.passOver().catch(() => {});
}

/** Writes a response as fast as it is taken. A connection that closes ends the reading. */
async function pass(answer: Response, response: NodeResponse): Promise<void> {
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => response.setHeader(name, value));
  // Each cookie is a header of its own: above, the last has replaced the others.
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  response.flushHeaders();
  const reader = answer.body?.getReader();
  let wake: () => void = () => {};
  const leave = () => {
    wake();
    void reader?.cancel().catch(() => {});
  };
  response.once("close", leave);
  if (response.destroyed) leave();
  for (let part = await reader?.read(); part && !part.done && !response.destroyed; part = await reader?.read())
    if (!response.write(part.value))
      await new Promise<void>((resolve) => {
        wake = resolve;
        response.once("drain", resolve);
      });
}
