// What the AG-UI server of the tests answers about a thread.
import { held, plain, type Held } from "./witness";

/** What the server holds, in AG-UI's form. */
export function holds({ values, messages }: { values: object; messages: Held["messages"] }): Held {
  return { messages: plain(messages), fields: held(values).fields };
}
