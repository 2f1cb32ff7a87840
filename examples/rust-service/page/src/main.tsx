import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.js";

createRoot(document.querySelector("#root") as HTMLElement).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
