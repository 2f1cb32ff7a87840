import { spawn } from "node:child_process";
import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

// The service runs beside the page's server, and ends with it.
const service = {
  name: "service",
  apply: "serve",
  configureServer() {
    const child = spawn("cargo", ["run", "--quiet"], { cwd: "..", stdio: "inherit" });
    process.on("exit", () => child.kill());
  },
};

const proxy = { "/agent": "http://127.0.0.1:8000" };

export default defineConfig({ plugins: [react(), service], server: { proxy } });
