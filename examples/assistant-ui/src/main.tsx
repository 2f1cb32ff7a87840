import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AgentChat } from "./agent-chat.js";
import { ThreadChat } from "./thread-chat.js";

// Ways to the same chat: ?runtime=ag-ui is useAgUiRuntime, ?runtime=graph the same with an agent that runs in the page,
// all else useExternalStoreRuntime.
const isAgUi = new URLSearchParams(location.search).has("runtime");

createRoot(document.querySelector("#root") as HTMLElement).render(
  <StrictMode>{isAgUi ? <AgentChat /> : <ThreadChat />}</StrictMode>,
);
