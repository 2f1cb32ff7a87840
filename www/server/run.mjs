// One run: made once, at its own pace, and kept, so that who was cut off can hear the rest or all of it again.
import { setTimeout as sleep } from "node:timers/promises";
import { Turn } from "./conversation.mjs";
import { answer } from "./script.mjs";

export class Run {
  #parts = [];
  #ended = false;
  #waiting = new Set();

  /**
   * @param {object} input - The RunAgentInput.
   * @param {{ conversation: import("./conversation.mjs").Conversation }} thread - Gets the run's conversation if it ends well.
   * @param {import("./faults.mjs").Faults} faults
   */
  constructor(input, thread, faults) {
    this.#work(input, thread, faults).catch((error) => {
      this.#ended = true;
      this.#add({ type: "RUN_ERROR", message: String(error) });
    });
  }

  get ended() {
    return this.#ended;
  }

  /** The parts of the stream from number `from` (the first is 1) on, as they come: `{ id, text }`. */
  async *parts(from) {
    for (let id = from; ; id++) {
      while (id > this.#parts.length) {
        if (this.#ended) return;
        await new Promise((resolve) => this.#waiting.add(resolve));
      }
      yield { id, text: `id: ${id}\ndata: ${this.#parts[id - 1]}\n\n` };
    }
  }

  async #work(input, thread, faults) {
    await sleep(faults.latency);
    const conversation = thread.conversation.copy();
    let count = 0;
    for (const event of events(input, conversation, faults)) {
      if (faults.fail !== undefined && count === Math.max(1, faults.fail)) {
        this.#ended = true;
        this.#add({ type: "RUN_ERROR", message: "The model did not answer. (You asked for this.)", code: "SCRIPTED" });
        return;
      }
      // Whoever hears the end may ask for the thread, or for its next run, at once.
      if (event.type === "RUN_FINISHED") {
        thread.conversation = conversation;
        this.#ended = true;
      }
      this.#add(event);
      count++;
      if (this.#ended) return;
      if (faults.tick > 0) await sleep(faults.tick);
    }
  }

  #add(event) {
    this.#parts.push(JSON.stringify(event));
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }
}

function* events({ threadId, runId, messages }, conversation, faults) {
  yield { type: "RUN_STARTED", threadId, runId };
  const turn = new Turn(conversation, messages, faults);
  const question = messages.findLast(({ role }) => role === "user")?.content;
  yield* answer(turn, typeof question === "string" ? question : "something without words", runId, faults);
  yield* turn.finish();
  yield { type: "RUN_FINISHED", threadId, runId };
}
