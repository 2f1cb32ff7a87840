import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

// The page asks its own server for /agent, which asks the agent at this address.
const target = process.env.AGENT_URL ?? "http://localhost:8000";
const proxy = { "/agent": { target, changeOrigin: true, ignorePath: true } };

export default defineConfig({ plugins: [react()], server: { proxy } });
