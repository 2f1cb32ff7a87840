// The versions of the peers that the tests run, for the table in docs/packaging.md and for the release.
// `node scripts/lint/peers.mjs` writes the table; `npm run lint` compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, isMain, main, root } from "../process.mjs";

const PAGE = join(root, "docs", "packaging.md");
const [BEGIN, END] = ["<!-- peers: by scripts/lint/peers.mjs -->", "<!-- /peers -->"];

const json = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** The package.json files whose packages the tests use beside threadfold, the newest versions first. */
const PINNED = [
  "js-tests/package.json",
  "js-tests/peers/react-18/package.json",
  "js-tests/hosts/databases/package.json",
];

/** The packages that the tests speak with over the network, beside the peers. */
const SERVERS = [
  ["js-tests/hosts/servers/javascript/package.json", /^@langchain\/langgraph-cli$/],
  ["js-tests/package.json", /^@langchain\/(langgraph-sdk|langgraph|react)$/],
];
const PYTHON = ["js-tests/hosts/servers/python/requirements.txt", /^(ag-ui-langgraph|deepagents|langgraph-cli)==(.+)$/];

/** Returns the versions of a package that tests are pinned to, also under an alias such as `@ag-ui/client-0.0.58`. */
function pinnedVersions(name) {
  const found = PINNED.flatMap((path) => {
    const { dependencies, devDependencies } = json(path);
    return Object.entries({ ...dependencies, ...devDependencies }).flatMap(([alias, version]) => {
      if (alias === name) return [version];
      const aliased = `npm:${name}@`;
      return version.startsWith(aliased) ? [version.slice(aliased.length)] : [];
    });
  });
  if (found.length === 0) throw new Complaint(`No test has a pinned version of the peer ${name}.`);
  return [...new Set(found)];
}

/** Returns each peer of the package with the newest version that the tests run. */
export function pinnedPeers() {
  const { peerDependencies } = json("pkg-template/package.json");
  return Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, pinnedVersions(name)[0]]));
}

function table() {
  const { peerDependencies } = json("pkg-template/package.json");
  const peers = Object.entries(peerDependencies).map(([name, range]) => [
    `\`${name}\``,
    range.replace(">=", "≥ "),
    pinnedVersions(name).join(", "),
  ]);
  const servers = SERVERS.flatMap(([path, wanted]) =>
    Object.entries(json(path).devDependencies)
      .filter(([name]) => wanted.test(name))
      .map(([name, version]) => [`\`${name}\``, "–", version]),
  );
  const [path, wanted] = PYTHON;
  const python = readFileSync(join(root, path), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, name, version] = wanted.exec(line) ?? [];
      return name ? [[`${name} (Python)`, "–", version]] : [];
    });
  const rows = [["package", "supported", "tested"], ["---", "---", "---"], ...peers, ...servers, ...python];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function written() {
  const text = readFileSync(PAGE, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Complaint(`docs/packaging.md has no place for the peers: ${BEGIN} … ${END}.`);
  return [text, `${text.slice(0, from)}${BEGIN}\n\n${table()}\n\n${text.slice(to)}`];
}

/** Checks that the table has the versions that the tests run. */
export function checkPeers() {
  const [text, expected] = written();
  if (text !== expected)
    throw new Complaint(
      "docs/packaging.md: the tests run other versions of the peers. Run `node scripts/lint/peers.mjs`, and commit it.",
    );
}

if (isMain(import.meta.url)) {
  await main(() => {
    const [, expected] = written();
    writeFileSync(PAGE, expected);
    console.log(table());
  });
}
