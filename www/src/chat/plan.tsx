// The agent's todos, above the messages and never over them.
import { isObject } from "../state";

const STATUS: Record<string, string> = { pending: "to do", in_progress: "in progress", completed: "done" };

export function Plan({ todos, folds = false }: { todos: unknown; folds?: boolean }) {
  const list = Array.isArray(todos) ? todos.filter(isObject) : [];
  if (list.length === 0) return null;
  const done = list.filter(({ status }) => status === "completed").length;
  const isDone = folds && done === list.length;
  return (
    <details className="plan" key={String(isDone)} open={!isDone}>
      <summary>
        Plan: {done} of {list.length} done
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
