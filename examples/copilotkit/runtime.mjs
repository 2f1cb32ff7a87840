// CopilotKit's runtime with a FoldHttpAgent in HttpAgent's place: `node runtime.mjs`, on http://localhost:4000.
import { createServer } from "node:http";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { FoldHttpAgent } from "threadfold/ag-ui/client";

const agent = new FoldHttpAgent({ url: process.env.AGENT_URL ?? "http://localhost:8000" });
const runtime = new CopilotRuntime({ agents: { default: agent } });

const listener = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit", cors: true });
createServer(listener).listen(Number(process.env.PORT ?? 4000));
