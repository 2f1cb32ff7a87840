// A server that a fetch can be answered by.

/** Answers with a stream of server-sent events that never ends, each event in a part of its own. */
export class Server {
  #encoder = new TextEncoder();
  #stream;
  #answer;
  asked = new Promise((resolve) => {
    this.#answer = resolve;
  });

  fetch = async () => {
    const body = new ReadableStream({
      start: (controller) => {
        this.#stream = controller;
      },
    });
    this.#answer();
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

  say(event) {
    this.#stream.enqueue(this.#encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  }
}
