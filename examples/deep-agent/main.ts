// A deep agent: plans, writes files, has sub-agents work, and asks before it books. Each call of this program is a
// process of its own; trip.sqlite keeps the conversation between them.
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { type ApprovalRequest, createDeepAgent, tool } from "threadfold/agent";
import { Command, INTERRUPT, isInterrupted } from "threadfold/graph";
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
const thread = { threadId: "trip" };
const waits = (await agent.getState(thread)).next.length > 0;
const decision = word === "yes" ? { type: "approve" } : { type: "reject", message: word };
const input = waits ? new Command({ resume: { decisions: [decision] } }) : { messages: word };
const result = await agent.invoke(input, thread);

for (const { status, content } of result.todos) console.log(`[${status}] ${content}`);
for (const [path, { content }] of Object.entries(result.files ?? {})) console.log(`${path}: ${String(content)}`);
if (isInterrupted<ApprovalRequest>(result)) {
  for (const { action_requests: actions } of result[INTERRUPT].map(({ value }) => value as ApprovalRequest))
    for (const { name, args } of actions) console.log(`${name}(${JSON.stringify(args)})? Say yes, or why not.`);
} else console.log(result.messages.at(-1)?.content);
