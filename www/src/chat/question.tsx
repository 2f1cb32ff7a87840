// What the run asks before it goes on: at the end of the messages, which make room for it by scrolling.
import type { Chat } from "./connection";

export function Question({ agent }: { agent: Chat["agent"] }) {
  const answer = (approved: boolean) =>
    void agent.resume(agent.interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <li className="asks">
      <div className="question" role="group" aria-labelledby="question-text">
        <p id="question-text" role="status">
          {agent.interrupts.map(({ message }) => message ?? "The agent waits for your approval.").join(" ")}
        </p>
        <button type="button" className="primary" onClick={() => answer(true)}>
          Approve
        </button>
        <button type="button" onClick={() => answer(false)}>
          Decline
        </button>
      </div>
    </li>
  );
}
