// The chat's state as a tree, with the part that the server has not confirmed.
import { useEffect, useRef } from "react";
import { usePending } from "threadfold/react";
import { StateTree } from "../state-tree";
import type { Chat } from "./connection";

export function StatePane({ chat: { thread } }: { chat: Chat }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scroll = host.current;
    if (!scroll) return;
    const tree = new StateTree(scroll);
    let shown = thread.getState();
    let frame = 0;
    const show = () => {
      frame = 0;
      const state = thread.getState();
      tree.show(shown, state, thread.getConfirmedState());
      shown = state;
    };
    // Once for each frame, however many events came in it.
    const unsubscribe = thread.subscribe(() => (frame ||= requestAnimationFrame(show)));
    show();
    return () => {
      unsubscribe();
      cancelAnimationFrame(frame);
      scroll.replaceChildren();
    };
  }, [thread]);
  return (
    <section className="pane" aria-labelledby="chat-state-title">
      <div className="pane-head">
        <h3 id="chat-state-title">State of the chat above</h3>
        <Legend thread={thread} />
      </div>
      <div
        id="chat-state"
        ref={host}
        className="scroll"
        tabIndex={0}
        role="region"
        aria-labelledby="chat-state-title"
      />
    </section>
  );
}

function Legend({ thread }: { thread: Chat["thread"] }) {
  const pending = usePending(thread);
  const failed = pending.filter(({ status }) => status === "failed").length;
  return (
    <p id="chat-legend">
      {pending.length === 0
        ? "All of it is confirmed by the server."
        : `${pending.length} pending${failed > 0 ? ` (${failed} failed)` : ""}; the rest is confirmed by the server.`}
    </p>
  );
}
