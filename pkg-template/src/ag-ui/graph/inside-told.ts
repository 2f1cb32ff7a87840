// The messages that a client has of graphs inside nodes: the graph's own list may get them once their node has returned.
import { isDict, type Dict } from "../../shared/dict.js";
import { readMessage } from "../../langgraph/message-form.js";

/** Tracks what graphs inside nodes have written: a list of the graph around them removes it only after their node. */
export class InsideTold {
  /** By the task of the outermost graph, its messages by their ids. */
  readonly #byTask = new Map<string, Map<unknown, unknown>>();

  /** Notes the messages that a node of a graph inside has written. */
  note(ns: readonly string[], messages: readonly unknown[], isTold: (id: unknown) => boolean): void {
    const task = outermost(ns);
    const own = this.#byTask.get(task) ?? new Map<unknown, unknown>();
    for (const given of messages) {
      const { type, id } = fieldsOf(given);
      if (type === "remove") own.delete(id);
      else if (isTold(id)) own.set(id, given);
    }
    this.#byTask.set(task, own);
  }

  /** Forgets those of a task whose node has returned. */
  forget(task: string): void {
    this.#byTask.delete(task);
  }

  /** Returns a list with the messages inside that it lacks after its own. */
  with(list: readonly unknown[]): readonly unknown[] {
    if (this.#byTask.size === 0) return list;
    const known = new Set(list.map((message) => fieldsOf(message)["id"]));
    const inside = [...this.#byTask.values()].flatMap((own) => [...own]);
    const lacking = inside.filter(([id]) => !known.has(id)).map(([, message]) => message);
    return lacking.length > 0 ? [...list, ...lacking] : list;
  }
}

/** The id of the task of the outermost graph: a namespace begins with `NODE:ID`. */
const outermost = ([first = ""]: readonly string[]) => first.slice(first.lastIndexOf(":") + 1);

function fieldsOf(given: unknown): Dict {
  const wire = readMessage(given);
  if (wire) return { ...wire.fields, type: wire.type };
  return isDict(given) ? given : {};
}
