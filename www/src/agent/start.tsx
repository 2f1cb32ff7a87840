// Puts the agent on the page once it comes near the screen: until then a visitor pays nothing for it.
import { createRoot } from "react-dom/client";

export function startAgent(host: HTMLElement): void {
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      void import("./agent-section").then(({ AgentSection }) => createRoot(host).render(<AgentSection />));
    },
    { rootMargin: "400px" },
  );
  sight.observe(host);
}
