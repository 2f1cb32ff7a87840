// A run's open questions.
import { useId } from "react";
import type { Chat } from "./connection";

export function Question({ agent }: { agent: Pick<Chat["agent"], "interrupts" | "resume"> }) {
  const id = useId();
  const answer = (approved: boolean) =>
    void agent.resume(agent.interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <div className="question" role="group" aria-labelledby={id}>
      <p id={id} role="status">
        {agent.interrupts.map(({ message }) => message ?? "The agent waits for your approval.").join(" ")}
      </p>
      <button type="button" className="primary" onClick={() => answer(true)}>
        Approve
      </button>
      <button type="button" onClick={() => answer(false)}>
        Decline
      </button>
    </div>
  );
}
