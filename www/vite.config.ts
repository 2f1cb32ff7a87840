import { defineConfig } from "vite";
import { docs } from "./docs.ts";
import { readme } from "./readme.ts";
import { agentServer } from "./server/plugin.mjs";

export default defineConfig({
  // Relative addresses: the built page works in any folder of any server.
  base: "./",
  plugins: [readme(), docs(), agentServer()],
  // Also under `npm run dev`: development builds freeze every snapshot, and the chart is not about that.
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  worker: { format: "es" },
  build: {
    target: "es2022",
    rollupOptions: { input: ["index.html", "readme.html"] },
    // @ag-ui/client, which only the chart's worker loads, and only on demand.
    chunkSizeWarningLimit: 2_000,
  },
});
