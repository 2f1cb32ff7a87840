// The agent server as part of the page's server: Vite's dev server, and its preview of the built page.
import { createAgent } from "./agent.mjs";

/** @returns {import("vite").Plugin} */
export function agentServer() {
  const attach = ({ middlewares }) => {
    const agent = createAgent();
    middlewares.use((request, response, next) => {
      if (!agent(request, response)) next();
    });
  };
  return { name: "agent-server", configureServer: attach, configurePreviewServer: attach };
}
