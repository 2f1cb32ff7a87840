import { Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { loadThread, persist } from "threadfold/persist";

const apiUrl: string = import.meta.env.VITE_LANGGRAPH_URL ?? "http://localhost:2024";
const assistantId: string = import.meta.env.VITE_ASSISTANT_ID ?? "agent";
const saved = { name: "chat", storage: sessionStorage, onError: console.warn };

export const thread = loadThread(saved) ?? new Thread();
export const agent = new LangGraphRunner(thread, { apiUrl, assistantId });

persist(thread, saved);
// Loads the server's current state, and joins a run that continues there, such as one that a reload interrupted.
void agent.load();
