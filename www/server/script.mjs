// What the agent answers: made up from the question, with no model anywhere.

const LONG = [
  "threadfold keeps two things apart.",
  "What the server has said is confirmed; what you have just done is pending.",
  "What you see is the one over the other.",
  "So your message is there before the server has heard of it,",
  "and it stays where it is while the echo, the answer and the snapshot arrive.",
].join(" ");

const SHORT = `You wrote “{question}”. That message was on your page before I had it; now it is confirmed. 你好 👋🏽`;

const CITIES = { Berlin: "12 °C, rain", Lagos: "31 °C, sun", Lima: "19 °C, fog", Osaka: "24 °C, clouds" };

/**
 * The events of an answer to the last message, without those that begin and end a run. Returns what it has to ask before
 * it can go on: an interrupt, and the tool call that waits.
 *
 * @param {import("./conversation.mjs").Turn} turn
 * @param {string} question
 * @param {string} runId - The ids are made from it.
 */
export function* answer(turn, question, runId, { rewrite }) {
  const asked = question.toLowerCase();
  const id = (name) => `${runId}-${name}`;
  if (/\bmail\b|\bwrite to\b/.test(asked)) return yield* mail(turn, id);
  if (/weather|forecast/.test(asked)) yield* weather(turn, question, id);
  else if (/\blong\b|\btokens\b/.test(asked))
    yield* turn.say(id("answer"), Array.from({ length: 8 }, () => LONG).join("\n\n"));
  else if (/\bshort\b|^(hi|hello|hey)\b/.test(asked))
    yield* turn.say(
      id("answer"),
      SHORT.replace("{question}", () => question),
    );
  else yield* plan(turn, question, id);
  if (rewrite) turn.rewrite(id("answer"), "I would rather not have said that.");
}

/** A tool that may not run before somebody says so. */
function* mail(turn, id) {
  const args = { to: "ada@example.com", subject: "I am late", text: "Start without me: I am there at ten." };
  const call = toolCall(id("mail"), "send_mail", args);
  yield* turn.say(id("draft"), "I have a mail ready for Ada.", [call]);
  const message = `Send this mail to ${args.to}?`;
  return { interrupt: { id: id("approval"), reason: "tool_call", message, toolCallId: call.id }, call };
}

/**
 * What comes of the answer to an interrupt.
 *
 * @param {import("./conversation.mjs").Turn} turn
 * @param {{ call: { id: string } }} asked - What `answer` returned.
 * @param {boolean} approved
 * @param {string} runId
 */
export function* goOn(turn, { call }, approved, runId) {
  yield* turn.result(`${runId}-sent`, call.id, approved ? "The mail is sent." : "The user said no: nothing was sent.");
  yield* turn.say(
    `${runId}-answer`,
    approved ? "Done: Ada has your mail, and starts without you." : "Fine: I have not sent it. The draft is above.",
  );
}

/** Todos, a tool that notes them, an answer in a file. */
function* plan(turn, question, id) {
  const todos = ["Read the question", "Answer it", "Keep the answer"].map((content) => ({
    content,
    status: "pending",
  }));
  const call = toolCall(id("plan"), "write_todos", { todos });
  yield { type: "STEP_STARTED", stepName: "plan" };
  yield* turn.say(id("thought"), "Let me plan this first.", [call]);
  yield* turn.set({ todos });
  yield* turn.result(id("planned"), call.id, `Noted ${todos.length} todos.`);
  yield { type: "STEP_FINISHED", stepName: "plan" };

  yield { type: "STEP_STARTED", stepName: "answer" };
  yield* turn.change("completed", "todos", 0, "status");
  yield* turn.change("in_progress", "todos", 1, "status");
  const text = `You wrote “${question}”. ${LONG}`;
  yield* turn.say(id("answer"), text);
  yield* turn.change("completed", "todos", 1, "status");
  yield* turn.change({ content: text, encoding: "utf-8" }, "files", "/answer.md");
  yield* turn.change("completed", "todos", 2, "status");
  yield { type: "STEP_FINISHED", stepName: "answer" };
}

/** Two calls in one message, and what comes of them. */
function* weather(turn, question, id) {
  const named = Object.keys(CITIES).filter((city) => question.toLowerCase().includes(city.toLowerCase()));
  const cities = [...new Set([...named, ...Object.keys(CITIES)])].slice(0, 2);
  const calls = cities.map((city) => toolCall(id(city), "get_weather", { city, days: 1 }));
  yield* turn.say(id("looking"), "", calls);
  for (const [at, call] of calls.entries()) yield* turn.result(id(`${cities[at]}-found`), call.id, CITIES[cities[at]]);
  yield* turn.say(
    id("answer"),
    `In ${cities.map((city) => `${city} it is ${CITIES[city]}`).join("; in ")}. Take a coat to one of them.`,
  );
}

const toolCall = (id, name, args) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });
