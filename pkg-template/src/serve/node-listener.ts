import { json, type FetchHandler } from "./http.js";

/** As much of Node's `IncomingMessage` as is read. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** As much of Node's `ServerResponse` as is written. */
export interface NodeResponse {
  statusCode: number;
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  flushHeaders(): void;
  write(part: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  once(event: "close" | "drain", listener: () => void): unknown;
}

/**
 * Makes a listener of `node:http` of a handler such as {@link serve} makes.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { serve, toNodeListener } from "threadfold/serve";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const server = createServer(toNodeListener(serve(graph, { cors: true })));
 * server.listen(0, () => server.close());
 * ```
 */
export function toNodeListener(handler: FetchHandler): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    try {
      const asked = await fetchRequest(request);
      await pass(
        asked ? await handler(asked) : json('{"error":"The request has no URL that can be read."}', 400),
        response,
      );
    } catch {
      // The answer broke off in the middle: so does the connection.
      response.destroy();
    }
  };
}

/** Returns undefined for a request that no `Request` can be made of: its path, its host or its method is none. */
async function fetchRequest(request: NodeRequest): Promise<Request | undefined> {
  const { method = "GET", url = "/" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    // Names with a colon are HTTP/2's own.
    if (value !== undefined && !name.startsWith(":"))
      for (const one of [value].flat()) headers.append(name, one as string);
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  const body = method === "GET" || method === "HEAD" ? undefined : new Blob(parts as BlobPart[]);
  try {
    // What begins with "//" is a path, too.
    const whole = new URL(url.startsWith("/") ? `http://${headers.get("host") ?? "localhost"}${url}` : url);
    return new Request(whole, { method, headers, ...(body && { body }) });
  } catch {
    return undefined;
  }
}

/** Writes a response as fast as it is taken. A connection that closes ends the reading. */
async function pass(answer: Response, response: NodeResponse): Promise<void> {
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => response.setHeader(name, value));
  response.flushHeaders();
  const reader = answer.body?.getReader();
  let wake: () => void = () => {};
  response.once("close", () => {
    wake();
    void reader?.cancel().catch(() => {});
  });
  for (let part = await reader?.read(); part && !part.done && !response.destroyed; part = await reader?.read())
    if (!response.write(part.value))
      await new Promise<void>((resolve) => {
        wake = resolve;
        response.once("drain", resolve);
      });
  if (!response.destroyed) response.end();
}
