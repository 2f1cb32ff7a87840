// `node scripts/build/measure.mjs` measures what each trick of the build saves, and writes the table in README.md. Works on
// the wasm of the last `npm run build`, and leaves pkg-template/generated/ as a build does.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ask, Complaint, isMain, main, root } from "../process.mjs";
import { target, WASM } from "../rust.mjs";
import { TRICKS } from "./tricks.mjs";

const PAGE = join(root, "scripts", "build", "README.md");
const TABLE = /(?<=<!-- table -->\n)[^]*(?=<!-- end of the table -->)/;

/** The bundles of the agent half: a page that uses all of them loads the sum. */
const HALF = ["agent-core.js", "graph.js", "agent.js", "context.js"];
const COLUMNS = ["core wasm", "default entry", "agent wasm", "agent half"];

/** Builds everything after cargo, and returns the gzipped sizes in bytes, in the order of `COLUMNS`. */
async function sizes() {
  const [glue, { optimiseCore, optimiseAgent }, { bundle, writeTexts }] = await Promise.all([
    import("./glue.mjs"),
    import("./optimise.mjs"),
    import("./bundle.mjs"),
  ]);
  const compiled = (crate) => {
    const path = join(target, WASM, "wasm", `${crate}.wasm`);
    if (!existsSync(path)) throw new Complaint(`${path} is missing: run \`npm run build\` first.`);
    return path;
  };
  glue.emptyGenerated();
  const core = await optimiseCore(await glue.writeCore(compiled("threadfold_core_wasm")));
  const agent = await optimiseAgent(await glue.writeAgent(compiled("threadfold_agent_wasm")));
  writeTexts({ core, agent });
  const { files } = await bundle((file) => file === "index.js" || HALF.includes(file));
  const gzipped = (content) => gzipSync(content, { level: 9 }).length;
  const half = HALF.reduce((sum, file) => sum + gzipped(files[file]), 0);
  return [gzipped(readFileSync(core)), gzipped(files["index.js"]), gzipped(readFileSync(agent)), half];
}

/** The same without a trick, in a process of its own: the build reads at its start which to leave out. */
function sizesWithout(trick) {
  process.env.THREADFOLD_WITHOUT = trick;
  const printed = ask(process.execPath, [import.meta.filename, "--sizes"]);
  if (!printed) throw new Complaint(`The build without ${trick || "nothing"} failed.`);
  return JSON.parse(printed.split("\n").at(-1));
}

function table() {
  const all = sizesWithout("");
  const rows = Object.entries(TRICKS).map(([name, { file, why }]) => {
    const saved = sizesWithout(name).map((size, at) => size - all[at]);
    console.log(`${name}: ${saved.join(", ")}`);
    return [name, ...saved, `[${file}](${file})`, why];
  });
  // The last build is a whole one: nothing without a trick stays in generated/.
  sizesWithout("");
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["without", ...COLUMNS, "where", "why it is there"]),
    line(["---", ...COLUMNS.map(() => "--:"), "---", "---"]),
    ...rows.map(line),
    line(["(all tricks)", ...all, "", ""]),
  ].join("\n");
}

if (isMain(import.meta.url)) {
  await main(async () => {
    if (process.argv[2] === "--sizes") console.log(JSON.stringify(await sizes()));
    else {
      const rows = table();
      writeFileSync(PAGE, readFileSync(PAGE, "utf8").replace(TABLE, `\n${rows}\n\n`));
    }
  });
}
