// A server with OpenAI's chat completions that answers from a script.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer of the script: deltas of a message, an HTTP error, or deltas and then something else. */
export interface Scripted {
  readonly deltas?: readonly object[];
  readonly status?: number;
  /** After the deltas: the connection breaks, an error is sent, nothing more comes, or the end (the default). */
  readonly ends?: "cut" | "error" | "hang";
}

export interface OpenAiRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly [key: string]: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
}

const usage = {
  prompt_tokens: 30,
  completion_tokens: 9,
  total_tokens: 39,
  prompt_tokens_details: { cached_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 7 },
};
let answers = 0;
/** The fields of every answer. LangChain's messages have its id. */
const answerFields = () => ({ id: `chatcmpl-${++answers}`, created: 1, model: "scripted" });

export class OpenAiServer {
  readonly requests: OpenAiRequest[] = [];
  /** Resolves when a client has left a response that had not ended. */
  readonly left: Promise<void>;
  #noteLeft: () => void = () => {};
  readonly #server: Server;

  private constructor(script: readonly Scripted[]) {
    this.left = new Promise((resolve) => (this.#noteLeft = resolve));
    this.#server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        const asked = JSON.parse(body) as OpenAiRequest;
        const next = script[this.requests.push(asked) - 1] ?? { status: 500 };
        response.on("close", () => response.writableFinished || this.#noteLeft());
        if (next.status) fail(response, next.status);
        else if (asked.stream) void stream(response, next);
        else json(response, next.deltas ?? []);
      });
    });
  }

  static async start(script: readonly Scripted[]): Promise<OpenAiServer> {
    const one = new OpenAiServer(script);
    await new Promise<void>((resolve) => one.#server.listen(0, "127.0.0.1", resolve));
    return one;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function fail(response: ServerResponse, status: number): void {
  const error = { message: "Slow down.", type: "rate_limit", code: "rate_limit_exceeded" };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

async function stream(response: ServerResponse, { deltas = [], ends }: Scripted): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const of = answerFields();
  // Each in a packet of its own, as from a model.
  const send = (data: object) =>
    new Promise<void>((resolve) => {
      response.write(`data: ${JSON.stringify(data)}\n\n`, () => setImmediate(resolve));
    });
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send({ ...of, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
  await chunk({ role: "assistant", content: "" });
  for (const delta of deltas) await chunk(delta);
  if (ends === "cut") response.destroy();
  else if (ends === "error") {
    await send({ error: { message: "Overloaded.", type: "server_error", code: "overloaded" } });
    response.end();
  } else if (ends === undefined) {
    await chunk({}, deltas.some((delta) => "tool_calls" in delta) ? "tool_calls" : "stop");
    await send({ ...of, object: "chat.completion.chunk", choices: [], usage });
    response.end("data: [DONE]\n\n");
  }
}

function json(response: ServerResponse, deltas: readonly object[]): void {
  const message: Record<string, unknown> = { role: "assistant" };
  for (const [key, value] of deltas.flatMap(Object.entries))
    message[key] = typeof value === "string" ? `${(message[key] as string | undefined) ?? ""}${value}` : value;
  const choices = [{ index: 0, message, finish_reason: "tool_calls" in message ? "tool_calls" : "stop" }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...answerFields(), object: "chat.completion", choices, usage }));
}
