// The agent server alone, for other AG-UI clients: `node www/server/main.mjs [port]`.
import { createServer } from "node:http";
import { createAgent } from "./agent.mjs";

const agent = createAgent();
const port = Number(process.argv[2] ?? 8124);
const server = createServer((request, response) => {
  if (!agent(request, response)) response.writeHead(404).end("The agent is at /agent.\n");
});
server.listen(port, "127.0.0.1", () => console.log(`AG-UI agent: http://127.0.0.1:${server.address().port}/agent`));
