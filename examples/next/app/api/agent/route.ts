// An edge route between the page and the agent: adds the tools that the server offers, and passes the stream on.
import { mergeTools, type Tool } from "threadfold";

export const runtime = "edge";

const TOOLS: Tool[] = [{ name: "get_weather", description: "The weather in a city" }];

export async function POST(request: Request): Promise<Response> {
  const input = (await request.json()) as { tools: Tool[] };
  const answer = await fetch(process.env.AGENT_URL ?? "http://localhost:8000", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ ...input, tools: mergeTools(TOOLS, input.tools) }),
    signal: request.signal,
  });
  return new Response(answer.body, { status: answer.status, headers: { "content-type": "text/event-stream" } });
}
