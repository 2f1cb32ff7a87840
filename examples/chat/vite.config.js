import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

// The page asks its own server, which asks the agent.
const proxy = { "/agent": process.env.AGENT_URL ?? "http://localhost:8000" };

export default defineConfig({ plugins: [react()], server: { proxy } });
