// One run: made once, at its own pace, and kept, so that who was cut off can hear the rest or all of it again.
import { setTimeout as sleep } from "node:timers/promises";
import { Turn } from "./conversation.mjs";
import { answer, goOn } from "./script.mjs";

/**
 * @typedef {object} Request - What a client asks for.
 * @property {string} threadId
 * @property {string} runId
 * @property {object[]} messages - In AG-UI's form; those that the server knows by their ids are not new.
 * @property {boolean | undefined} approved - The answer to what the last run asked.
 */

/**
 * @typedef {object} Kept - What the server keeps of a thread.
 * @property {import("./conversation.mjs").Conversation} conversation - As the last run that ended well has left it.
 * @property {{ interrupt: object, call: { id: string } } | undefined} asked - What that run waits for.
 * @property {Run | undefined} last
 */

export class Run {
  #parts = [];
  #ended = false;
  #cancelled = false;
  #waiting = new Set();
  #tell;

  /**
   * @param {Request} request
   * @param {Kept} thread
   * @param {import("./faults.mjs").Faults} faults
   * @param {(event: object, conversation: import("./conversation.mjs").Conversation) => string[]} tell - What is sent
   *   for an event: the lines of parts of the stream.
   */
  constructor(request, thread, faults, tell) {
    this.id = request.runId;
    this.#tell = tell;
    this.#work(request, thread, faults).catch((error) => {
      this.#ended = true;
      this.#add({ type: "RUN_ERROR", message: String(error) }, thread.conversation);
    });
  }

  get ended() {
    return this.#ended;
  }

  /** Ends it before its next event, and resolves then. What was said by then stays said. */
  async cancel() {
    this.#cancelled = true;
    while (!this.#ended) await new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** The parts of the stream from number `from` (the first is 1) on, as they come: `{ id, text }`. */
  async *parts(from) {
    for (let id = from; ; id++) {
      while (id > this.#parts.length) {
        if (this.#ended) return;
        await new Promise((resolve) => this.#waiting.add(resolve));
      }
      yield { id, text: `id: ${id}\n${this.#parts[id - 1]}\n\n` };
    }
  }

  async #work(request, thread, faults) {
    await sleep(faults.latency);
    const conversation = thread.conversation.copy();
    const { asked } = thread;
    let count = 0;
    for (const event of events(request, asked, conversation, faults)) {
      if (faults.fail !== undefined && count === Math.max(1, faults.fail)) {
        this.#ended = true;
        const error = {
          type: "RUN_ERROR",
          message: "The model did not answer. (You asked for this.)",
          code: "SCRIPTED",
        };
        return this.#add(error, conversation);
      }
      const { threadId, runId } = request;
      const next = this.#cancelled ? { type: "RUN_FINISHED", threadId, runId } : event;
      // Whoever hears the end may ask for the thread, or for its next run, at once.
      if (next.type === "RUN_FINISHED") {
        thread.conversation = conversation;
        thread.asked = event.asked;
        this.#ended = true;
      }
      this.#add(next, conversation);
      count++;
      if (this.#ended) return;
      if (faults.tick > 0) await sleep(faults.tick);
    }
  }

  #add(event, conversation) {
    this.#parts.push(...this.#tell(event, conversation));
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}

function* events({ threadId, runId, messages, approved }, asked, conversation, faults) {
  yield { type: "RUN_STARTED", threadId, runId };
  const turn = new Turn(conversation, messages, faults);
  let open;
  if (approved !== undefined) {
    if (!asked) return yield { type: "RUN_ERROR", message: "The server does not remember that question." };
    yield* goOn(turn, asked, approved, runId);
  } else {
    const question = messages.findLast(({ role }) => role === "user")?.content;
    open = yield* answer(turn, typeof question === "string" ? question : "something without words", runId, faults);
  }
  yield* turn.finish();
  yield finished(threadId, runId, open);
}

/** The end of a run. What it asks is told by it; the call that waits is for the server alone. */
function finished(threadId, runId, asked) {
  const event = { type: "RUN_FINISHED", threadId, runId };
  if (asked) event.outcome = { type: "interrupt", interrupts: [asked.interrupt] };
  return Object.defineProperty(event, "asked", { value: asked });
}
