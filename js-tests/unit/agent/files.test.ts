import { createAgent, createFilesystemMiddleware } from "threadfold/agent";
import { afterEach, expect, test, vi } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

type Given = { readonly files: Record<string, { content: string }>; readonly replies: readonly Reply[] };
type Came = { readonly messages: object[]; readonly files: Record<string, string> };

/** A list that Python shows as its repr is JSON. */
const jsonList = (message: object) => {
  const { content } = message as { content: string };
  return content.startsWith("['")
    ? { ...message, content: content.replaceAll("'", '"').replaceAll(", ", ",") }
    : message;
};

afterEach(() => vi.useRealTimers());

test("files: the tools' answers and their effect on `files`", () =>
  replay("files", async ({ in: given, out }: Recorded<Given, Came>) => {
    // Each file gets a time of its own, as in Python, where a clock is finer.
    let now = Date.parse("2027-01-01");
    vi.useFakeTimers({ toFake: ["Date"] });
    const agent = createAgent({ model: scripted(given.replies), middleware: [createFilesystemMiddleware()] });
    vi.setSystemTime(now);
    const tick = setInterval(() => vi.setSystemTime((now += 5)), 0);
    const result = await agent.invoke({ messages: "go", files: given.files }, { maxConcurrency: 1 });
    clearInterval(tick);
    expect(result.messages.filter(({ type }) => type === "tool").map(shown)).toEqual(out?.messages.map(jsonList));
    const files = Object.entries((result.files ?? {}) as Given["files"]);
    expect(Object.fromEntries(files.map(([path, { content }]) => [path, content]))).toEqual(out?.files);
  }));

const at = "2026-01-01T00:00:00";

/** Returns a tool's answer over files with these texts. */
async function answerOf(name: string, args: object, texts: Record<string, string>) {
  const files = Object.fromEntries(
    Object.entries(texts).map(([path, content]) => [path, { content, created_at: at, modified_at: at }]),
  );
  const reply = { content: "", tool_calls: [{ id: "c1", name, args: args as Record<string, unknown> }] };
  const agent = createAgent({ model: scripted([reply]), middleware: [createFilesystemMiddleware()] });
  const { messages } = await agent.invoke({ messages: "Go.", files });
  return messages[2]?.content as string;
}

// As deepagents 0.7.32 answers, but for the words of the notes.
test("grep shows at most as many lines as it is asked for, and says that there are more", async () => {
  const texts = { "/b.md": "one\ntwo one", "/a.md": "one" };
  const first = await answerOf("grep", { pattern: "one", output_mode: "content", max_count: 2 }, texts);
  expect(first).toMatch(/^\/b\.md:\n {2}1: one\n {2}2: two one\n\nNote: there are more matches./);
  const all = await answerOf("grep", { pattern: "one", output_mode: "count", max_count: 3 }, texts);
  expect(all).toBe("/a.md: 1\n/b.md: 2");
  const usual = await answerOf("grep", { pattern: "x", output_mode: "count" }, { "/x": "x\n".repeat(1001) });
  expect(usual).toMatch(/^\/x: 1000\n\nNote: /);
  expect(await answerOf("grep", { pattern: "one", max_count: 0 }, texts)).toBe("max_count should be 1 or more.");
});

test("grep without a match explains that the pattern is literal, if it looks like an expression", async () => {
  const nothing = (pattern: string) => answerOf("grep", { pattern }, { "/a": "one" });
  for (const pattern of ["a|b", "a.*", "a.+", "\\d", "\\("])
    expect(await nothing(pattern)).toMatch(/^No matches found\n\nNote: grep matches literal text/);
  for (const pattern of ["a.b", "f(x)", "^a$", "[0]"]) expect(await nothing(pattern)).toBe("No matches found");
});

test("a model may leave out a path by a null", async () => {
  expect(await answerOf("grep", { pattern: "one", path: null, glob: null, max_count: null }, { "/a": "one" })).toBe(
    "/a",
  );
  expect(await answerOf("glob", { pattern: "*", path: null }, { "/a": "one" })).toBe('["/a"]');
  expect(await answerOf("ls", { path: null }, {})).toContain("path: Input should be a valid string");
});

test("long answers are cut, and say so", async () => {
  const paths = Array.from({ length: 1000 }, (_, n) => `/${"long".repeat(25)}${n}`);
  const texts = Object.fromEntries(paths.map((path) => [path, "one"]));
  const cut = "... [results truncated, try being more specific with your parameters]";
  for (const [name, args] of [
    ["ls", { path: "/" }],
    ["glob", { pattern: "*" }],
  ] as const) {
    const answer = await answerOf(name, args, texts);
    expect(answer.length).toBeLessThanOrEqual(80_000);
    expect((JSON.parse(answer) as string[]).at(-1)).toBe(cut);
  }
  const found = await answerOf("grep", { pattern: "one" }, texts);
  expect([found.length, found.endsWith(`\n${cut}`)]).toEqual([80_000, true]);
});

test("glob lists the newest first, though they are written in one moment", async () => {
  const write = (path: string, id: string) => ({ id, name: "write_file", args: { file_path: path, content: "x" } });
  const replies = [
    { content: "", tool_calls: [write("/b", "c1")] },
    { content: "", tool_calls: [write("/a", "c2")] },
    { content: "", tool_calls: [{ id: "c3", name: "glob", args: { pattern: "*" } }] },
  ];
  vi.useFakeTimers({ toFake: ["Date"] });
  const agent = createAgent({ model: scripted(replies), middleware: [createFilesystemMiddleware()] });
  const { messages } = await agent.invoke({ messages: "Go." });
  expect(messages.at(-2)?.content).toBe('["/a","/b"]');
});

test.each([
  ["stars", "*a".repeat(30) + "b", "/" + "a".repeat(60)],
  ["folders", "**/a/".repeat(30) + "y", "/" + "a/".repeat(40) + "x"],
  ["braces", "{a,b}".repeat(30), "/a"],
  ["braces within braces", "{a,".repeat(1000) + "b" + "}".repeat(1000), "/c"],
  ["a long pattern of many", `{${"a,".repeat(900)}}${"x".repeat(100_000)}`, "/a"],
])("no pattern of a model's takes long: %s", async (_, pattern, path) => {
  const answer = await answerOf("glob", { pattern }, { [path]: "one" });
  expect(answer).toMatch(/^(No files found|.*Pattern limit exceeded.*)$/s);
});

const hundred = `{${Array.from({ length: 100 }, (_, at) => at).join(",")}}`;
test.each([
  ["a long text before many", `${"x".repeat(1001)}${hundred}`],
  ["a long text after many", `${hundred}${"x".repeat(1001)}`],
  ["two groups", `{${"x".repeat(5000)},b}{${"x".repeat(4000)},b}${hundred}`],
])("a pattern whose alternatives are too long together is refused: %s", async (_, pattern) => {
  const said = "Error: Pattern limit exceeded: the glob pattern stands for more than 100000 characters.";
  expect(await answerOf("glob", { pattern }, {})).toBe(said);
});

test("open brackets take time that grows with the pattern, not with its square", { timeout: 5000 }, async () => {
  const pattern = `${"[".repeat(9000)}{a,b,c,d,e,f,g,h,i,j}`;
  for (let call = 0; call < 8; call++) expect(await answerOf("glob", { pattern }, {})).toBe("No files found");
});

test.each<[pattern: string, found: string[]]>([
  ["{a,b{c,d}}.ts", ["/a.ts", "/src/a.ts", "/src/bc.ts"]],
  ["/src/{a}.ts", []],
  ["/src/*.{ts,md}", ["/src/a.ts", "/src/bc.ts"]],
  ["**/[!b]*.ts", ["/a.ts", "/src/a.ts"]],
  ["[z-a].ts", []],
  ["{a.ts", []],
  ["[]a]*.ts", ["/a.ts", "/src/a.ts"]],
  ["[b]c[.ts", []],
  ["[!x]*[.]ts", ["/a.ts", "/src/a.ts", "/src/bc.ts"]],
])("glob %s", async (pattern, found) => {
  const texts = { "/a.ts": "", "/src/a.ts": "", "/src/bc.ts": "", "/src/.a.ts": "", "/.git/a.ts": "" };
  const answer = await answerOf("glob", { pattern }, texts);
  const listed = answer === "No files found" ? [] : (JSON.parse(answer) as string[]);
  expect(listed.filter((path) => !path.startsWith("/.git")).sort()).toEqual(found);
});
