import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";

const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";

export const thread = new Thread<AgUiState>();
export const agent = new AgUiRunner(thread, { url });
