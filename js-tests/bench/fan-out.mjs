// `node js-tests/bench/fan-out.mjs`: the cost of many followers. 10,000 connections follow one run, as many wait for one,
// and 1,000 threads have a run each. The server has a process of its own; its clients read over TCP. The limit is a bare
// node:http server that writes the same bytes to the same followers, one write for a token.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const TOKENS = 20;
/** Milliseconds between two tokens of a run. */
const PACES = [500, 50];
const FOLLOWERS = [1_000, 5_000, 10_000];
const THREADS = [250, 500, 1_000];

/** A token is the time at which it was made, on the clock that all processes share. */
const now = () => Number(process.hrtime.bigint() / 1_000n);
const TOKEN = /@(\d+)@/g;

/** Does what the parent asks for, and says what is used. */
function answerParent(commands) {
  process.on("message", (asked) => {
    void commands[asked]?.();
    if (asked !== "usage") return process.send({});
    gc();
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system, heap: process.memoryUsage().heapUsed, rss: process.memoryUsage.rss() });
  });
}

async function serve() {
  const { defineSchema, field } = await import("threadfold");
  const { END, MemorySaver, START, StateGraph } = await import("threadfold/graph");
  const { MemoryRuns, serveAgUi, toNodeListener } = await import("threadfold/serve");
  let go = () => {};
  let isReady;
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("talk", async (_, context) => {
      await isReady;
      const pace = Number(context.state.messages.at(-1).content);
      const id = crypto.randomUUID();
      for (let token = 0; token < TOKENS; token++) {
        context.message({ type: "AIMessageChunk", id, content: `@${now()}@` });
        await sleep(pace);
      }
      return { messages: [{ type: "ai", id, content: "." }] };
    })
    .addEdge(START, "talk")
    .addEdge("talk", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveAgUi(graph, { runs: new MemoryRuns({ keep: 0 }) });
  const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1", 16_384);
  answerParent({ hold: () => (isReady = new Promise((resolve) => (go = resolve))), go: () => go() });
  await once(server, "listening");
  process.send({ port: server.address().port });
}

/** The limit by hand: holds the responses, and writes each token to each. */
async function serveByHand() {
  const followers = new Set();
  let pace;
  async function talk() {
    const id = crypto.randomUUID();
    for (let token = 0; token < TOKENS; token++) {
      const event = { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: `@${now()}@` };
      const bytes = Buffer.from(`id: ${token + 3}\ndata: ${JSON.stringify(event)}\n\n`);
      for (const follower of followers) follower.write(bytes);
      await sleep(pace);
    }
  }
  const server = createServer(async (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": heartbeat 15000\n\n");
    if (request.method === "GET") return followers.add(response);
    const { messages } = await new Response(request).json();
    pace = Number(messages[0].content);
  }).listen(0, "127.0.0.1", 16_384);
  answerParent({ go: talk });
  await once(server, "listening");
  process.send({ port: server.address().port });
}

class Server {
  static async start(what = "serve") {
    const server = new Server();
    server.child = fork(import.meta.filename, [what], { execArgv: ["--expose-gc"] });
    [{ port: server.port }] = await once(server.child, "message");
    return server;
  }
  async ask(what) {
    this.child.send(what);
    return (await once(this.child, "message"))[0];
  }
  /** Opens a connection. Resolves once its answer begins; calls `read` with each text that comes. */
  async open(request, body, read) {
    const socket = connect(this.port, "127.0.0.1").setEncoding("latin1");
    const length = body ? `content-type: application/json\r\ncontent-length: ${body.length}\r\n` : "";
    socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n${length}\r\n${body ?? ""}`);
    await once(socket, "data");
    socket.on("data", read);
    return socket;
  }
  run(thread, pace, read) {
    const messages = [{ id: crypto.randomUUID(), role: "user", content: String(pace) }];
    const body = JSON.stringify({ threadId: thread, runId: thread, messages });
    return this.open("POST /agent", body, read);
  }
}

/** Opens so many connections, some at a time. */
async function opened(count, open) {
  const sockets = [];
  for (let at = 0; at < count; at += 100)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, count - at) }, (_, one) => open(at + one)))));
  return sockets;
}

/** Gathers how late each token was read. */
class Latencies {
  all = [];
  seen = 0;
  read = (text) => {
    const at = now();
    for (const [, said] of text.matchAll(TOKEN)) this.all.push(at - Number(said));
  };
  async until(count) {
    for (const end = Date.now() + 120_000; this.all.length < count; await sleep(20))
      if (Date.now() > end) throw new Error(`${this.all.length} of ${count} tokens came.`);
  }
  at(part) {
    return (this.all.toSorted((a, b) => a - b)[Math.floor(part * (this.all.length - 1))] / 1000).toFixed(1);
  }
}

const kib = (bytes) => (bytes / 1024).toFixed(1);
/** The exponent by which a cost grows from the first size to the last. */
const growth = (rows, cost) => {
  const [first, last] = [rows[0], rows.at(-1)];
  return (Math.log(cost(last) / cost(first)) / Math.log(last.n / first.n)).toFixed(2);
};

async function followed(n, pace, what) {
  const server = await Server.start(what);
  const latencies = new Latencies();
  await server.ask("hold");
  const starter = await server.run("t", pace, () => {});
  const before = await server.ask("usage");
  const sockets = await opened(n, () => server.open("GET /agent/threads/t/runs/t", undefined, latencies.read));
  const held = await server.ask("usage");
  await server.ask("go");
  await latencies.until(n * TOKENS);
  const after = await server.ask("usage");
  for (const socket of [starter, ...sockets]) socket.destroy();
  server.child.kill();
  return {
    n,
    by: what,
    "p50 ms": latencies.at(0.5),
    "p99 ms": latencies.at(0.99),
    "µs a token": ((after.cpu - held.cpu) / n / TOKENS).toFixed(1),
    "heap KiB": kib((held.heap - before.heap) / n),
    "RSS KiB": kib((held.rss - before.rss) / n),
    cpu: after.cpu - held.cpu,
    rss: held.rss - before.rss,
  };
}

async function idle(n) {
  const server = await Server.start();
  const read = new Latencies().read;
  const starter = await server.run("t", 1, () => {});
  const before = await server.ask("usage");
  const path = "GET /agent/threads/t/events?only=starts";
  const sockets = await opened(n, () => server.open(path, undefined, read));
  const held = await server.ask("usage");
  for (const socket of [starter, ...sockets]) socket.destroy();
  server.child.kill();
  return { n, "heap KiB": kib((held.heap - before.heap) / n), "RSS KiB": kib((held.rss - before.rss) / n) };
}

async function threads(n) {
  const server = await Server.start();
  const latencies = new Latencies();
  await server.ask("hold");
  const before = await server.ask("usage");
  const sockets = await opened(n, (at) => server.run(`t${at}`, 100, latencies.read));
  const held = await server.ask("usage");
  await server.ask("go");
  await latencies.until(n * TOKENS);
  const after = await server.ask("usage");
  for (const socket of sockets) socket.destroy();
  server.child.kill();
  return {
    n,
    "p50 ms": latencies.at(0.5),
    "p99 ms": latencies.at(0.99),
    "µs a token": ((after.cpu - held.cpu) / n / TOKENS).toFixed(1),
    "heap KiB": kib((held.heap - before.heap) / n),
    "RSS KiB": kib((held.rss - before.rss) / n),
    cpu: after.cpu - held.cpu,
    rss: held.rss - before.rss,
  };
}

function show(title, rows) {
  console.log(`\n${title}`);
  console.table(rows.map(({ cpu: _cpu, rss: _rss, ...shown }) => shown));
}

const growths = (rows) =>
  `CPU grows as n^${growth(rows, ({ cpu }) => cpu)}, RSS as n^${growth(rows, ({ rss }) => rss)}`;

/** Measures one after the other. */
async function each(sizes, measure) {
  const rows = [];
  for (const size of sizes) rows.push(await measure(size));
  return rows;
}

/** The followers of one run, beside the limit, one after the other. */
async function showFollowed(pace) {
  const rows = [];
  for (const n of FOLLOWERS) for (const what of ["serve", "by hand"]) rows.push(await followed(n, pace, what));
  const of = (what) => rows.filter(({ by }) => by === what);
  const limits = of("by hand");
  show(
    `Followers of one run, a token each ${pace} ms`,
    rows.map((row) => ({ ...row, ratio: (row.cpu / limits.find(({ n }) => n === row.n).cpu).toFixed(2) })),
  );
  for (const what of ["serve", "by hand"]) console.log(`${what}: ${growths(of(what))}`);
}

if (process.argv[2] === "serve") await serve();
else if (process.argv[2] === "by hand") await serveByHand();
else {
  console.log(`${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.version}`);
  for (const pace of PACES) await showFollowed(pace);
  show("Followers of a thread without a run", await each([1_000, 10_000], idle));
  const ofThreads = await each(THREADS, threads);
  show("Threads with a run each, a token each 100 ms", ofThreads);
  console.log(growths(ofThreads));
  process.exit();
}
