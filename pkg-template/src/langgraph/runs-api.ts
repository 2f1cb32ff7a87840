// The parts of `POST /threads/{id}/runs/stream`.
import { ThreadfoldError } from "../shared/errors.js";
import type { Conversation } from "./conversation.js";
import { finishedMessage, joinPart } from "./chunk.js";
import { isDict, type Dict } from "../shared/dict.js";
import { isHandler } from "../shared/handler-names.js";
import { plainDict, readMessage } from "./message-form.js";
import { isSummarizing, taskOf } from "./message-metadata.js";
import { graphOf } from "./namespace.js";
import { isBefore } from "./part-keys.js";
import type { LangGraphPart } from "./parts.js";
import type { Run } from "./run.js";
import { sameJson } from "../shared/same-json.js";
import { SuperSteps } from "./super-steps.js";
import { INSIDE } from "../thread/inside.js";

export class RunsApi {
  readonly #conversation: Conversation;
  readonly steps: SuperSteps;
  /** The part that the last state of the root graph came with. */
  #lastValues: string | undefined;
  /** The last updates of the root graph. */
  #lastUpdates: LangGraphPart | undefined;

  /** The namespace of the graph, from the root, and a bar; "" for the root. */
  readonly #prefix: string;

  constructor(conversation: Conversation, id: string) {
    this.#conversation = conversation;
    this.#prefix = id && `${id}|`;
    this.steps = new SuperSteps(conversation);
  }

  take(part: LangGraphPart, run: Run): void {
    const { data } = part;
    const [kind, namespace] = kindOf(part);
    const isRoot = namespace.length === 0;
    switch (kind) {
      case "metadata":
        if (isRoot) this.start(isDict(data) && typeof data["run_id"] === "string" ? data["run_id"] : undefined, run);
        break;
      case "values": {
        const values = run.stateOf(data, namespace);
        if (isRoot && values) this.#values(values, part);
        break;
      }
      case "updates":
        this.#updates(part, namespace, run);
        break;
      case "messages":
        this.#message(data, namespace, part);
        break;
      case "messages/partial":
      case "messages/complete":
        this.#messages(data, kind === "messages/partial", namespace.length > 0);
        break;
      case "error":
        run.fail(data);
        this.steps.fail();
        break;
      case "end":
        if (run.ended) break;
        this.steps.finish(run.interrupts.length > 0);
        run.finish(this.steps.hasFoldedInput);
        break;
      default:
      // Modes without state: custom, debug, tasks, checkpoints, events.
    }
  }

  /** Passes over a part that the thread has had, except its interrupts: those are still open. */
  skip(part: LangGraphPart, run: Run): void {
    const { data } = part;
    const [kind, namespace] = kindOf(part);
    if ((kind === "values" || kind === "updates") && isDict(data)) run.interruptsOf(data["__interrupt__"], namespace);
  }

  /** Returns the task of a message, in this graph; "" for another graph's. */
  taskOf(metadata: unknown): string {
    const task = taskOf(metadata);
    return task.startsWith(this.#prefix) ? task.slice(this.#prefix.length) : "";
  }

  start(runId: string | undefined, run: Run): void {
    this.#lastValues = undefined;
    this.steps.start(runId);
    run.start(runId);
  }

  #values(values: Dict, { id }: LangGraphPart): void {
    // A state older than the last one is skipped.
    if (isBefore(id, this.#lastValues)) return;
    this.#lastValues = id ?? this.#lastValues;
    this.#conversation.values(values);
  }

  #updates(part: LangGraphPart, namespace: readonly string[], run: Run): void {
    const { data, id } = part;
    const { __metadata__: told, ...writes } = isDict(data) ? data : {};
    const isRoot = namespace.length === 0;
    // Ids that are times are those of several parts: it may be one that came twice, or two tasks that wrote the same.
    const { id: lastId, data: lastData } = this.#lastUpdates ?? {};
    if (isRoot && id !== undefined && id === lastId && sameJson(data, lastData)) this.steps.repeats(writes);
    if (isRoot) this.#lastUpdates = part;
    this.steps.hearsUpdates();
    for (const [node, written] of Object.entries(writes)) {
      if (node === "__interrupt__") {
        run.interruptsOf(written, namespace);
        if (isRoot && Array.isArray(written) && written.length === 0) this.steps.stopped();
      } else if (isRoot && node === "__start__") this.steps.isSent(written);
      else if (isRoot && isNode(node)) {
        this.#conversation.wrote(node);
        this.steps.take(node, written, told);
      }
    }
    if (!isRoot) return;
    this.steps.saved(told);
    if (!this.#conversation.sawValues) this.#conversation.delivery.mark();
  }

  #message(data: unknown, namespace: readonly string[], part: LangGraphPart): void {
    const [message, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
    if (isSummarizing(metadata)) return;
    const wire = readMessage(message);
    if (!wire) {
      const error = new ThreadfoldError("INVALID_MESSAGE", "A part of the stream of messages is not a message.");
      this.#conversation.thread[INSIDE].report(error, part);
      return;
    }
    const task = this.taskOf(metadata);
    const isGuest = namespace.length > 0 || graphOf(task).length > 0;
    // A graph within removes its own messages; without states none shows that the others stay.
    if (isGuest && wire.type === "remove" && !this.#conversation.sawValues) return;
    if (!this.steps.sees(wire.fields["id"], metadata, isGuest)) return;
    this.#conversation.message(wire, { task, isGuest });
  }

  /** Folds messages as far as they have come, each whole in every part. */
  #messages(data: unknown, open: boolean, isGuest: boolean): void {
    const speaker = { task: "", isGuest };
    for (const item of Array.isArray(data) ? data : []) {
      const wire = readMessage(item);
      if (!wire || typeof wire.fields["id"] !== "string" || wire.fields["id"] === "" || wire.type === "remove") {
        if (wire) this.#conversation.message({ ...wire, part: false }, speaker);
        continue;
      }
      const message = wire.part ? joinPart(undefined, wire) : plainDict(wire);
      this.#conversation.show(open ? message : finishedMessage(message), { open, speaker });
    }
  }
}

/** Whether a key of an update is a node's name. An error handler runs in place of its node. */
const isNode = (key: string): boolean => !key.startsWith("__") || isHandler(key);

function kindOf({ event = "" }: LangGraphPart): [kind: string, namespace: readonly string[]] {
  const [kind = "", ...namespace] = event.split("|");
  return [kind, namespace];
}
