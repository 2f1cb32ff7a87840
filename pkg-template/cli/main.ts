// `npx threadfold`: a first app and an agent for it, and a look into recorded runs, threads and checkpoints.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { ThreadfoldError } from "threadfold";
import { serveAgent } from "./agent.js";
import { auditPage } from "./audit-page.js";
import { audit } from "./audit.js";
import { kindLines, sectionsOf } from "./audit-lines.js";
import { diff, diffLines } from "./diff.js";
import { init } from "./init.js";
import { inspect, inspectLines, runLines } from "./inspect.js";
import { blocks, brief, indented, printable, stateLines } from "./print.js";
import { readRecorded, Unreadable, type Recorded } from "./read.js";
import { replay, stateOf } from "./replayed.js";
import { readTraffic } from "./traffic.js";

const HELP = `threadfold init [FOLDER] [--protocol P] [--framework F]
                                           writes a chat as a Vite app, and asks for what is not given
threadfold agent [--port 8000]             serves an agent without a model, over AG-UI and LangGraph's API
threadfold replay FILE [--at N] [--json]   folds a recorded run, and shows its end
threadfold inspect FILE [--json]           tells what is in a file
threadfold diff A B [--json]               compares what two files end with
threadfold audit FILE [--html PAGE] [--json]
                                           measures what a recorded conversation costs, here and on its own client

P is ag-ui, langgraph or in-page. F is react, vue, svelte, solid or plain.
FILE is a recorded run (server-sent events of AG-UI or LangGraph, or their JSON), a thread as toJSON() or persist
saved it, LangGraph checkpoints, or a state; audit takes a HAR or a recorded run. "-" is what comes in. --at N stops behind part N of a run.
diff exits with 0 if there is no difference, else with 1. All exit with 2 for what they cannot read.`;

interface Options {
  readonly json: boolean;
  readonly at: number | undefined;
  readonly port: number;
  readonly protocol: string | undefined;
  readonly framework: string | undefined;
  readonly html: string | undefined;
}

/** Prints what a command says. Returns the exit code. */
async function run(given: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      at: { type: "string" },
      port: { type: "string" },
      protocol: { type: "string" },
      framework: { type: "string" },
      html: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [name = "help", ...paths] = positionals;
  const command = COMMANDS[name];
  if (values.help || name === "help") return print(HELP.split("\n"));
  if (!command) throw new Unreadable(`There is no command ${name}: see threadfold --help.`);
  if (!command.counts.includes(paths.length)) throw new Unreadable(`threadfold ${name} takes ${command.takes}.`);
  const at = values.at === undefined ? undefined : wholeNumber(values.at);
  if (Number.isNaN(at)) throw new Unreadable(`--at takes the number of a part, not ${values.at}.`);
  const port = wholeNumber(values.port ?? "8000");
  if (!(port <= 65_535)) throw new Unreadable(`--port takes a number from 0 to 65535, not ${values.port}.`);
  const { protocol, framework, html } = values;
  return command.run(paths, { json: values.json === true, at, port, protocol, framework, html });
}

/** A whole number from 0 on, or NaN. */
const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

interface Command {
  /** Its arguments besides options, in words. */
  readonly takes: string;
  /** How many of these. */
  readonly counts: readonly number[];
  run(paths: readonly string[], options: Options): Promise<number>;
}

/** A command on recorded files. */
const onFiles = (count: 1 | 2, run: (files: readonly Recorded[], options: Options) => Promise<number>): Command => ({
  takes: count === 1 ? "one file" : "two files",
  counts: [count],
  run: (paths, options) => run(paths.map(fileAt), options),
});

const COMMANDS: Readonly<Record<string, Command | undefined>> = {
  init: {
    takes: "one folder",
    counts: [0, 1],
    run: async ([folder], { protocol, framework }) => print(await init({ folder, protocol, framework })),
  },
  agent: {
    takes: "no file",
    counts: [0],
    run: async (_, { port }) => print(await serveAgent(port)),
  },
  replay: onFiles(1, ([file], options) => replayed(file as Recorded, options)),
  inspect: onFiles(1, async ([file], { json }) => {
    const report = await inspect(file as Recorded);
    return print(json ? asJson(report) : inspectLines(report));
  }),
  audit: {
    takes: "one file",
    counts: [1],
    run: ([path = ""], options) => audited(path, options),
  },
  diff: onFiles(2, async ([a, b], { json, at }) => {
    const differences = diff(await stateOf(a as Recorded, at), await stateOf(b as Recorded, at));
    print(json ? asJson(differences) : diffLines(differences));
    return differences.length === 0 ? 0 : 1;
  }),
};

async function audited(path: string, { json, html }: Options): Promise<number> {
  const found = await audit(readTraffic(textAt(path), nameOf(path)));
  if (html !== undefined) writeFileSync(html, auditPage(found, nameOf(path)));
  if (json) return print(asJson(found));
  const sections = sectionsOf(found).map(({ title, lines }) => [title, ...indented(lines)]);
  return print(blocks(...sections, ["Bytes by kind of event", ...indented(kindLines(found.kinds))]));
}

async function replayed(file: Recorded, { json, at }: Options): Promise<number> {
  if (file.kind !== "run") throw new Unreadable("Only a recorded run can be replayed: this file holds none.");
  const told = await replay(file, at);
  if (json) return print(asJson(told));
  return print(
    blocks(
      [
        `${told.runs.length === 1 ? "A run" : `${told.runs.length} runs`} over ${file.protocol}`,
        ...told.runs.flatMap((one) => runLines(one as never)),
      ],
      stateLines(told.state),
      told.errors.map(({ message }) => `not folded: ${message}`),
      told.drift.map((patch) => `drift: ${brief(patch)}`),
    ),
  );
}

const fileAt = (path: string): Recorded => readRecorded(textAt(path), nameOf(path));

/** Reads a file, or what comes in. */
function textAt(path: string): string {
  try {
    // A mark of the byte order comes before the text that some programs write.
    return readFileSync(path === "-" ? 0 : path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new Unreadable(`${path} cannot be read: ${(error as Error).message}`);
  }
}

const nameOf = (path: string): string => (path === "-" ? "What came in" : basename(path));

const asJson = (value: unknown): string[] => [JSON.stringify(value, undefined, 2)];

function print(lines: readonly string[]): 0 {
  console.log(printable(lines.join("\n")));
  return 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  // Errors in the arguments, a file or a record are printed as a sentence. Any other error is a bug, printed with its stack.
  const isExpected =
    error instanceof Unreadable ||
    error instanceof ThreadfoldError ||
    String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
  const { message, stack = message } = error as Error;
  const isTooDeep = error instanceof RangeError && message.includes("call stack");
  const sentence = isTooDeep ? "The file's content is nested too deeply." : message;
  console.error(printable(isExpected || isTooDeep ? `threadfold: ${sentence}` : stack));
  process.exitCode = 2;
}
