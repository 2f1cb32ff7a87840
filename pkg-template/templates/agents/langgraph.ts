import { openLangGraph } from "threadfold/langgraph";

// The agent of `npx threadfold agent`: the address of your server, and the name of its graph, go here.
export const agent = openLangGraph({ apiUrl: "http://localhost:8000", assistantId: "agent" });
