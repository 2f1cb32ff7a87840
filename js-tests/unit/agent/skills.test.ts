import { createAgent, createDeepAgent, createFilesystemMiddleware, type FunctionModel } from "threadfold/agent";
import { createSkillsMiddleware, type Skill, type SkillsOptions } from "threadfold/agent/skills";
import { MemorySaver } from "threadfold/graph";
import { textOf } from "threadfold";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agentWith, holding, type Recorded, replay } from "./records.js";

interface Given {
  readonly files: Readonly<Record<string, string>>;
  readonly sources: SkillsOptions["sources"];
  readonly prompt: string | null;
  readonly system: string | null;
}
interface Found {
  readonly text: string | null;
  readonly skills: readonly Record<string, unknown>[];
}

const warn = vi.spyOn(console, "warn");
beforeEach(() => void warn.mockReset().mockImplementation(() => {}));
afterEach(() => expect(warn).not.toHaveBeenCalled());

test("the skills that are found, and the system prompt that they make", async () => {
  await replay("skills", async ({ in: given, out, error }: Recorded<Given, Found>) => {
    expect(error).toBeUndefined();
    const { files, sources, prompt, system } = given;
    const middleware = createSkillsMiddleware({ backend: holding(files), sources, systemPrompt: prompt });
    const { agent, prompted } = agentWith(middleware, system);
    let skills: readonly Skill[] = [];
    for await (const [, part] of agent.stream({ messages: "go" }, { streamMode: ["updates"] }))
      for (const update of Object.values(part as Record<string, { skillsMetadata?: readonly Skill[] }>))
        skills = update?.skillsMetadata ?? skills;
    expect({
      text: prompted(),
      skills: skills.map(({ allowedTools: allowed_tools, ...rest }) => ({ ...rest, allowed_tools })),
    }).toEqual(out);
  });
  warn.mockClear();
});

const skill = (name: string, body: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\n${body}`;

test("a model reads a skill when it needs it; a thread reads the list once, and again when it is asked to", async () => {
  const files: Record<string, string> = { "/greet/SKILL.md": skill("greet", "Say ahoy.") };
  const backend = holding(files, "/skills/");
  const prompts: string[] = [];
  const model: FunctionModel = ([system, ...messages]) => {
    prompts.push(textOf(system as object));
    const last = messages.at(-1) as { type: string };
    if (last.type === "tool") return `Ahoy: ${textOf(last)}`;
    const [, path] = /Read `(.*)`/.exec(prompts.at(-1) ?? "") ?? [];
    return { tool_calls: [{ id: "c", name: "read_file", args: { file_path: path, limit: 1000 } }] };
  };
  const agent = createDeepAgent({
    model,
    backend,
    middleware: [createSkillsMiddleware({ backend, sources: ["/skills/"] })],
    checkpointer: new MemorySaver(),
  });
  const ask = async (input: object) => {
    prompts.length = 0;
    const result = await agent.invoke({ messages: "Hi", ...input } as never, { threadId: "t" });
    expect(result).not.toHaveProperty("skillsMetadata");
    return [textOf(result.messages.at(-1) as object), prompts.every((prompt) => prompt.includes("How to part."))];
  };
  expect((await ask({}))[0]).toContain("Say ahoy.");
  files["/part/SKILL.md"] = skill("part", "Say bye.");
  expect((await ask({}))[1]).toBe(false);
  expect((await ask({ skillsMetadata: null }))[1]).toBe(true);
});

test("a sub-agent has its own skills", async () => {
  const prompts: string[] = [];
  const skills = (name: string) =>
    createSkillsMiddleware({
      backend: holding({ [`/${name}/SKILL.md`]: skill(name, "") }),
      sources: ["/"],
      systemPrompt: "{skills_locations}{skills_list}",
    });
  const agent = createDeepAgent({
    model: (messages) => {
      prompts.push(textOf(messages[0] as object));
      if (prompts.length > 1) return "Done.";
      return { tool_calls: [{ id: "c", name: "task", args: { description: "Go.", subagent_type: "other" } }] };
    },
    middleware: [skills("mine")],
    subagents: [{ name: "other", description: "Another.", systemPrompt: "", middleware: [skills("theirs")] }],
  });
  await agent.invoke({ messages: "Hi" });
  expect(prompts.map((prompt) => /How to (\w+)/.exec(prompt)?.[1])).toEqual(["mine", "theirs", "mine"]);
});

test("files of the state, what is left out, and what is refused", async () => {
  const agent = createAgent({
    model: ([system]) => textOf(system as object),
    middleware: [
      createFilesystemMiddleware({ systemPrompt: "" }),
      createSkillsMiddleware({ sources: ["/s"], systemPrompt: "{skills_locations}{skills_list}" }),
    ],
  });
  const ask = async (file: object) =>
    (await agent.invoke({ messages: "Hi", files: { "/s/a/SKILL.md": file as never } })).messages.at(-1)?.content;
  expect(await ask({ content: skill("a", "") })).toContain("**a**: How to a.");
  // YAML 1.1 would make a truth value of it.
  expect(await ask({ content: skill("on", "") })).toContain("**on**");
  // A list that contains itself is not written out.
  const self = "license: &l [*l]\nmetadata: {list: &m [*m], by: Ada}\n";
  expect(await ask({ content: skill("a", "").replace("---\n", `---\n${self}`) })).toMatch(/: How to a\.\n/);
  // Aliases of aliases: a few bytes that would fill the memory.
  const lists = Array.from("bcdefghijk", (key, at) => `${key}: &${key} [${`*${"abcdefghij"[at]},`.repeat(9)}]\n`);
  const bomb = `---\na: &a [x]\n${lists.join("")}metadata: {big: *k}\n---\n`;
  const reasons = [
    [{ content: "if8=", encoding: "base64" }, "not a text"],
    [{ content: "a".repeat(10 * 1024 * 1024 + 1) }, "longer than 10,485,760 characters"],
    [{ content: "Be brief." }, "no YAML between two lines of ---"],
    [{ content: "---\na: [\n---\n" }, "invalid YAML"],
    [{ content: bomb }, "invalid YAML: Excessive alias count"],
    [{ content: "---\n- a\n---\n" }, "front matter that is not a mapping"],
    [{ content: "---\nname: a\n---\n" }, "no `name` or no `description`"],
  ] as const;
  for (const [file, reason] of reasons) {
    warn.mockClear();
    expect(await ask(file)).toContain("No skills available yet. You can create skills in /s)");
    expect(warn.mock.calls.flat().join()).toContain(`leaves out '/s/a/SKILL.md': ${reason}`);
  }
  warn.mockClear();
  for (const sources of ["/s", ["s"], [["/s"]], [1]])
    expect(() => createSkillsMiddleware({ sources: sources as never })).toThrow(/list of folders/);
  expect(() => createSkillsMiddleware({ sources: [], systemPrompt: "{skills_list}" })).toThrow(/needs both/);
});

test("a long file of spaces and of false ends is read in time that grows with its length", () => {
  const agent = (content: string) =>
    createAgent({
      model: () => "done",
      middleware: [createSkillsMiddleware({ backend: holding({ "/a/SKILL.md": content }), sources: ["/"] })],
    }).invoke({ messages: "go" });

  const start = performance.now();
  return Promise.all([agent(`---${"\n ".repeat(1e6)}`), agent(`---\n${"\n--- x".repeat(1e6)}`)]).then(() => {
    expect(performance.now() - start).toBeLessThan(2_000);
    warn.mockClear();
  });
});
