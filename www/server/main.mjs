// The agent server alone, for other clients: `node www/server/main.mjs [port]`.
import { createServer } from "node:http";
import { createAgent } from "./agent.mjs";

const agent = createAgent();
const port = Number(process.argv[2] ?? 8124);
const server = createServer((request, response) => {
  if (!agent(request, response)) response.writeHead(404).end("The agent is at /agent and /langgraph.\n");
});
server.listen(port, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  console.log(`AG-UI agent: ${address}/agent\nLangGraph deployment: ${address}/langgraph`);
});
