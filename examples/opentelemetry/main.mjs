// A graph with a graph in it, and a node that fails once, traced: prints the spans as a tree.
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";
import { tracing } from "./tracing.mjs";

const exporter = new InMemorySpanExporter(); // yours sends them: OTLPTraceExporter
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const State = defineSchema({ log: field.append() });
const research = new StateGraph(State)
  .addNode("search", () => ({ log: ["searched"] }))
  .addEdge(START, "search")
  .addEdge("search", END)
  .compile({ name: "research" });

let attempts = 0;
const graph = new StateGraph(State)
  .addNode("research", async ({ log }, ctx) => ({ log: (await research.invoke({ log }, ctx)).log.slice(log.length) }))
  .addNode(
    "write",
    () => {
      if (attempts++ === 0) throw new TypeError("The model is busy.");
      return { log: ["wrote"] };
    },
    { retryPolicy: { maxAttempts: 2, initialInterval: 1, retryOn: () => true } },
  )
  .addEdge(START, "research")
  .addEdge("research", "write")
  .addEdge("write", END)
  .compile({ name: "report" });

await graph.invoke({ log: [] }, { on: tracing() }); // or, for all its runs: compile({ on: tracing() })

const spans = exporter
  .getFinishedSpans()
  .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
const show = (parent, indent) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)) {
    const events = span.events.map(({ name }) => name).join(", ");
    console.log(`${indent}${span.name}${events && ` (${events})`}`);
    show(span.spanContext().spanId, `${indent}  `);
  }
};
show(undefined, "");
