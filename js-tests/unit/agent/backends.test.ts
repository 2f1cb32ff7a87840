// The file tools over backends: a folder of the disk, a store, the state, by path.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph";
import { ThreadfoldError } from "threadfold";
import { createAgent, createDeepAgent, createFilesystemMiddleware, tool } from "threadfold/agent";
import { compositeBackend, type FileBackend, storeBackend } from "threadfold/agent/backends";
import { folderBackend } from "threadfold/agent/node";
import { afterAll, expect, test } from "vitest";
import { type Call, scripted } from "./records.js";

const folders: string[] = [];
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "threadfold-backend-"));
  folders.push(folder);
  return folder;
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

type Step = readonly [name: string, args: Record<string, unknown>];

/** Calls the tools one after the other; returns their answers and the files of the state. */
async function run(backend: ReturnType<typeof compositeBackend> | undefined, ...steps: Step[]) {
  const calls = steps.map(([name, args], at): Call => ({ name, args, id: `c${at}` }));
  const agent = createAgent({
    model: scripted(calls.map((call) => ({ content: "", tool_calls: [call] }))),
    middleware: [createFilesystemMiddleware({ backend })],
  });
  const { messages, files } = await agent.invoke({ messages: "Go", files: { "/own.md": { content: "mine" } } });
  const answers = messages.filter(({ type }) => type === "tool").map(({ content }) => content);
  return { answers, files: Object.keys(files ?? {}) };
}

const kinds: readonly (readonly [string, () => Promise<FileBackend>])[] = [
  ["a folder of the disk", async () => folderBackend(await newFolder())],
  ["a store of LangGraph's", async () => storeBackend(new InMemoryStore())],
];

const STEPS = (root: string): Step[] => [
  ["write_file", { file_path: `${root}a.md`, content: "one\ntwo" }],
  ["write_file", { file_path: `${root}deep/b.md`, content: "two" }],
  ["write_file", { file_path: `${root}deep/c.txt`, content: "three" }],
  ["edit_file", { file_path: `${root}a.md`, old_string: "one", new_string: "1" }],
  ["edit_file", { file_path: `${root}gone.md`, old_string: "one", new_string: "1" }],
  ["read_file", { file_path: `${root}a.md` }],
  ["ls", { path: root }],
  ["glob", { pattern: "**/*.txt", path: root }],
  ["grep", { pattern: "two", path: root, output_mode: "content" }],
  ["delete", { file_path: `${root}deep` }],
  ["ls", { path: root }],
  ["read_file", { file_path: `${root}deep/b.md` }],
];

test.each(kinds)("%s answers as the state does", async (_, make) => {
  const routed = await run(compositeBackend({ "/work/": await make() }), ...STEPS("/work/"));
  const plain = await run(undefined, ...STEPS("/work/"));
  expect(routed.answers).toEqual(plain.answers);
  expect(routed.answers[5]).toBe("@@ lines 1-2 of 2 @@\n1\ntwo");
  expect([routed.files, plain.files]).toEqual([["/own.md"], ["/own.md", "/work/a.md"]]);
});

test("lists and searches see all places at once, and a folder within another is its own", async () => {
  const [outer, inner] = [storeBackend(new InMemoryStore()), storeBackend(new InMemoryStore())];
  await outer.write("/a.md", { content: "needle" });
  await outer.write("/inner/shadowed.md", { content: "needle" });
  await inner.write("/b.md", { content: "needle" });
  const { answers } = await run(
    compositeBackend({ "/work/": outer, "/work/inner/": inner }),
    ["ls", { path: "/" }],
    ["grep", { pattern: "needle" }],
    ["delete", { file_path: "/work/inner" }],
    ["grep", { pattern: "needle" }],
  );
  expect(answers[0]).toBe('["/own.md","/work/"]');
  expect(answers[1]).toBe("/work/a.md\n/work/inner/b.md");
  expect(answers[3]).toBe("/work/a.md");
  expect(await outer.read("/inner/shadowed.md")).toMatchObject({ content: "needle" });
});

test("deleting a folder above a backend leaves the backend's files", async () => {
  const store = storeBackend(new InMemoryStore());
  await store.write("/a.md", { content: "kept" });
  const { answers, files } = await run(compositeBackend({ "/work/memories/": store }), ["delete", { file_path: "/" }]);
  expect([answers, files]).toEqual([["Deleted /"], []]);
  expect(await store.read("/a.md")).toMatchObject({ content: "kept" });
});

test("long results go to the backend, where the model can read them", async () => {
  const folder = await newFolder();
  const call = (name: string, args: object, id: string) => ({ content: "", tool_calls: [{ name, args, id } as Call] });
  const agent = createDeepAgent({
    model: scripted([
      call("give", {}, "c0"),
      call("read_file", { file_path: "/large_tool_results/c0", limit: 1 }, "c1"),
    ]),
    tools: [tool({ name: "give", run: () => "line\n".repeat(30_000) })],
    backend: compositeBackend({ "/": folderBackend(folder) }),
  });
  const { messages, files } = await agent.invoke({ messages: "Go" });
  expect(messages[4]).toMatchObject({ content: expect.stringContaining("line") as string, status: "success" });
  expect(await readFile(join(folder, "large_tool_results", "c0"), "utf8")).toHaveLength(150_000);
  expect(files ?? {}).toEqual({});
});

test("a folder of the disk is not left, and has binary files and none that are not there", async () => {
  const [folder, outside] = [await newFolder(), await newFolder()];
  await writeFile(join(outside, "secret.md"), "secret");
  await symlink(outside, join(folder, "link"));
  await symlink(join(outside, "secret.md"), join(folder, "one.md"));
  const backend = folderBackend(folder);
  const out = { code: "INVALID_ARGUMENT", message: expect.stringContaining("leads out of") as string };
  for (const path of ["/link/secret.md", "/one.md", "/../x.md"]) {
    await expect(backend.read(path)).rejects.toMatchObject(out);
    await expect(backend.write(path, { content: "x" })).rejects.toMatchObject(out);
  }
  await expect(backend.write("/link/new/deep.md", { content: "x" })).rejects.toMatchObject(out);
  expect(await backend.list("/")).toEqual([]);
  expect(await readFile(join(outside, "secret.md"), "utf8")).toBe("secret");
  await mkdir(join(folder, "sub"));
  await writeFile(join(folder, "image.png"), Uint8Array.from([0x89, 0xff]));
  expect(await backend.read("/image.png")).toMatchObject({ content: "if8=", encoding: "base64" });
  expect([await backend.read("/sub"), await backend.read("/none.md"), await backend.read("/image.png/x")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const later = folderBackend(join(folder, "not", "yet"));
  expect(await later.list("/")).toEqual([]);
  await later.write("/a/b.md", { content: "new" });
  expect(await later.list("/a")).toMatchObject([{ path: "/a/b.md" }]);
});

const OUT = { code: "INVALID_ARGUMENT", message: expect.stringContaining("leads out of") as string };

test("a link that leads out is refused, also if nothing is there yet", async () => {
  const folder = await newFolder();
  const [root, out] = [join(folder, "root"), join(folder, "out")];
  await Promise.all([root, out].map((one) => mkdir(one)));
  await symlink("../out/new.txt", join(root, "dangling"));
  await symlink(join(out, "absolute.txt"), join(root, "absolute"));
  await symlink("../out/made", join(root, "folder"));
  await symlink("hop2", join(root, "hop1"));
  await symlink("../out/hop.txt", join(root, "hop2"));
  await symlink("circle", join(root, "circle"));
  const backend = folderBackend(root);
  for (const path of ["/dangling", "/absolute", "/folder/x.txt", "/folder/a/b.txt", "/hop1"]) {
    await expect(backend.write(path, { content: "x" }), path).rejects.toMatchObject(OUT);
    await expect(backend.read(path), path).rejects.toMatchObject(OUT);
  }
  await expect(backend.read("/circle")).rejects.toThrow(/too many links/);
  expect([await readdir(out), await backend.list("/")]).toEqual([[], []]);
});

test("a link within the folder is listed, written and deleted", async () => {
  const root = await newFolder();
  await mkdir(join(root, "real"));
  await writeFile(join(root, "real", "a.md"), "a");
  await symlink("real", join(root, "to"));
  await symlink(join(root, "real", "a.md"), join(root, "one.md"));
  const { answers } = await run(
    compositeBackend({ "/": folderBackend(root) }),
    ["ls", { path: "/" }],
    ["write_file", { file_path: "/to/b.md", content: "b" }],
    ["ls", { path: "/to" }],
    ["delete", { file_path: "/one.md" }],
    ["delete", { file_path: "/to/b.md" }],
    ["read_file", { file_path: "/real/a.md" }],
  );
  expect([answers[0], answers[2], answers[3], answers[4]]).toEqual([
    '["/one.md","/real/"]',
    '["/to/a.md","/to/b.md"]',
    "Deleted /one.md",
    "Deleted /to/b.md",
  ]);
  expect(answers[5]).toContain("\na");
  expect([await readdir(root), await readdir(join(root, "real"))]).toEqual([["real", "to"], ["a.md"]]);
});

test("a folder goes with its last file", async () => {
  const root = await newFolder();
  const backend = folderBackend(root);
  await backend.write("/a/b/c/d.md", { content: "d" });
  await backend.write("/a/e.md", { content: "e" });
  await backend.write("/a/b/c/d.md", null);
  expect(await readdir(join(root, "a"))).toEqual(["e.md"]);
  await Promise.all([
    backend.write("/a/e.md", null),
    ...[1, 2, 3].map((one) => backend.write(`/a/${one}/x.md`, { content: "x" })),
  ]);
  for (const one of [1, 2, 3]) await backend.write(`/a/${one}/x.md`, null);
  expect(await readdir(root)).toEqual([]);
});

test("a file a thousand folders down is listed without a walk for each of them, and leaves no folder", async () => {
  const root = await newFolder();
  const backend = folderBackend(root);
  const path = `/${"d/".repeat(1_000)}x.md`;
  await backend.write(path, { content: "x" });
  expect((await backend.list("/")).map((one) => one.path)).toEqual([path]);
  await backend.write(path, null);
  expect(await readdir(root)).toEqual([]);
});

test("the model is told of a path that a folder does not take; the run goes on", async () => {
  const root = await newFolder();
  await mkdir(join(root, "sub"));
  await writeFile(join(root, "file"), "x");
  await symlink("../out.txt", join(root, "out"));
  const content = "x";
  const { answers } = await run(
    compositeBackend({ "/": folderBackend(root) }),
    ["write_file", { file_path: "/sub", content }],
    ["write_file", { file_path: "/file/x", content }],
    ["write_file", { file_path: "/out", content }],
    ["read_file", { file_path: "/out" }],
    ["write_file", { file_path: `/${"n".repeat(300)}`, content }],
  );
  expect(answers).toEqual([
    "Error: folderBackend: '/sub' is a folder or a device, not a file.",
    "Error: folderBackend: '/file/x' is below a file.",
    "Error: folderBackend: '/out' leads out of the folder.",
    "Error: folderBackend: '/out' leads out of the folder.",
    expect.stringContaining("is too long for the disk") as string,
  ]);
});

/** Runs without root's permissions, if it has them. */
async function withoutRoot<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test.skipIf(process.platform === "win32")("a folder has entries that may not be read or written", async () => {
  const root = await newFolder();
  await writeFile(join(root, "a.txt"), "needle");
  await writeFile(join(root, "locked.txt"), "needle", { mode: 0 });
  // Its names may be read, but not its files.
  for (const [name, mode] of [
    ["locked", 0],
    ["names", 0o444],
  ] as const) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, "b.txt"), "needle");
    await chmod(join(root, name), mode);
  }
  await symlink("locked/b.txt", join(root, "link.txt"));
  await chmod(root, 0o555);
  const backend = compositeBackend({ "/": folderBackend(root) });
  const steps: Step[] = [
    ["ls", { path: "/" }],
    ["grep", { pattern: "needle" }],
    ["read_file", { file_path: "/locked.txt" }],
    ["read_file", { file_path: "/locked/b.txt" }],
    ["write_file", { file_path: "/locked.txt", content: "x" }],
    ["write_file", { file_path: "/new.txt", content: "x" }],
    ["write_file", { file_path: "/new/a.txt", content: "x" }],
    ["delete", { file_path: "/a.txt" }],
  ];
  // The first run loads the package's files.
  await run(undefined, ["ls", { path: "/" }]);
  const { answers } = await withoutRoot(() => run(backend, ...steps));
  await chmod(root, 0);
  const unreadable = await withoutRoot(() => run(backend, ["ls", { path: "/" }]));
  for (const name of ["", "locked", "names"]) await chmod(join(root, name), 0o755);
  const refused = (path: string, done: string) => `Error: folderBackend: '${path}' may not be ${done}: EACCES.`;
  expect(answers).toEqual([
    '["/a.txt","/locked.txt"]',
    "/a.txt",
    refused("/locked.txt", "read"),
    refused("/locked/b.txt", "read"),
    refused("/locked.txt", "read"),
    refused("/new.txt", "written"),
    refused("/new/a.txt", "written"),
    refused("/a.txt", "removed"),
  ]);
  expect(unreadable.answers).toEqual([refused("/", "read")]);
});

test("a long file is not searched, and one that is too long not read", async () => {
  const root = await newFolder();
  const megabytes = 1024 * 1024;
  for (const [name, size] of [
    ["most", 10 * megabytes],
    ["long", 10 * megabytes + 1],
    ["huge", 256 * megabytes + 1],
  ] as const) {
    await writeFile(join(root, name), "needle\n");
    await truncate(join(root, name), size);
  }
  const { answers } = await run(
    compositeBackend({ "/": folderBackend(root) }),
    ["ls", { path: "/" }],
    ["grep", { pattern: "needle" }],
    ["read_file", { file_path: "/long", limit: 1 }],
    ["read_file", { file_path: "/huge" }],
    ["edit_file", { file_path: "/huge", old_string: "needle", new_string: "" }],
  );
  const refused = "Error: folderBackend: '/huge' has 268435457 bytes: it is too long to read.";
  expect(answers).toEqual([
    '["/huge","/long","/most"]',
    "/most",
    expect.stringContaining("needle") as string,
    refused,
    refused,
  ]);
});

test("a search leaves out a file that its backend refuses, and fails with any other error", async () => {
  const inner = storeBackend(new InMemoryStore());
  await inner.write("/a.md", { content: "needle" });
  await inner.write("/b.md", { content: "needle" });
  const failing = (error: Error): FileBackend => ({
    ...inner,
    read: (path) => (path === "/a.md" ? Promise.reject(error) : inner.read(path)),
  });
  const search = (error: Error) => run(compositeBackend({ "/": failing(error) }), ["grep", { pattern: "needle" }]);
  expect((await search(new ThreadfoldError("INVALID_ARGUMENT", "No."))).answers).toEqual(["/b.md"]);
  await expect(search(new Error("down"))).rejects.toThrow("down");
});

/** Finds items as a store over SQL does: those whose namespace begins with these characters. */
class StoreOfSql {
  readonly #rows = new Map<string, { namespace: string[]; key: string; value: object }>();
  readonly #idOf = (namespace: string[], key: string) => `${namespace.join(":")}|${key}`;
  async get(namespace: string[], key: string) {
    return this.#rows.get(this.#idOf(namespace, key));
  }
  async put(namespace: string[], key: string, value: object) {
    this.#rows.set(this.#idOf(namespace, key), { namespace, key, value });
  }
  async delete(namespace: string[], key: string) {
    this.#rows.delete(this.#idOf(namespace, key));
  }
  async search(namespace: string[], { limit, offset }: { limit: number; offset: number }) {
    const found = [...this.#rows].filter(([id]) => id.startsWith(namespace.join(":"))).map(([, row]) => row);
    return found.slice(offset, offset + limit);
  }
}

test.each([
  ["LangGraph's", () => new InMemoryStore()],
  ["one over SQL", () => new StoreOfSql()],
])("a store's files are those of its own namespace: %s", async (_, make) => {
  const store = make();
  const of = (...namespace: string[]) => storeBackend(store, namespace);
  // More than a page of another's, under the same names.
  for (let at = 0; at < 120; at++) await of("users", "10").write(`/${at}.md`, { content: "secret" });
  await of("users", "1", "drafts").write("/draft.md", { content: "secret" });
  for (const name of ["/0.md", "/mine.md"]) await of("users", "1").write(name, { content: "mine" });
  const paths = async (...namespace: string[]) => (await of(...namespace).list("/")).map(({ path }) => path);
  expect(await paths("users", "1")).toEqual(["/0.md", "/mine.md"]);
  expect(await paths("users", "10")).toHaveLength(120);
  expect(await paths("users")).toEqual([]);
});

test("what is no backend, and no folder for one, is refused", () => {
  const backend = storeBackend(new InMemoryStore());
  for (const folder of ["work/", "/work", "", "//", "/../", "/./", "/a//"])
    expect(() => compositeBackend({ [folder]: backend }), folder).toThrow(/a folder such as/);
  expect(() => compositeBackend({ "/a/": {} as never })).toThrow(/a folder such as/);
  expect(() => createFilesystemMiddleware({ backend: backend as never })).toThrow(/compositeBackend/);
  expect(() => storeBackend({} as never)).toThrow(/expected a store/);
  expect(() => folderBackend("")).toThrow(/path of a folder/);
});

test("parallel writes to one file of a folder leave one of them whole, and reads see one", async () => {
  const folder = await newFolder();
  await mkdir(join(folder, "real"));
  await symlink("real", join(folder, "link"));
  const [one, other] = [folderBackend(folder), folderBackend(folder)];
  const contents = ["A".repeat(100_000), "B".repeat(10)] as const;
  await one.write("/real/f", { content: contents[1] });
  for (let round = 0; round < 20; round++) {
    const [, seen] = await Promise.all([
      one.write("/real/f", { content: contents[0] }),
      one.read("/real/f"),
      other.write("/link/f", { content: contents[1] }),
    ]);
    expect(contents).toContain(seen?.content);
    expect(contents).toContain(await readFile(join(folder, "real", "f"), "utf8"));
  }
});

test("a failed write to a file of a folder does not keep the next from it", async () => {
  const backend = folderBackend(await newFolder());
  await backend.write("/f", { content: "one" });
  const writes = [backend.write("/f/g", { content: "no" }), backend.write("/f", { content: "two" })];
  const came = await Promise.allSettled(writes);
  expect(came.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect((await backend.read("/f"))?.content).toBe("two");
});
