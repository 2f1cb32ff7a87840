// The chat that plays by itself when nobody has written yet.
import type { Chat } from "./connection";

const SCRIPT = ["Plan my week", "Mail Ada that I am late"];
const PAUSE = 1_200;

/** Sends the script's messages in turn, until the visitor sends one, or wants less motion. */
export async function autoplay({ thread, agent }: Chat): Promise<void> {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || thread.getState().messages.length > 0) return;
  for (const [turn, text] of SCRIPT.entries()) {
    if (turn > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const asked = thread
      .getState()
      .messages.filter(({ type, role }: { type?: string; role?: string }) =>
        [type, role].some((of) => of === "user" || of === "human"),
      );
    if (asked.length !== turn || agent.status !== "ready") return;
    // A chat that was closed meanwhile refuses it.
    const end = await agent.sendMessage(text).catch(() => undefined);
    if (end?.status !== "finished") return;
  }
}
