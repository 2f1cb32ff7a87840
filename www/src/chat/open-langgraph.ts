import { Thread } from "threadfold";
import { LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { loadThread, persist } from "threadfold/persist";
import type { Saved } from "./saved";

export async function openChat(saved: Saved, server: LangGraphRunnerOptions) {
  const thread = (await loadThread(saved)) ?? new Thread({ history: "full" });
  const agent = new LangGraphRunner(thread, { subgraphs: true, ...server }); // { apiUrl, assistantId: "agent" }
  void agent.load(); // the run that a reload left
  return { thread, agent, stopSaving: persist(thread, saved) };
}
