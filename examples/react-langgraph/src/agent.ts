import { openLangGraph } from "threadfold/langgraph";

const apiUrl: string = import.meta.env.VITE_LANGGRAPH_URL ?? "http://localhost:2024";
const assistantId: string = import.meta.env.VITE_ASSISTANT_ID ?? "agent";

/**
 * Saved in the tab's `sessionStorage`. After a reload it loads the server's current state, and joins a run that continues
 * there.
 */
export const agent = openLangGraph({ apiUrl, assistantId });
