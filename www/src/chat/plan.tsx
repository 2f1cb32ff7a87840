// The agent's todos, above the messages and never over them.
import { isObject } from "../state";

const STATUS: Record<string, string> = { pending: "to do", in_progress: "in progress", completed: "done" };

/** With `folds`, one line that exists before the plan does: nothing moves when it comes or goes. */
export function Plan({ todos, folds = false }: { todos: unknown; folds?: boolean }) {
  const list = Array.isArray(todos) ? todos.filter(isObject) : [];
  if (list.length === 0) return folds ? <p className="plan">No plan yet</p> : null;
  const done = list.filter(({ status }) => status === "completed").length;
  const current = list.find(({ status }) => status === "in_progress");
  return (
    <details className="plan" open={!folds}>
      <summary>
        Plan: {done} of {list.length} done {folds && current && <span>{String(current["content"])}</span>}
      </summary>
      <ul className="todos" aria-label="Todos">
        {list.map(({ content, status }, at) => (
          <li key={at} data-status={String(status)}>
            <span>{String(content)}</span>
            <small>{STATUS[String(status)] ?? String(status)}</small>
          </li>
        ))}
      </ul>
    </details>
  );
}
