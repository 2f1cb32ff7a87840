// `threadfold init`: writes a new app.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { filesOf, FRAMEWORKS, PROTOCOLS, type App } from "./app.js";
import { plural } from "./print.js";
import { Unreadable } from "./read.js";

/** The answers that the command line gave. The others are asked for. */
export interface InitOptions {
  readonly folder: string | undefined;
  readonly protocol: string | undefined;
  readonly framework: string | undefined;
}

/**
 * Writes a chat as a Vite app into a new or empty folder.
 *
 * @returns the lines that say what to do next.
 * @throws Unreadable if the folder has files, or if an answer is unknown or missing.
 */
export async function init(given: InitOptions): Promise<string[]> {
  const questions = new Questions();
  try {
    const folder = given.folder ?? (await questions.ask("The folder of the app", "my-chat"));
    const at = resolve(folder);
    refuseFiles(at, folder);
    const protocol = await questions.choose("protocol", "What the chat talks to", PROTOCOLS, given.protocol);
    const framework = await questions.choose("framework", "The framework", FRAMEWORKS, given.framework);
    return next(folder, protocol, write(at, { name: nameOf(at), protocol, framework }));
  } finally {
    questions.end();
  }
}

function refuseFiles(path: string, named: string): void {
  if (named.trim() === "") throw new Unreadable("The folder has no name. Name a new one.");
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) throw new Unreadable(`${named} is a file. Name a new folder.`);
  if (readdirSync(path).some((name) => name !== ".git"))
    throw new Unreadable(`The folder ${named} is not empty. Name a new one.`);
}

/** A name that npm takes. */
const nameOf = (path: string): string =>
  basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "") || "my-chat";

function write(folder: string, app: App): readonly string[] {
  const files = filesOf(app);
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { flag: "wx" });
    }
  } catch (error) {
    throw new Unreadable(`The app cannot be written: ${(error as Error).message}`, { cause: error });
  }
  return [...files.values()];
}

function next(folder: string, protocol: App["protocol"], texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line.trim() !== "").length;
  const there = relative(process.cwd(), resolve(folder));
  return [
    `Wrote ${plural(texts.length, "file")}, ${plural(lines, "line")}. Start it:`,
    "",
    ...(there === "" ? [] : [`  cd ${quoted(there)}`]),
    "  npm install",
    ...(protocol === "in-page" ? [] : ["  npx threadfold agent   # in a terminal of its own: an agent to talk to"]),
    "  npm run dev",
    "",
    "src/agent.ts names the agent: put yours there.",
  ];
}

/** A path as a shell takes it. */
const quoted = (path: string): string => (/^[\w./@:+\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Asks on the terminal, or reads the answers that are piped in, a line each. */
class Questions {
  #lines: AsyncIterator<string> | undefined;
  #end = () => {};

  async ask(question: string, otherwise: string): Promise<string> {
    process.stdout.write(`${question} (${otherwise}): `);
    this.#lines ??= this.#open();
    const { value, done } = await this.#lines.next();
    if (done) throw new Unreadable("Nobody answers. Give the folder, --protocol and --framework.");
    return value.trim() || otherwise;
  }

  /** Asks for one of these, by its name or its number, unless it was given. */
  async choose<T extends string>(
    option: string,
    question: string,
    choices: Readonly<Record<T, string>>,
    given: string | undefined,
  ): Promise<T> {
    const names = Object.keys(choices) as T[];
    const named = (answer: string) => names.find((name, at) => name === answer || String(at + 1) === answer);
    if (given === undefined) {
      const width = Math.max(...names.map((name) => name.length));
      for (const [at, name] of names.entries()) console.log(`  ${at + 1} ${name.padEnd(width)}  ${choices[name]}`);
    }
    const answer = given ?? (await this.ask(question, names[0] as T));
    const chosen = named(answer);
    if (chosen === undefined) throw new Unreadable(`Unknown ${option} '${answer}'. Known: ${names.join(", ")}.`);
    return chosen;
  }

  end(): void {
    this.#end();
  }

  #open(): AsyncIterator<string> {
    const terminal = createInterface({ input: process.stdin });
    this.#end = () => terminal.close();
    return terminal[Symbol.asyncIterator]();
  }
}
