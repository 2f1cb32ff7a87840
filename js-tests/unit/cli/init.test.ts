// `npx threadfold init`: its questions, and what it refuses. js-tests/hosts/consumers builds and uses what it writes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const cli = fileURLToPath(new URL("../../../pkg/cli.js", import.meta.url));

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "threadfold-init-"))));
afterAll(() => rmSync(folder, { recursive: true }));

function init(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, "init", ...args], {
    cwd: folder,
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const written = (path: string) => readFileSync(join(folder, path), "utf8");
const REACT = ["--protocol", "ag-ui", "--framework", "react"];

test("it asks for what the command line does not give: answers are names or numbers", () => {
  const { status, stdout, stderr } = init([], "My chat\n2\nvue\n");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const text of ["(my-chat): ", "  3 in-page", "(ag-ui): ", "  1 react", "  cd 'My chat'\n  npm install\n"])
    expect(stdout).toContain(text);
  expect(JSON.parse(written("My chat/package.json"))).toMatchObject({ name: "my-chat" });
  expect(written("My chat/index.html")).toContain("<title>my-chat</title>");
  expect(written("My chat/src/agent.ts")).toContain("openLangGraph");
  expect(written("My chat/src/Message.vue")).toContain("message.type");
});

test("an empty answer is the first one", () => {
  expect(init([], "\n\n\n").status).toBe(0);
  expect(written("my-chat/src/agent.ts")).toContain("openAgUi");
  expect(written("my-chat/src/chat.tsx")).toContain("threadfold/react");
});

test("it writes into an empty folder, also this one, of a fresh repository", () => {
  mkdirSync(join(folder, "fresh", ".git"), { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, [cli, "init", ".", ...REACT], {
    cwd: join(folder, "fresh"),
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).not.toContain("cd ");
  expect(JSON.parse(written("fresh/package.json"))).toMatchObject({ name: "fresh" });
});

test("what it cannot do gets a sentence, and nothing is written", () => {
  mkdirSync(join(folder, "full"));
  writeFileSync(join(folder, "full", "notes.txt"), "mine");
  const refused: [string, readonly string[]][] = [
    ["The folder full is not empty. Name a new one.", ["full", ...REACT]],
    ["full/notes.txt is a file. Name a new folder.", ["full/notes.txt", ...REACT]],
    ["Unknown protocol 'ag-iu'. Known: ag-ui, langgraph, in-page.", ["new", "--protocol", "ag-iu"]],
    [
      "Unknown framework 'angular'. Known: react, vue, svelte, solid, plain.",
      ["new", "--protocol", "ag-ui", "--framework", "angular"],
    ],
    ["Nobody answers. Give the folder, --protocol and --framework.", ["new", "--protocol", "ag-ui"]],
    ["threadfold init takes one folder.", ["new", "newer"]],
    ["The folder has no name. Name a new one.", ["", ...REACT]],
  ];
  for (const [sentence, args] of refused)
    expect(init(args)).toMatchObject({ status: 2, stderr: `threadfold: ${sentence}\n` });
  expect(init(["n".repeat(300), ...REACT])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^threadfold: The app cannot be written: ENAMETOOLONG.*\n$/),
  });
  expect(existsSync(join(folder, "new"))).toBe(false);
  expect(written("full/notes.txt")).toBe("mine");
});
