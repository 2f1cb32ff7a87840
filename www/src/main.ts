// The page: each section is a module of its own.
import { startChat } from "./chat";
import { createCostChart } from "./cost-chart";
import { byId, copyFrom } from "./dom";
import { createPlayground } from "./playground";
import { startReplay } from "./replay";

startChat();
startReplay();
createPlayground(byId("playground"));
createCostChart(byId("chart"));

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  button.addEventListener("click", () => void copyFrom(button, byId(button.dataset["copy"] ?? "").textContent));
}
