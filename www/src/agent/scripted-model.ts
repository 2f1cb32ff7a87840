// A model that is a script: its answer depends on the user's last words, and on the results of its calls.
import type { NodeContext } from "threadfold/graph";
import type { Call, Message } from "./message";

/** Milliseconds from one word to the next. */
const PACE = 28;

interface Said {
  readonly text: string;
  readonly calls?: readonly Omit<Call, "id">[];
}

export async function scripted(messages: readonly Message[], ctx: NodeContext): Promise<Message> {
  const { text, calls = [] } = answer(messages);
  const id = `answer-${crypto.randomUUID()}`;
  const tell = async (fields: object) => {
    await pause(ctx.signal);
    ctx.message({ type: "AIMessageChunk", id, content: "", tool_call_chunks: [], ...fields });
  };
  for (const content of text.match(/\s*\S+/g) ?? []) await tell({ content });
  const made = calls.map((call, at): Call => ({ ...call, id: `${id}-${at}` }));
  for (const [index, { id: call, name, args }] of made.entries()) {
    await tell({ tool_call_chunks: [{ index, id: call, name, args: "" }] });
    for (const part of JSON.stringify(args).match(/.{1,24}/gs) ?? [])
      await tell({ tool_call_chunks: [{ index, args: part }] });
  }
  return { type: "ai", id, content: text, tool_calls: made };
}

function answer(messages: readonly Message[]): Said {
  const asked = messages.findLast(({ type }) => type === "human");
  const since = messages.slice(asked ? messages.indexOf(asked) + 1 : 0);
  const results = since.filter(({ type }) => type === "tool").map(({ content }) => content);
  const question = asked?.content ?? "";
  if (/mail|write to/i.test(question)) return mail(results);
  if (/weather|forecast/i.test(question)) return weather(results);
  if (/plan|week|trip/i.test(question)) return plan(since.filter(({ type }) => type === "ai").length);
  return {
    text: `You wrote “${question}”. I am a script in this page: ask me to plan something, to compare the weather, or to write to Ada. Or give me a real model, below.`,
  };
}

function mail([came]: readonly string[]): Said {
  if (came === undefined)
    return {
      text: "I have a mail ready for Ada.",
      calls: [{ name: "send_mail", args: { to: "ada@example.com", text: "Start without me: I am there at ten." } }],
    };
  return { text: /declined/.test(came) ? "Fine: nothing was sent." : "Done: Ada has your mail." };
}

function weather(results: readonly string[]): Said {
  if (results.length === 0)
    return {
      text: "",
      calls: ["Lima", "Osaka"].map((city) => ({ name: "get_weather", args: { city } })),
    };
  return { text: `In Lima it is ${results[0]}; in Osaka ${results[1] ?? "the same"}. Take a coat to one of them.` };
}

const TODOS = ["Look at the weather", "Write the plan", "Tell you"];

function plan(turn: number): Said {
  const done = [0, 1, 2, 3][turn] ?? 3;
  const todos = TODOS.map((content, at) => ({
    content,
    status: at < done ? "completed" : at === done ? "in_progress" : "pending",
  }));
  const note = { name: "write_todos", args: { todos } };
  if (turn === 0) return { text: "Let me plan this first.", calls: [note] };
  if (turn === 1) return { text: "Now the weather.", calls: [note, { name: "get_weather", args: { city: "Lima" } }] };
  if (turn === 2)
    return { text: "", calls: [{ ...note, args: { todos: todos.map((todo) => ({ ...todo, status: "completed" })) } }] };
  return {
    text: "Monday to Wednesday indoors, for the fog; Thursday the coast; Friday nothing at all. Move the slider to see how I came to this, a step at a time.",
  };
}

/** Waits as long as a word takes. */
export function pause(signal: AbortSignal, milliseconds = PACE): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
