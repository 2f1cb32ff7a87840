// Measures a token's cost to the page's main thread, in two lists that are laid out but not seen.
import { startTransition, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Thread } from "threadfold";
import { ListByMessage, WholeList } from "./lists";

export const MESSAGES = 2_000;
/** The message's text starts over after so many tokens, or the list would grow while it is measured. */
const LENGTH = 300;
const LAST = `m${MESSAGES - 1}`;

const WORDS = "A thread is a list of messages, and most of it stays as it was while the last one grows. ";

const message = (at: number, content = WORDS.repeat(1 + (at % 3))) =>
  ({ id: `m${at}`, type: at % 2 === 0 ? "human" : "ai", content }) as const;

export interface Subject {
  /** Milliseconds of one token: the reducer, React, style and layout. */
  token(): number;
  close(): void;
}

/** A list of so many messages in the page; ready when it is rendered. */
export async function createSubject(kind: "whole" | "byMessage"): Promise<Subject> {
  const thread = new Thread({ values: { messages: Array.from({ length: MESSAGES }, (_, at) => message(at)) } });
  const host = document.createElement("div");
  host.className = "measured";
  host.inert = true;
  host.ariaHidden = "true";
  document.body.append(host);
  const root = createRoot(host);
  const list: ReactNode = kind === "whole" ? <WholeList thread={thread} /> : <ListByMessage thread={thread} />;
  // In slices, so that the page answers meanwhile.
  startTransition(() => root.render(list));
  await new Promise<void>((resolve) => {
    const look = () => (host.querySelector(".message") ? resolve() : setTimeout(look, 30));
    look();
  });
  host.scrollTop = host.scrollHeight;
  let tokens = 0;

  function tell(): void {
    thread.receive({ type: "text", messageId: LAST, text: " token" });
    thread.flush();
  }

  return {
    token() {
      if (++tokens % LENGTH === 0) thread.update({ messages: [message(MESSAGES - 1)] });
      const start = performance.now();
      flushSync(tell);
      // Asks for a place, and so for style and layout.
      host.getBoundingClientRect();
      return performance.now() - start;
    },
    close() {
      root.unmount();
      host.remove();
      thread.dispose();
    },
  };
}
