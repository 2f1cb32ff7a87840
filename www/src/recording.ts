/// <reference types="vite/client" />
// The recorded runs: which there are, and reading one.
import { createParser } from "eventsource-parser";

/** One event of a run: AG-UI names it inside the data, LangGraph beside it. */
export interface RunEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface Recording {
  readonly id: string;
  readonly label: string;
  readonly protocol: "ag-ui" | "langgraph";
  readonly about: string;
  readonly file: string;
  /** The client's input that started the run, where the stream does not repeat it. */
  readonly input?: { readonly messages: readonly object[]; readonly tools: readonly object[] };
}

export const RECORDINGS: readonly [Recording, ...Recording[]] = [
  {
    id: "ag-ui",
    label: "AG-UI: a tool call",
    protocol: "ag-ui",
    about: "ag_ui_langgraph on FastAPI: the agent plans with write_todos, then answers.",
    file: "ag-ui-tool-call.sse",
    input: {
      messages: [{ id: "u1", role: "user", content: "What is the answer?" }],
      tools: [{ name: "confirm", description: "Ask the user", parameters: { type: "object", properties: {} } }],
    },
  },
  {
    id: "langgraph",
    label: "LangGraph: a tool call",
    protocol: "langgraph",
    about: "The same agent on a LangGraph server, with stream modes values, updates and messages.",
    file: "langgraph-tool-call.sse",
  },
  {
    id: "langgraph-custom",
    label: "LangGraph: todos and custom data",
    protocol: "langgraph",
    about: "A graph that writes its plan first, reports progress, and then answers.",
    file: "langgraph-four-modes.sse",
  },
];

/** The events in order. AG-UI's RAW events, which repeat the others for debugging, are counted and left out. */
export async function loadRecording(recording: Recording): Promise<{ events: RunEvent[]; skipped: number }> {
  const response = await fetch(`${import.meta.env.BASE_URL}runs/${recording.file}`);
  if (!response.ok) throw new Error(`The recording ${recording.file} could not be loaded (${response.status}).`);
  const all = parse(await response.text());
  const events = all.filter(({ name }) => name !== "RAW");
  return { events, skipped: all.length - events.length };
}

function parse(text: string): RunEvent[] {
  const events: RunEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const parsed = JSON.parse(data) as { type?: string };
      if (event !== undefined) return events.push({ name: event, data: parsed });
      // The bridge's copy of the event it was made from is as good as a RAW event.
      const { rawEvent: _, ...rest } = parsed as { type?: string; rawEvent?: unknown };
      return events.push({ name: rest.type ?? "message", data: rest });
    },
  });
  parser.feed(text);
  parser.feed("\n\n");
  return events;
}
