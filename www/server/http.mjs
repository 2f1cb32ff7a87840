// How both protocols are served: bodies, answers, and a run as a stream of server-sent events.
const BODY_LIMIT = 16 << 20;

export const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "content-type, accept, last-event-id",
  "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
  "access-control-expose-headers": "content-location",
};

/** The body as JSON. */
export async function readBody(request) {
  let text = "";
  request.setEncoding("utf8");
  for await (const part of request) {
    text += part;
    if (text.length > BODY_LIMIT) throw new RangeError("The body is too large.");
  }
  return JSON.parse(text);
}

export function json(response, status, body) {
  response.writeHead(status, { ...CORS, "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A run's parts: all of them, or those behind Last-Event-ID. */
export async function stream(request, response, run, { cut }) {
  response.writeHead(200, { ...CORS, "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const seen = Number(request.headers["last-event-id"] ?? 0);
  let sent = 0;
  for await (const { text } of run.parts(Number.isInteger(seen) && seen > 0 ? seen + 1 : 1)) {
    if (response.destroyed) return;
    if (sent === cut) {
      // What is written must have left before the connection is torn down.
      await new Promise((resolve) => response.write(text.slice(0, text.length >> 1), resolve));
      return response.destroy();
    }
    response.write(text);
    sent++;
  }
  response.end();
}
