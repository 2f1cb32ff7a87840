// The page: each section is a module of its own.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startAgent } from "./agent/start";
import { autoplay } from "./chat/autoplay";
import { lastServer, open } from "./chat/connection";
import { createCostChart } from "./cost/cost-chart";
import { byId, copyFrom } from "./dom";
import { FirstScreen } from "./first-screen";
import { createPlayground } from "./playground";
import { startReplay } from "./replay";

const chat = await open(lastServer());
createRoot(byId("first-screen")).render(
  <StrictMode>
    <FirstScreen first={chat} stateHost={byId("chat-state-host")} devtoolsHost={byId("devtools-host")} />
  </StrictMode>,
);
void autoplay(chat);
startAgent(byId("page-agent"));
startReplay();
createPlayground(byId("playground"));
createCostChart(byId("chart"));

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  button.addEventListener("click", () => void copyFrom(button, byId(button.dataset["copy"] ?? "").textContent));
}
