import { field } from "../state/fields.js";
import { defineSchema, type Schema } from "../state/schema.js";

let made: Schema<unknown> | undefined;

/** Returns the schema of a thread without one of its own. It is made when it is first asked for, not on import. */
export const readyMade = (): Schema<unknown> =>
  (made ??= defineSchema({
    messages: field.messages(),
    tools: field.tools(),
    todos: field.todos(),
    files: field.files(),
  }) as Schema<unknown>);
