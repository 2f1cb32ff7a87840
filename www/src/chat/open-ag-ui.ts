import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { loadThread, persist } from "threadfold/persist";
import type { Saved } from "./saved";

export async function openChat(saved: Saved, server: AgUiRunnerOptions) {
  const thread = (await loadThread<AgUiState>(saved)) ?? new Thread<AgUiState>();
  const agent = new AgUiRunner(thread, server); // { url: "/agent" }
  void agent.load(); // the run that a reload left
  return { thread, agent, stopSaving: persist(thread, saved) };
}
