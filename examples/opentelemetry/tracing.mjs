// The runs and tasks of a graph as spans: the listener for `compile({ on })`, or for one run, `invoke(input, { on })`.
import { context, SpanStatusCode, trace } from "@opentelemetry/api";

const tracer = trace.getTracer("threadfold");

/** A run's span is within the span of the task that runs it, a task's within its run's. */
export function tracing() {
  const runs = new Map();
  const tasks = new Map();
  const begin = (name, parent, attributes, startTime) =>
    tracer.startSpan(
      name,
      { attributes, startTime },
      parent ? trace.setSpan(context.active(), parent) : context.active(),
    );
  return ({ type, runId, graph, threadId, parentTaskId, node, taskId, attempt, step, time, error }) => {
    if (node === "__start__") return;
    const [what, how] = type.split("-");
    const [spans, key] = what === "run" ? [runs, runId] : [tasks, taskId];
    if (type === "run-start")
      runs.set(
        runId,
        begin(`graph ${graph}`, tasks.get(parentTaskId), { "graph.thread": threadId, "graph.run": runId }, time),
      );
    else if (type === "task-start")
      tasks.set(taskId, begin(`node ${node}`, runs.get(runId), { "graph.step": step, "graph.task": taskId }, time));
    const span = spans.get(key);
    if (!span || how === "start") return;
    if (error) span.recordException(error, time);
    if (how === "retry") return span.addEvent("retry", { attempt }, time);
    if (how === "error") span.setStatus({ code: SpanStatusCode.ERROR, message: String(error?.message ?? error) });
    if (how === "interrupt") span.addEvent("interrupt", {}, time);
    span.end(time);
    spans.delete(key);
  };
}
