// The cost of a conversation on `@ag-ui/client`: its own code folds the events, if it is installed where the command runs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { countingClones } from "./clones.js";
import { brief } from "./print.js";
import { isDict, type Dict } from "./read.js";
import type { Turn } from "./traffic.js";

export interface ByClient {
  readonly version: string;
  /** Calls of `structuredClone`, and the bytes of JSON that they copied. */
  readonly clones: number;
  readonly copied: number;
  readonly ms: number;
  readonly messages: readonly Dict[];
  /** Why it stopped before the end. */
  readonly error?: string;
}

/** The parts of the package that are used. */
interface Client {
  AbstractAgent: new (options: { threadId: string }) => Agent;
}
interface Agent {
  messages: Dict[];
  setMessages(messages: Dict[]): void;
  runAgent(options: object, subscriber: object): Promise<unknown>;
}
type Observable = unknown;

/** Returns undefined if the package is not installed. */
export async function byClient(turns: readonly Turn[]): Promise<ByClient | undefined> {
  const found = installed();
  if (!found) return undefined;
  const { AbstractAgent } = (await import(pathToFileURL(found.path).href)) as Client;
  const { from } = (await import(pathToFileURL(createRequire(found.path).resolve("rxjs")).href)) as {
    from(events: readonly Dict[]): Observable;
  };
  const converse = async () => {
    let parts: readonly Dict[] = [];
    class Recorded extends AbstractAgent {
      run = () => from(parts);
    }
    const agent = new Recorded({ threadId: "audited" });
    for (const { request, run } of turns) {
      const sent = request?.["messages"];
      if (Array.isArray(sent)) agent.setMessages(sent.filter(isDict));
      parts = run.parts;
      await agent.runAgent({ resume: request?.["resume"] }, { onMessagesChanged() {}, onStateChanged() {} });
    }
    return agent.messages;
  };
  return asInBrowser(async () => {
    // It reports what it refuses on the console, too.
    const unmute = muted();
    try {
      // The first time warms up, and counts.
      const { result: messages, ...counted } = await countingClones(converse);
      const start = performance.now();
      await converse();
      return { version: found.version, messages, ...counted, ms: performance.now() - start };
    } catch (error) {
      return {
        version: found.version,
        clones: 0,
        copied: 0,
        ms: 0,
        messages: [],
        error: brief((error as Error).message),
      };
    } finally {
      unmute();
    }
  });
}

function muted(): () => void {
  const { error, warn, log } = console;
  const quiet = () => {};
  Object.assign(console, { error: quiet, warn: quiet, log: quiet });
  return () => void Object.assign(console, { error, warn, log });
}

/** In Node the client copies more, to find subscribers that change what they are given: a page has no `process`. */
async function asInBrowser<T>(work: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process");
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    if (own) Object.defineProperty(globalThis, "process", own);
  }
}

function installed(): { path: string; version: string } | undefined {
  let path: string;
  try {
    path = createRequire(join(process.cwd(), "package.json")).resolve("@ag-ui/client");
  } catch {
    return undefined;
  }
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
        string,
        string
      >;
      if (name === "@ag-ui/client") return { path, version: String(version) };
    } catch {
      // Not the package's folder.
    }
  }
  return { path, version: "" };
}
