import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AgentChat } from "./agent-chat.js";
import { ThreadChat } from "./thread-chat.js";

// Two ways to the same chat: ?runtime=ag-ui is useAgUiRuntime, all else useExternalStoreRuntime.
const isAgUi = new URLSearchParams(location.search).get("runtime") === "ag-ui";

createRoot(document.querySelector("#root") as HTMLElement).render(
  <StrictMode>{isAgUi ? <AgentChat /> : <ThreadChat />}</StrictMode>,
);
