// Puts the agent on the page once it comes near the screen: until then a visitor pays nothing for it.
import { createRoot } from "react-dom/client";

export function startAgent(host: HTMLElement): void {
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      void render(host);
    },
    { rootMargin: "400px" },
  );
  sight.observe(host);
}

async function render(host: HTMLElement): Promise<void> {
  const [{ AgentSection }, { PageAgent }] = await Promise.all([import("./agent-section"), import("./page-agent")]);
  createRoot(host).render(<AgentSection opened={await PageAgent.opened()} />);
}
