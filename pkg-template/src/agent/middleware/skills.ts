import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions, type NamesOf } from "../../shared/options.js";
import { field } from "../../state/fields.js";
import type { FileData } from "../../state/files.js";
import { fileAt, contentOf } from "../backends/file-at.js";
import type { CompositeBackend } from "../backends/types.js";
import type { AgentState, Middleware } from "../types.js";
import { withPrompt } from "./request-changes.js";
import { readSkill, type Skill } from "./skill-file.js";

/** Options of {@link createSkillsMiddleware}. */
export interface SkillsOptions {
  /**
   * Folders, such as `/skills/`, or each with the label that the prompt gives it. A folder's skills are in folders of
   * their own: `/skills/reports/SKILL.md`. Of skills with one name the last source's counts.
   */
  readonly sources: readonly (string | readonly [path: string, label: string])[];
  /** Where the files are. Otherwise they are the state's. */
  readonly backend?: CompositeBackend | undefined;
  /** The instructions, with `{skills_locations}` and `{skills_list}`. Null adds nothing to the prompt. */
  readonly systemPrompt?: string | null | undefined;
}

const NAMES: NamesOf<SkillsOptions> = { sources: true, backend: true, systemPrompt: true };
const LOCATIONS = "{skills_locations}";
const LIST = "{skills_list}";
const PROMPT = `## Skills
Skills are instructions for certain tasks. You see their names and descriptions; their text is in files.

${LOCATIONS}

${LIST}

When a task fits a description, first read that skill's file with \`read_file\` and \`limit=1000\`, and follow it. Files that it mentions are beside it: use absolute paths.`;

type Fields = { readonly skillsMetadata: ReturnType<typeof skillsField> };
const skillsField = () => field.replace<readonly Skill[] | null>({ output: false });

/**
 * Tells the agent which skills there are, as deepagents' `createSkillsMiddleware` does. The system prompt has their names
 * and descriptions. The model reads a skill's file when it needs it, by `read_file` of `createFilesystemMiddleware`: give
 * that the same backend. A thread reads the list once, before its first run, into `skillsMetadata`. Give null for that
 * field to read it again. A file that is not a skill is left out with a warning.
 *
 * The package `yaml` reads the files: install it.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 *
 * @example
 * ```ts
 * import { textOf } from "threadfold";
 * import { createDeepAgent } from "threadfold/agent";
 * import { createSkillsMiddleware } from "threadfold/agent/skills";
 *
 * const skills = createSkillsMiddleware({ sources: ["/skills/"], systemPrompt: "{skills_locations}\n{skills_list}" });
 * const model = ([system]: readonly object[]) => textOf(system).split("\n").at(-2) ?? "";
 * const agent = createDeepAgent({ model, middleware: [skills] });
 * const content = "---\nname: reports\ndescription: How we write reports.\n---\nBe brief.";
 * const { messages } = await agent.invoke({ messages: "Hi", files: { "/skills/reports/SKILL.md": { content } } });
 * console.log(messages.at(-1)?.content); // - **reports**: How we write reports.
 * ```
 */
export function createSkillsMiddleware(options: SkillsOptions): Middleware<Fields> {
  checkOptions("createSkillsMiddleware", options, Object.keys(NAMES));
  const { backend, systemPrompt = PROMPT } = options ?? {};
  const sources = sourcesIn(options?.sources);
  if (systemPrompt !== null && ![LOCATIONS, LIST].every((slot) => systemPrompt.includes(slot)))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `createSkillsMiddleware: \`systemPrompt\` needs both ${LOCATIONS} and ${LIST}.`,
    );
  return {
    name: "SkillsMiddleware",
    stateSchema: { skillsMetadata: skillsField() },
    beforeAgent: async (state) => {
      if (state.skillsMetadata) return undefined;
      const ofState = ((state as AgentState)["files"] ?? {}) as Readonly<Record<string, FileData>>;
      const skills = new Map<string, Skill>();
      for (const { folder } of sources)
        for (const skill of await skillsIn(folder, ofState, backend)) skills.set(skill.name, skill);
      return { skillsMetadata: [...skills.values()] };
    },
    wrapModelCall: (request, handler) => {
      if (systemPrompt === null) return handler(request);
      const text = { [LOCATIONS]: locationsOf(sources), [LIST]: listOf(request.state.skillsMetadata ?? [], sources) };
      const more = systemPrompt.replace(/\{skills_(locations|list)\}/g, (slot) => text[slot as keyof typeof text]);
      return handler(withPrompt(request, more));
    },
  };
}

interface Source {
  /** As it was given: the prompt shows it. */
  readonly path: string;
  readonly label: string;
  /** With one `/` at the end. */
  readonly folder: string;
}

function sourcesIn(sources: unknown): readonly Source[] {
  const list: readonly unknown[] = Array.isArray(sources) ? sources : [undefined];
  return list.map((source) => {
    const [path, label]: readonly unknown[] = Array.isArray(source) ? source : [source, undefined];
    if (
      typeof path !== "string" ||
      !path.startsWith("/") ||
      !(Array.isArray(source) ? typeof label === "string" : true)
    )
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "createSkillsMiddleware: expected a list of folders as `sources`, such as ['/skills/', ['/team/skills/', 'Team']].",
      );
    return { path, label: (label as string | undefined) ?? labelOf(path), folder: `${path.replace(/\/+$/, "")}/` };
  });
}

/** The name of a source: its folder's, or for one that is named `skills` that of the folder around it. */
function labelOf(path: string): string {
  const parts = path.split("/").filter(Boolean);
  const [leaf, around] = [parts.at(-1), parts.at(-2)];
  if (leaf === undefined) return "Unnamed";
  if (leaf.toLowerCase() === "built_in_skills") return "Built-in";
  const parent = leaf.toLowerCase() === "skills" ? around?.replace(/^\.+/, "") : undefined;
  if (parent) return parent.replace(/[_-]/g, " ").replace(/\p{L}+/gu, capital);
  return capital(leaf);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();

async function skillsIn(
  folder: string,
  ofState: Readonly<Record<string, FileData>>,
  backend: CompositeBackend | undefined,
): Promise<readonly Skill[]> {
  const names = backend ? await backend.files("names", folder, ofState) : ofState;
  const paths = Object.keys(names).filter((path) => path.startsWith(folder) && isSkill(path.slice(folder.length)));
  const read = async (path: string): Promise<Skill | undefined> => {
    const file = await fileAt(backend, path, ofState);
    if (!file) return undefined;
    const skill = file.encoding === "base64" ? "not a text" : readSkill(path, contentOf(file));
    if (typeof skill !== "string") return skill;
    console.warn(`createSkillsMiddleware leaves out '${path}': ${skill}.`);
    return undefined;
  };
  const skills = await Promise.all(paths.sort().map(read));
  return skills.filter((skill) => skill !== undefined);
}

const isSkill = (path: string): boolean => /^[^/]+\/SKILL\.md$/.test(path);

const locationsOf = (sources: readonly Source[]): string =>
  sources
    .map(
      ({ path, label }, at) =>
        `**${label} Skills**: \`${path}\`${at === sources.length - 1 ? " (higher priority)" : ""}`,
    )
    .join("\n");

function listOf(skills: readonly Skill[], sources: readonly Source[]): string {
  if (skills.length === 0)
    return `(No skills available yet. You can create skills in ${sources.map(({ path }) => path).join(" or ")})`;
  return skills
    .flatMap(({ name, description, license, compatibility, allowedTools, path }) => {
      const notes = [license && `License: ${license}`, compatibility && `Compatibility: ${compatibility}`].filter(
        Boolean,
      );
      return [
        `- **${name}**: ${description}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`,
        ...(allowedTools.length > 0 ? [`  -> Allowed tools: ${allowedTools.join(", ")}`] : []),
        `  -> Read \`${path}\` for full instructions`,
      ];
    })
    .join("\n");
}
