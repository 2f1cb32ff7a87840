import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";

export const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";

export const thread = new Thread<AgUiState>();
// An agent of yours that keeps no runs takes { url }: then no message has branches.
export const agent = new AgUiRunner(thread, { url: `${url}/live`, resumable: true });
