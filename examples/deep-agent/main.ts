// A deep agent: plans, writes files, has sub-agents work, and asks before it books. Each call of this program is a
// process of its own; trip.sqlite keeps the conversation between them.
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { type LangChainMessage, type Subagent, Thread } from "threadfold";
import { type ApprovalRequest, createDeepAgent, tool } from "threadfold/agent";
import { Command } from "threadfold/graph";
import { foldGraph } from "threadfold/langgraph";
import { model } from "./model.js"; // or a chat model of LangChain, or one of the AI SDK

const agent = createDeepAgent({
  model,
  systemPrompt: "You plan trips.",
  tools: [
    tool({
      name: "book_hotel",
      description: "Books a hotel. It costs money.",
      schema: { type: "object", properties: { hotel: { type: "string" } }, required: ["hotel"] },
      run: ({ hotel }: { hotel: string }) => `Booked: ${hotel}`,
    }),
  ],
  interruptOn: { book_hotel: true },
  checkpointer: SqliteSaver.fromConnString("trip.sqlite"),
});

const [word = "Plan a weekend in Rome."] = process.argv.slice(2);
const config = { threadId: "trip" };
const waits = (await agent.getState(config)).next.length > 0;
const decision = word === "yes" ? { type: "approve" } : { type: "reject", message: word };
const input = waits ? new Command({ resume: { decisions: [decision] } }) : { messages: word };

// Each sub-agent is a thread of its own, under the call that started it.
const thread = new Thread();
const seen = new Set<Subagent["thread"]>();
thread.subscribe(() => {
  for (const { toolCallId, thread: work } of thread.subagents) {
    if (seen.has(work)) continue;
    seen.add(work);
    const call = thread
      .getState()
      .messages.flatMap(callsOf)
      .find(({ id }) => id === toolCallId);
    let shown = "";
    work.subscribe(() => {
      const { messages } = work.getState();
      const line = `${String(call?.args["description"])} ${work.run.status}, ${messages.length} messages`;
      if (line !== shown) console.log((shown = line));
    });
  }
});
const stream = agent.stream(input, { ...config, streamMode: ["updates", "messages"], subgraphs: true });
const { interrupts, error } = await foldGraph(thread, stream);
if (error) throw error;

const { values } = await agent.getState(config);
for (const { status, content } of values.todos) console.log(`[${status}] ${content}`);
for (const [path, { content }] of Object.entries(values.files ?? {})) console.log(`${path}: ${String(content)}`);
for (const { value } of interrupts)
  for (const { name, args } of (value as ApprovalRequest).action_requests)
    console.log(`${name}(${JSON.stringify(args)})? Say yes, or why not.`);
if (interrupts.length === 0) console.log(values.messages.at(-1)?.content);

function callsOf(message: LangChainMessage) {
  return message.type === "ai" ? (message.tool_calls ?? []) : [];
}
